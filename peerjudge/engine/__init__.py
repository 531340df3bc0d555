"""Where discussions are played: cues from a protocol, words from reviewers, turns to a journal."""

from peerjudge.engine.asking import Asking
from peerjudge.engine.cueing import MAX_TURNS, concluded, find_cue_fault, next_cue
from peerjudge.engine.identity import comparison_key, identify
from peerjudge.engine.interfaces import Journal, Reviewer, Staging
from peerjudge.engine.play import discuss
from peerjudge.engine.stream import play_all

__all__ = [
    "MAX_TURNS",
    "Asking",
    "Journal",
    "Reviewer",
    "Staging",
    "comparison_key",
    "concluded",
    "discuss",
    "find_cue_fault",
    "identify",
    "next_cue",
    "play_all",
]
