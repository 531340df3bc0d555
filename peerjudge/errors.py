"""Errors of usage and configuration; each message says what to do.

The failures of a *model* (an unreadable reply, a refusal, a call that fails for good) are data, see
`peerjudge.data`: a run stores them and continues.
"""

from __future__ import annotations


class PeerJudgeError(Exception):
    """Base of all errors of PeerJudge; the command line exits with 2."""


class ArgumentError(PeerJudgeError, TypeError):
    """An argument of a Python function has another type than its parameter takes."""


class DataError(PeerJudgeError):
    """A question, answer, review or file breaks the rules of its noun."""


class CardError(PeerJudgeError):
    """A reviewer card has an unknown field, lacks one, or has a name that AutoGen refuses."""


class PromptError(PeerJudgeError):
    """A prompt pack lacks a part, or a template cannot be filled."""


class ProtocolError(PeerJudgeError):
    """A protocol breaks its contract, or does not take these seats, answers or options."""


class ShelfError(PeerJudgeError):
    """A name is on no shelf, or a shelf file does not load."""


class ExperimentError(PeerJudgeError):
    """An experiment names a missing item, or a setting that none of its parts takes."""


class ForkError(PeerJudgeError):
    """A discussion cannot be forked in this way; the message says why."""


class StoreError(PeerJudgeError):
    """A run folder or store cannot be opened, is in use, or was written by another version."""


class EmptyReplyError(Exception):
    """Failure of a model: its reply has no words. Not an error of usage; the turn can be repeated."""


class AwaitingPersonError(Exception):
    """A person was asked and has not answered yet. Neither a failure nor an error of usage.

    The discussion stays open; it goes on at this turn once the answer is there.
    """


class NotBegunError(Exception):
    """A call that waited for a place did not begin, as its discussion failed meanwhile. Not a failure."""


class UnconnectedError(DataError):
    """No battles connect reviewers as contestants, so peer weights do not exist; `reason` has no advice."""

    def __init__(self, groups: str) -> None:
        self.reason = (
            f"peer weights compare reviewers as contestants, and no battles connect these: {groups}"
        )
        super().__init__(f"{self.reason}; use weights 'equal', or the reviewers of one group only")


class ConvergenceError(PeerJudgeError):
    """An iteration did not converge within its bounds; the message holds the last residual."""


class FeatureError(PeerJudgeError):
    """A feature of another package declares something that cannot be imported."""
