"""Prompts: packs of templates, read and checked, and their rendering for a cue."""

from peerjudge.prompts.packs import pack_identity, read_pack
from peerjudge.prompts.rendering import Prompter, collect_heard, order_heard, render

__all__ = ["Prompter", "collect_heard", "order_heard", "pack_identity", "read_pack", "render"]
