"""Prompts: packs of templates, read and checked, and their rendering for a cue."""

from peerjudge.prompts.forms import (
    BARE_TASKS,
    REREADING,
    ask_choice,
    describe_form,
    find_form,
    list_choices,
    list_keys,
    render_rereading,
)
from peerjudge.prompts.packs import name_base, pack_identity, read_pack, write_pack
from peerjudge.prompts.rendering import (
    Prompter,
    collect_heard,
    list_labels,
    order_heard,
    quote,
    render,
)
from peerjudge.prompts.wording import extract_wording

__all__ = [
    "BARE_TASKS",
    "REREADING",
    "Prompter",
    "ask_choice",
    "collect_heard",
    "describe_form",
    "extract_wording",
    "find_form",
    "list_choices",
    "list_keys",
    "list_labels",
    "name_base",
    "order_heard",
    "pack_identity",
    "quote",
    "read_pack",
    "render",
    "render_rereading",
    "write_pack",
]
