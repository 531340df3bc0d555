"""Batches of requests at a provider, as they are recorded."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BatchState(StrEnum):
    """How far a batch has come."""

    INTENDED = "intended"
    """Recorded; the server has no batch."""
    CREATING = "creating"
    """The server may have the batch, under an unknown id."""
    SENT = "sent"
    """The server has the batch under its id."""
    ENDED = "ended"
    """All responses are stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBatch:
    """A batch: its name here (`intent`), its address, its id at the server, its time of creation."""

    intent: str
    place: str
    state: BatchState
    batch: str | None
    created: float
