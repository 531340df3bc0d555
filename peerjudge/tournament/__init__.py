"""Turns reviews and discussions into battles, and battles into a tournament."""

from peerjudge.tournament.battles import (
    battles_from_reviews,
    battles_from_transcripts,
    from_dataset,
    score,
)
from peerjudge.tournament.collecting import collect, select, without_family
from peerjudge.tournament.drawn import graph
from peerjudge.tournament.majority import PANEL, majority_verdicts
from peerjudge.tournament.stances import Stance, reviews_from_transcripts, stance_of

__all__ = [
    "PANEL",
    "Stance",
    "battles_from_reviews",
    "battles_from_transcripts",
    "collect",
    "from_dataset",
    "graph",
    "majority_verdicts",
    "reviews_from_transcripts",
    "score",
    "select",
    "stance_of",
    "without_family",
]
