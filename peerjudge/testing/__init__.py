"""What a test of protocols, reviewers and analyses needs: no model, no network, no clock."""

from peerjudge.testing.reviewers import ScriptedReviewer
from peerjudge.testing.scenes import PLAIN_PACK, rounds_of
from peerjudge.testing.transcripts import comparison_of, seats_of, transcript_of, verdict_of

__all__ = [
    "PLAIN_PACK",
    "ScriptedReviewer",
    "comparison_of",
    "rounds_of",
    "seats_of",
    "transcript_of",
    "verdict_of",
]
