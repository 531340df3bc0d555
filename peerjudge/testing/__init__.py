"""What a test of protocols, reviewers and analyses needs: no model, no network, no clock."""

from peerjudge.testing.reviewers import ScriptedReviewer
from peerjudge.testing.transcripts import comparison_of, seats_of, transcript_of, verdict_of

__all__ = ["ScriptedReviewer", "comparison_of", "seats_of", "transcript_of", "verdict_of"]
