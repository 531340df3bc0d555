"""Interface of a provider's batch API, and its errors."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, cast

from httpx2 import AsyncClient, Response

from peerjudge.clients.cleaning import Redaction

_KEY_HEADERS = frozenset({"authorization", "x-api-key", "api-key"})


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


class BatchApi(ABC):
    """Batch API at one address, with the headers of the requests that go into its batches.

    Args:
        base: Address of the API, such as `https://api.openai.com/v1/`.
        headers: Headers with the key.
    """

    most_requests: ClassVar[int]
    """The most requests of a batch."""
    most_bytes: ClassVar[int]
    """The most bytes of the requests of a batch."""
    timeout: ClassVar[float]
    """Time limit of a request to the API. [s]"""

    def __init__(self, base: str, headers: Mapping[str, str]) -> None:
        self._http = AsyncClient(base_url=base, headers=dict(headers), timeout=self.timeout)
        keys = [value for name, value in headers.items() if name.lower() in _KEY_HEADERS]
        self._redaction = Redaction([key.removeprefix("Bearer ") for key in keys])

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    def name_request(self, key: str) -> str:
        """Return the key under which a request is recorded and sent."""
        return key

    @abstractmethod
    async def submit(
        self, requests: Sequence[BatchRequest], *, intent: str, on_create: Callable[[], None]
    ) -> str:
        """Create a batch under a name and return its id.

        `on_create` is called right before the request after which the server may have the batch.
        """

    @abstractmethod
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

    @abstractmethod
    async def fetch(self, batch: str) -> Mapping[str, LineResponse] | None:
        """Return the responses of a batch by key; `None` while it is under way.

        Requests that did not run before the batch expired or was cancelled have no response.
        """

    async def _get(self, address: str, **params: str) -> dict[str, Any]:
        """Return the JSON at an address."""
        return read_json(await self._http.get(address, params=params))

    async def _get_lines(self, address: str) -> list[dict[str, Any]]:
        """Return the JSON of the lines at an address, without the key, which some servers repeat."""
        found = await self._http.get(address)
        require_success(found)
        lines = [json.loads(line) for line in found.content.splitlines() if line.strip()]
        return cast("list[dict[str, Any]]", self._redaction.redact(lines))


def read_json(response: Response) -> dict[str, Any]:
    """Return the JSON of a response."""
    require_success(response)
    return response.json()


def require_success(response: Response) -> None:
    """Raise `BatchRefusedError` for an error status."""
    if not response.is_success:
        raise BatchRefusedError(response.status_code, response.text)
