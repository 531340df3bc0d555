"""The mistakes a caller can make, each with the sentence that fixes it.

Only mistakes raise. What a *model* does wrong (an unreadable reply, a refusal, a call that fails
for good) is data and lives in `peerjudge.data`.
"""

from __future__ import annotations

__all__ = [
    "CardError",
    "ConvergenceError",
    "DataError",
    "ExperimentError",
    "PeerJudgeError",
    "PromptError",
    "ProtocolError",
    "ShelfError",
    "StoreError",
]


class PeerJudgeError(Exception):
    """Base of every error that PeerJudge raises on purpose; the command line exits with 2 on it."""


class DataError(PeerJudgeError):
    """A question, answer, review or file breaks the rules of its noun; names the file and line."""


class CardError(PeerJudgeError):
    """A reviewer card cannot work: unknown field, missing key, a name AutoGen would refuse."""


class PromptError(PeerJudgeError):
    """A prompt pack lacks a part, or its template does what the sandbox forbids."""


class ProtocolError(PeerJudgeError):
    """A protocol breaks its contract, or is given seats, answers or options it cannot take."""


class ShelfError(PeerJudgeError):
    """A name is on no shelf, or a shelf file does not load."""


class ExperimentError(PeerJudgeError):
    """An experiment names what does not exist, or a setting that nothing in it takes."""


class StoreError(PeerJudgeError):
    """A run folder or store cannot be opened, is in use, or was written by another version."""


class ConvergenceError(PeerJudgeError):
    """An iteration did not settle within its bounds; carries how far it got in its message."""
