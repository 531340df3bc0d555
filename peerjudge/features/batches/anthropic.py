"""Message Batches API of Anthropic, and the transport of a client whose calls it answers.

A batch has no name at the server, so the name is half of the `custom_id` of each of its requests. See
https://platform.claude.com/docs/en/build-with-claude/batch-processing.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from httpx import AsyncBaseTransport, Request, Response

from peerjudge.features.batches.api import (
    BatchApi,
    BatchRequest,
    BatchUndecidedError,
    LineResponse,
    read_json,
    require_success,
)

if TYPE_CHECKING:
    from peerjudge.features.batches.queues import BatchQueue

_KEY_LENGTH = 32
"""Hexadecimal digits of a key: the 64 characters of a `custom_id` hold a key and the name of the batch."""
_BATCHES = "messages/batches"
_PAGE = "100"
_NOT_RUN = frozenset({"expired", "canceled"})
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""Status of a single call by the type of its error; any other is 500."""


class AnthropicTransport(AsyncBaseTransport):
    """HTTP transport of an Anthropic client whose requests go out as batches."""

    def __init__(self, queue: BatchQueue) -> None:
        self._queue = queue

    async def handle_async_request(self, request: Request) -> Response:
        """Return the response to a request for a message from a batch."""
        address = str(request.url.copy_with(query=None))
        answer = await self._queue.ask(
            await request.aread(),
            place=address.removesuffix("messages"),
            headers={
                name: value
                for name, value in request.headers.items()
                if name.startswith("anthropic-")
                or name in {"authorization", "user-agent", "x-api-key"}
            },
        )
        return Response(
            answer.status,
            content=answer.body.encode(),
            headers={"content-type": "application/json"},
            request=request,
        )

    async def aclose(self) -> None:
        """Close the connections to the batch API."""
        await self._queue.close()


class AnthropicBatches(BatchApi):
    """The Message Batches API of Anthropic."""

    most_requests = 100_000
    most_bytes = 256_000_000
    timeout = 600.0

    def name_request(self, key: str) -> str:
        """Return the part of a key that names its request."""
        return key[:_KEY_LENGTH]

    async def submit(
        self, requests: Sequence[BatchRequest], *, intent: str, on_create: Callable[[], None]
    ) -> str:
        """Create a batch under a name and return its id."""
        body = b'{"requests": [' + b", ".join(_write_requests(requests, intent)) + b"]}"
        on_create()
        sent = await self._http.post(
            _BATCHES, content=body, headers={"content-type": "application/json"}
        )
        return read_json(sent)["id"]

    async def find(
        self, intent: str, *, size: int, since: float, known: Collection[str]
    ) -> str | None:
        """Return the id of the batch with this name, or `None`.

        The list has no names. A batch of this size with an unknown id is looked into once it has ended.

        Raises:
            BatchUndecidedError: Such a batch has not ended.
        """
        undecided: str | None = None
        async for batch in self._list(since):
            if batch["id"] in known or sum(batch["request_counts"].values()) != size:
                continue
            if batch["processing_status"] != "ended":
                undecided = batch["id"]
            elif await self._has_name(batch, intent):
                return batch["id"]
        if undecided is not None:
            raise BatchUndecidedError(undecided)
        return None

    async def fetch(self, batch: str) -> dict[str, LineResponse] | None:
        """Return the responses of a batch by key; `None` while it is under way.

        Requests that expired or were cancelled have no response; nor have those of an archived batch.
        """
        state = await self._get(f"{_BATCHES}/{batch}")
        if state["processing_status"] != "ended":
            return None
        if state.get("archived_at") is not None:
            return {}
        return _read_results(await self._get_lines(f"{_BATCHES}/{batch}/results"))

    async def _list(self, since: float) -> AsyncGenerator[dict[str, Any]]:
        """Yield the batches that were created after a time, newest first."""
        after: dict[str, str] = {}
        while True:
            page = await self._get(_BATCHES, limit=_PAGE, **after)
            for batch in page["data"]:
                if datetime.fromisoformat(batch["created_at"]).timestamp() < since:
                    return
                yield batch
            if not page["has_more"]:
                return
            after = {"after_id": page["last_id"]}

    async def _has_name(self, batch: Mapping[str, Any], intent: str) -> bool:
        """Return whether the requests of an ended batch have this name; its first result tells."""
        if batch.get("archived_at") is not None:
            return False
        async with self._http.stream("GET", f"{_BATCHES}/{batch['id']}/results") as response:
            if not response.is_success:
                await response.aread()
            require_success(response)
            async for line in response.aiter_lines():
                if line.strip():
                    return json.loads(line)["custom_id"][_KEY_LENGTH:] == intent
        return False


def _write_requests(requests: Iterable[BatchRequest], intent: str) -> Iterable[bytes]:
    for key, body in requests:
        yield b'{"custom_id": "' + f"{key}{intent}".encode() + b'", "params": ' + body + b"}"


def _read_results(lines: Iterable[dict[str, Any]]) -> dict[str, LineResponse]:
    responses: dict[str, LineResponse] = {}
    for found in lines:
        key, result = found["custom_id"][:_KEY_LENGTH], found["result"]
        if result["type"] == "succeeded":
            body = json.dumps(result["message"], ensure_ascii=False)
            responses[key] = LineResponse(200, body)
        elif result["type"] not in _NOT_RUN:
            error: dict[str, Any] = result.get("error") or {}
            named: dict[str, Any] = error.get("error") or {}
            status = _STATUS.get(str(named.get("type")), 500)
            responses[key] = LineResponse(status, json.dumps(error))
    return responses
