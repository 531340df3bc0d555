"""Batch API of OpenAI (files, batches and their result lines), and the transport of a client that uses it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from httpx2 import AsyncBaseTransport, Request, Response

from peerjudge.features.batches.api import (
    BatchApi,
    BatchFailedError,
    BatchRequest,
    LineResponse,
    read_json,
)

if TYPE_CHECKING:
    from peerjudge.features.batches.queues import BatchQueue

_INTENT = "peerjudge"
"""Key of the metadata of a batch that holds its name here."""
_PAGE = "100"
_ENDED = frozenset({"completed", "expired", "cancelled", "failed"})
_NOT_RUN = frozenset({"batch_expired", "batch_cancelled"})


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


class OpenAIBatches(BatchApi):
    """The batch API of OpenAI; the limits are those of one input file.

    See https://platform.openai.com/docs/guides/batch.
    """

    most_requests = 50_000
    most_bytes = 200_000_000
    timeout = 120.0

    async def submit(
        self, requests: Sequence[BatchRequest], *, intent: str, on_create: Callable[[], None]
    ) -> str:
        """Upload the input file of a batch, create the batch under a name, and return its id."""
        lines = b"".join(_write_line(request) for request in requests)
        file = ("peerjudge.jsonl", lines, "application/jsonl")
        sent = await self._http.post("files", files={"file": file}, data={"purpose": "batch"})
        body = {
            "input_file_id": read_json(sent)["id"],
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "metadata": {_INTENT: intent},
        }
        on_create()
        return read_json(await self._http.post("batches", json=body))["id"]

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
            page = await self._get("batches", limit=_PAGE, **after)
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
        state = await self._get(f"batches/{batch}")
        if state["status"] not in _ENDED:
            return None
        responses: dict[str, LineResponse] = {}
        for name in ("output_file_id", "error_file_id"):
            if state.get(name):
                lines = await self._get_lines(f"files/{state[name]}/content")
                responses |= _read_results(lines)
        if state["status"] == "failed" and not responses:
            raise BatchFailedError(400, _describe_failure(state))
        return responses


def _write_line(request: BatchRequest) -> bytes:
    """Return the line of an input file for a request."""
    head = json.dumps({"custom_id": request.key, "method": "POST", "url": "/v1/chat/completions"})
    return head[:-1].encode() + b', "body": ' + request.body + b"}\n"


def _read_results(lines: Iterable[dict[str, Any]]) -> dict[str, LineResponse]:
    responses: dict[str, LineResponse] = {}
    for result in lines:
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
