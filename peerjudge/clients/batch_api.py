"""Interfaces of a provider's batch API and of the record of batches, and the errors of both."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from peerjudge.data.batches import BatchState, StoredBatch


class BatchRequest(NamedTuple):
    """Request of a batch: the key that names it, and its JSON body as a single call sends it."""

    key: str
    body: bytes


@dataclass(frozen=True, slots=True)
class LineResponse:
    """Response to one request of a batch."""

    status: int
    body: str


class BatchRefusedError(Exception):
    """The server refused a request of the batch API with this status and body."""

    def __init__(self, status: int, body: str) -> None:
        super().__init__(f"the batch API answered {status}: {body[:500]}")
        self.status_code = status
        self.body = body


class BatchFailedError(BatchRefusedError):
    """The server rejected all requests of a batch that it had created."""


class BatchUndecidedError(Exception):
    """A batch at the server may be the one that is looked for; its requests show once it has ended."""

    def __init__(self, batch: str) -> None:
        super().__init__(f"batch {batch} may be the one whose id was lost")
        self.batch = batch


class BatchApi(Protocol):
    """Batch API at one address."""

    @property
    def most_requests(self) -> int:
        """Return the most requests of a batch."""
        ...

    @property
    def most_bytes(self) -> int:
        """Return the most bytes of the requests of a batch."""
        ...

    def name_request(self, key: str) -> str:
        """Return the key under which a request is recorded and sent."""
        ...

    async def submit(
        self, requests: Sequence[BatchRequest], *, intent: str, on_create: Callable[[], None]
    ) -> str:
        """Create a batch under a name and return its id.

        `on_create` is called right before the request after which the server may have the batch.
        """
        ...

    async def find(
        self, intent: str, *, size: int, since: float, known: Collection[str]
    ) -> str | None:
        """Return the id of the batch with this name, or `None` if the server does not list it.

        Args:
            intent: Name of the batch.
            size: Number of its requests.
            since: Earliest time of its creation. [s since 1970]
            known: Ids of batches with other names.

        Raises:
            BatchUndecidedError: The server cannot tell yet.
        """
        ...

    async def fetch(self, batch: str) -> Mapping[str, LineResponse] | None:
        """Return the responses of a batch by key; `None` while it is under way.

        Requests that did not run before the batch expired or was cancelled have no response.
        """
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class BatchRecord(Protocol):
    """Durable record of batches and their requests; see `peerjudge.store.batches.Batches`."""

    def intend(self, intent: str, keys: Iterable[str], *, place: str, created: float) -> None:
        """Record a batch of the requests with these keys, before anything is sent."""
        ...

    def advance(self, intent: str, state: BatchState, *, batch: str | None = None) -> None:
        """Record the state of a batch, and its id once it is known."""
        ...

    def end(self, intent: str, responses: Mapping[str, str]) -> None:
        """Store the responses of a batch that has ended; forget its requests without any."""
        ...

    def drop(self, intent: str) -> None:
        """Forget a batch that the server does not have."""
        ...

    def forget(self, key: str) -> None:
        """Forget the response of a request that is sent again."""
        ...

    def find(self, key: str) -> tuple[StoredBatch, str | None] | None:
        """Return the batch of a request, and its response if the batch has ended; else `None`."""
        ...

    def count(self, intent: str) -> int:
        """Return the number of requests of a batch that has not ended."""
        ...

    def list_ids(self, place: str) -> Collection[str]:
        """Return the known ids of the batches at an address."""
        ...
