"""A judge behind HTTP: `/v1/judge`, and `/v1/chat/completions` for clients of chat models."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from peerjudge.errors import DataError, PeerJudgeError
from peerjudge.features.judge.judgements import Judgement
from peerjudge.features.judge.opened import Judge, JudgingFailedError, LimitReachedError
from peerjudge.features.judge.requests import (
    TEMPLATE,
    NoChoiceError,
    RequestError,
    read_chat,
    read_request,
    write_reply,
)
from peerjudge.logs import get_logger
from peerjudge.marks import escape_controls
from peerjudge.places import is_loopback
from peerjudge.web.safety import name_host

MOST_BYTES = 1_000_000
"""Largest request. [bytes]"""
MODEL = "peerjudge"
"""Name of the judge for clients of chats, beside its own."""

_BODY_SECONDS = 30.0
_NO_RETRY = {"x-should-retry": "false"}
"""Header by which OpenAI's clients do not send the same request again."""

_log = get_logger()


def build_judge_api(judge: Judge, *, token: str | None, local: bool) -> ASGIApp:
    """Return the application that serves an open judge.

    Args:
        judge: The judge.
        token: Token that each request must bear; `None` for none.
        local: Whether only requests to names of this machine are answered, against DNS rebinding.
    """
    models = frozenset({MODEL, judge.by})

    async def judge_answers(request: Request) -> Response:
        asked = read_request(await _read_body(request))
        found = await judge.judge_comparison(asked.comparison, criteria=asked.criteria)
        return JSONResponse(found.document())

    async def complete_chat(request: Request) -> Response:
        asked = read_chat(await _read_body(request), models=models)
        found = await judge.judge_comparison(asked.comparison, criteria=asked.criteria)
        content = write_reply(found, asked.reply)
        return JSONResponse(_build_completion(found, content, model=judge.by))

    async def list_models(request: Request) -> Response:
        entries = [{"id": name, "object": "model", "owned_by": "peerjudge"} for name in models]
        return JSONResponse({"object": "list", "data": entries})

    app = Starlette(
        routes=[
            Route("/v1/judge", _answer_errors(judge_answers), methods=["POST"]),
            Route("/v1/chat/completions", _answer_errors(complete_chat), methods=["POST"]),
            Route("/v1/models", list_models, methods=["GET"]),
        ],
        exception_handlers={HTTPException: _answer_http_error},
    )
    return Gate(app, token=token, local=local)


class Gate:
    """Middleware that admits requests with the token, to this machine, and of type JSON.

    A page in a browser cannot send JSON to another origin without asking first, and is never answered
    that it may.
    """

    def __init__(self, app: ASGIApp, *, token: str | None, local: bool) -> None:
        self._app = app
        self._token = None if token is None else f"Bearer {token}".encode()
        self._local = local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is not admitted, or pass it on."""
        if scope["type"] != "http":
            return
        refusal = self._refuse(scope["method"], Headers(scope=scope))
        await (refusal or self._app)(scope, receive, send)

    def _refuse(self, method: str, headers: Headers) -> Response | None:
        if self._local and not _is_local(headers.get("host", "")):
            return _error(421, "this judge answers to localhost only")
        if self._token is not None:
            given = headers.get("authorization", "").encode("utf-8", "surrogateescape")
            if not secrets.compare_digest(given, self._token):
                return _error(401, "send the token as `Authorization: Bearer TOKEN`")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if method == "POST" and kind != "application/json":
            return _error(415, "send JSON with `Content-Type: application/json`")
        return None


def _answer_errors(
    handle: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            return await handle(request)
        except NoChoiceError as error:
            return _error(422, str(error))
        except LimitReachedError as error:
            return _error(429, str(error))
        except JudgingFailedError as error:
            return _error(502, str(error))
        except (RequestError, DataError) as error:
            return _error(400, f"{error}; send one JSON object", template=True)
        except PeerJudgeError as error:
            return _error(400, str(error), template=True)
        except HTTPException:
            raise
        except Exception as error:  # noqa: BLE001  one request must not end the server
            _log.error("request failed", error=f"{type(error).__name__}: {error}")
            return _error(500, "the judge has an internal error, which its log describes")

    return answer


async def _read_body(request: Request) -> bytes:
    """Return the body; raises `HTTPException` for one that is too large, or does not arrive in time."""
    size = request.headers.get("content-length", "0")
    parts: list[bytes] = []
    read = 0
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            if size.isdecimal() and int(size) > MOST_BYTES:
                raise HTTPException(413, f"a request has at most {MOST_BYTES:,} bytes")
            async for part in request.stream():
                read += len(part)
                if read > MOST_BYTES:
                    raise HTTPException(413, f"a request has at most {MOST_BYTES:,} bytes")
                parts.append(part)
    except TimeoutError as cause:
        raise HTTPException(408, f"the request did not arrive in {_BODY_SECONDS:g} s") from cause
    return b"".join(parts)


def _build_completion(judgement: Judgement, content: str, *, model: str) -> dict[str, object]:
    """Return the chat completion; the whole judgement is its extra field `peerjudge`."""
    return {
        "id": f"chatcmpl-{judgement.discussions[0]}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content},
                "finish_reason": "stop",
                "logprobs": None,
            }
        ],
        "peerjudge": judgement.document(),
    }


def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  the handler is for this type
    return _error(error.status_code, error.detail)


def _error(status: int, message: str, *, template: bool = False) -> JSONResponse:
    error: dict[str, object] = {
        "message": escape_controls(message),
        "type": "invalid_request_error" if status < 500 else "server_error",
        "code": str(status),
    }
    if template:
        error["template"] = TEMPLATE
    return JSONResponse({"error": error}, status, headers=_NO_RETRY)


def _is_local(host: str) -> bool:
    """Return whether a Host header, with or without a port, names this machine."""
    return is_loopback(name_host(host).strip("[]"))
