"""Batch API of OpenAI (files, batches and their result lines), and the transport of a client that uses it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from httpx2 import AsyncBaseTransport, AsyncClient, Request, Response

from peerjudge.clients.batch_api import (
    BatchFailedError,
    BatchRefusedError,
    BatchRequest,
    LineResponse,
)

if TYPE_CHECKING:
    from peerjudge.clients.batching import BatchQueue

_MOST_REQUESTS = 50_000
_MOST_BYTES = 200_000_000
"""Limits of one input file: https://platform.openai.com/docs/guides/batch."""

_INTENT = "peerjudge"
"""Key of the metadata of a batch that holds its name here."""
_PAGE = 100
_ENDED = frozenset({"completed", "expired", "cancelled", "failed"})
_NOT_RUN = frozenset({"batch_expired", "batch_cancelled"})
_TIMEOUT = 120.0


class OpenAITransport(AsyncBaseTransport):
    """HTTP transport of an OpenAI client whose requests go out as batches."""

    def __init__(self, queue: BatchQueue) -> None:
        self._queue = queue

    async def handle_async_request(self, request: Request) -> Response:
        """Return the response to a chat request from a batch."""
        answer = await self._queue.ask(
            await request.aread(),
            place=str(request.url).removesuffix("chat/completions"),
            headers={
                name: value
                for name, value in request.headers.items()
                if name.startswith("openai-") or name in {"authorization", "user-agent", "api-key"}
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


class OpenAIBatches:
    """The batch API at one address, with the headers of the requests that go into its batches.

    Args:
        base: Address of the API, such as `https://api.openai.com/v1/`.
        headers: Headers with the key.
    """

    most_requests = _MOST_REQUESTS
    most_bytes = _MOST_BYTES

    def __init__(self, base: str, headers: Mapping[str, str]) -> None:
        self._http = AsyncClient(base_url=base, headers=dict(headers), timeout=_TIMEOUT)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    def name_request(self, key: str) -> str:
        """Return the key, which names its request."""
        return key

    async def submit(
        self, requests: Sequence[BatchRequest], *, intent: str, on_create: Callable[[], None]
    ) -> str:
        """Upload the input file of a batch, create the batch under a name, and return its id."""
        lines = b"".join(_write_line(request) for request in requests)
        file = ("peerjudge.jsonl", lines, "application/jsonl")
        sent = await self._http.post("files", files={"file": file}, data={"purpose": "batch"})
        body = {
            "input_file_id": _read(sent)["id"],
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "metadata": {_INTENT: intent},
        }
        on_create()
        return _read(await self._http.post("batches", json=body))["id"]

    async def find(
        self,
        intent: str,
        *,
        size: int,
        since: float,
        known: Collection[str],
    ) -> str | None:
        """Return the id of the batch with this name, created after a time in seconds, or `None`."""
        after: dict[str, str] = {}
        while True:
            page = _read(await self._http.get("batches", params={"limit": str(_PAGE), **after}))
            for batch in page["data"]:
                metadata: dict[str, str] = batch.get("metadata") or {}
                if metadata.get(_INTENT) == intent:
                    return batch["id"]
            # Newest first.
            old = bool(page["data"]) and page["data"][-1]["created_at"] < since
            if old or not page.get("has_more"):
                return None
            after = {"after": page["data"][-1]["id"]}

    async def fetch(self, batch: str) -> dict[str, LineResponse] | None:
        """Return the responses of a batch by key; `None` while it is under way.

        Requests that did not run before the batch expired or was cancelled have no response.
        """
        state = _read(await self._http.get(f"batches/{batch}"))
        if state["status"] not in _ENDED:
            return None
        responses: dict[str, LineResponse] = {}
        for name in ("output_file_id", "error_file_id"):
            if state.get(name):
                found = await self._http.get(f"files/{state[name]}/content")
                _require_success(found)
                responses |= _read_lines(found.content)
        if state["status"] == "failed" and not responses:
            raise BatchFailedError(400, _describe_failure(state))
        return responses


def _write_line(request: BatchRequest) -> bytes:
    """Return the line of an input file for a request."""
    head = json.dumps({"custom_id": request.key, "method": "POST", "url": "/v1/chat/completions"})
    return head[:-1].encode() + b', "body": ' + request.body + b"}\n"


def _read_lines(content: bytes) -> dict[str, LineResponse]:
    responses: dict[str, LineResponse] = {}
    for line in content.splitlines():
        if not line.strip():
            continue
        result: dict[str, Any] = json.loads(line)
        response, error = result.get("response"), result.get("error")
        if response is not None:
            body = json.dumps(response["body"], ensure_ascii=False)
            responses[result["custom_id"]] = LineResponse(response["status_code"], body)
        elif error is not None and error.get("code") not in _NOT_RUN:
            responses[result["custom_id"]] = LineResponse(500, json.dumps({"error": error}))
    return responses


def _describe_failure(state: Mapping[str, Any]) -> str:
    errors: dict[str, list[dict[str, Any]]] = state.get("errors") or {}
    problems = errors.get("data") or []
    said = "; ".join(str(problem.get("message") or problem.get("code")) for problem in problems[:3])
    error = {"message": f"the batch failed: {said or 'the server gives no reason'}"}
    return json.dumps({"error": error})


def _read(response: Response) -> dict[str, Any]:
    _require_success(response)
    return response.json()


def _require_success(response: Response) -> None:
    if not response.is_success:
        raise BatchRefusedError(response.status_code, response.text)
