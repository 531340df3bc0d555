"""Reads verdicts and ratings out of what reviewers write; total, and never guessing."""

from peerjudge.verdicts.ratings import read_rating
from peerjudge.verdicts.reader import FORM_RULES, PROSE_RULES, read_verdict
from peerjudge.verdicts.readings import RatingReading, Reading
from peerjudge.verdicts.reviews import review

__all__ = [
    "FORM_RULES",
    "PROSE_RULES",
    "RatingReading",
    "Reading",
    "read_rating",
    "read_verdict",
    "review",
]
