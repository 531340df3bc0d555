"""Verdict and rating readers: total functions from a reply to a review, which never guess."""

from peerjudge.verdicts.codes import RatingReading, Reading
from peerjudge.verdicts.confidence import find_verdict_token, verdict_probabilities
from peerjudge.verdicts.ratings import read_rating
from peerjudge.verdicts.reader import FORM_RULES, PROSE_RULES, read_verdict
from peerjudge.verdicts.refusals import refuses
from peerjudge.verdicts.reviews import CUT_OFF, REREAD_FAILED, read_rereading, read_review
from peerjudge.verdicts.thinking import split_thinking

__all__ = [
    "CUT_OFF",
    "FORM_RULES",
    "PROSE_RULES",
    "REREAD_FAILED",
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
