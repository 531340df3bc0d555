"""Prompts: packs of templates, read and checked, and their rendering for a cue."""

from peerjudge.prompts.packs import pack_identity, read_pack
from peerjudge.prompts.rendering import Prompter, collect_heard, order_heard, render
from peerjudge.prompts.rereading import REREADING, render_rereading

__all__ = [
    "REREADING",
    "Prompter",
    "collect_heard",
    "order_heard",
    "pack_identity",
    "read_pack",
    "render",
    "render_rereading",
]
