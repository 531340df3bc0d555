"""Where discussions are played: cues from a protocol, words from reviewers, turns to a journal."""

from peerjudge.stage.asking import Asking
from peerjudge.stage.cueing import MAX_TURNS, concluded, next_cue
from peerjudge.stage.identity import comparison_key, identify
from peerjudge.stage.play import discuss
from peerjudge.stage.seam import Journal, Reviewer, Staging
from peerjudge.stage.stream import play_all

__all__ = [
    "MAX_TURNS",
    "Asking",
    "Journal",
    "Reviewer",
    "Staging",
    "comparison_key",
    "concluded",
    "discuss",
    "identify",
    "next_cue",
    "play_all",
]
