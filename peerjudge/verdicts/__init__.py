"""Verdict and rating readers: total functions from a reply to a review, which never guess."""

from peerjudge.verdicts.codes import RatingReading, Reading
from peerjudge.verdicts.own_words import refuses, split_thinking
from peerjudge.verdicts.probabilities import find_verdict_token, verdict_probabilities
from peerjudge.verdicts.ratings import read_rating
from peerjudge.verdicts.reader import RULES, read_verdict
from peerjudge.verdicts.reviews import (
    ASKED,
    ASKING_FAILED,
    CUT_OFF,
    REREAD_FAILED,
    read_rereading,
    read_review,
)

__all__ = [
    "ASKED",
    "ASKING_FAILED",
    "CUT_OFF",
    "REREAD_FAILED",
    "RULES",
    "RatingReading",
    "Reading",
    "find_verdict_token",
    "read_rating",
    "read_rereading",
    "read_review",
    "read_verdict",
    "refuses",
    "split_thinking",
    "verdict_probabilities",
]
