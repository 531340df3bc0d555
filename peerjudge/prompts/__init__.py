"""The words a reviewer receives: prompt packs read, checked and rendered for a cue."""

from peerjudge.prompts.pack import pack_identity, read_pack
from peerjudge.prompts.render import Prompter, heard_turns, in_shown_order, render

__all__ = ["Prompter", "heard_turns", "in_shown_order", "pack_identity", "read_pack", "render"]
