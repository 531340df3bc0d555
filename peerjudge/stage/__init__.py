"""Where discussions are played: cues from a protocol, words from reviewers, turns to a journal."""

from peerjudge.stage.identity import comparison_key, draw_of, identify
from peerjudge.stage.play import MAX_TURNS, discuss
from peerjudge.stage.seam import Journal, Reviewer, Staging
from peerjudge.stage.stream import play_all

__all__ = [
    "MAX_TURNS",
    "Journal",
    "Reviewer",
    "Staging",
    "comparison_key",
    "discuss",
    "draw_of",
    "identify",
    "play_all",
]
