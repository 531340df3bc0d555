"""Who speaks: models, records, anybody's AutoGen agents, and whole discussions as AutoGen teams."""

from peerjudge.reviewers.adapters import from_autogen, from_callable, reviewer_from
from peerjudge.reviewers.agent import ReviewerAgent
from peerjudge.reviewers.discussion_agent import DiscussionAgent
from peerjudge.reviewers.failures import (
    AgentCancelledError,
    MissingReviewError,
    NoResponseError,
    TeamFailedError,
)
from peerjudge.reviewers.model import ModelReviewer
from peerjudge.reviewers.recorded import RecordedReviewer
from peerjudge.reviewers.task import ComparisonTask, comparison_message
from peerjudge.reviewers.team import DiscussionTeam

__all__ = [
    "AgentCancelledError",
    "ComparisonTask",
    "DiscussionAgent",
    "DiscussionTeam",
    "MissingReviewError",
    "ModelReviewer",
    "NoResponseError",
    "RecordedReviewer",
    "ReviewerAgent",
    "TeamFailedError",
    "comparison_message",
    "from_autogen",
    "from_callable",
    "reviewer_from",
]
