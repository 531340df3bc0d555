"""Reviewers that speak through AutoGen: models, agents, teams, functions and recorded reviews."""

from peerjudge.reviewers.adapters import from_autogen, from_callable, make_reviewer
from peerjudge.reviewers.agent import ReviewerAgent
from peerjudge.reviewers.asking import NoResponseError
from peerjudge.reviewers.discussion_agent import DiscussionAgent
from peerjudge.reviewers.foreign import AgentCancelledError, TeamFailedError
from peerjudge.reviewers.messages import ComparisonTask
from peerjudge.reviewers.model import MissingReviewError, ModelReviewer, RecordedReviewer
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
    "from_autogen",
    "from_callable",
    "make_reviewer",
]
