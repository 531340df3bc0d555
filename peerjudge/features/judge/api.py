"""A judge behind HTTP: `/v1/judge`, and `/v1/chat/completions` for clients of chat models."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from peerjudge.errors import DataError, PeerJudgeError
from peerjudge.features.judge.clients import Client, Clients
from peerjudge.features.judge.judgements import Judgement, JudgementCost
from peerjudge.features.judge.opened import Judge, JudgingFailedError, LimitReachedError
from peerjudge.features.judge.requests import (
    TEMPLATE,
    JudgeRequest,
    NoChoiceError,
    RequestError,
    read_chat,
    read_request,
    write_reply,
)
from peerjudge.logs import get_logger
from peerjudge.marks import escape_controls
from peerjudge.places import is_loopback
from peerjudge.web.connections import (
    BODY_SECONDS,
    MOST_BYTES,
    TooLargeError,
    TooSlowError,
    read_body,
)
from peerjudge.web.safety import name_host

MODEL = "peerjudge"
"""Name of the judge for clients of chats, beside its own."""

MOST_WAITING = 200
"""Most requests that are judged or wait for it."""

_NO_RETRY = {"x-should-retry": "false"}
"""Header by which OpenAI's clients do not send the same request again."""

_log = get_logger()


def build_judge_api(
    judge: Judge, *, clients: Clients | None, local: bool, most: int = MOST_WAITING
) -> ASGIApp:
    """Return the application that serves an open judge.

    Args:
        judge: The judge.
        clients: Those who may ask; `None` for everybody.
        local: Whether only requests to names of this machine are answered, against DNS rebinding.
        most: Requests that are judged or wait for it; more are refused at once.
    """
    desk = _Desk(judge, most)
    models = frozenset({MODEL, judge.by})

    async def judge_answers(request: Request) -> Response:
        found = await desk.judge(request, read_request(await read_body(request)))
        return JSONResponse(found.document())

    async def complete_chat(request: Request) -> Response:
        asked = read_chat(await read_body(request), models=models)
        found = await desk.judge(request, asked)
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
        exception_handlers={
            HTTPException: _answer_http_error,
            TooLargeError: _refuse_large,
            TooSlowError: _refuse_slow,
        },
    )
    return Gate(app, clients=clients, local=local)


class _Desk:
    """Counts the requests under way, and what each client has spent."""

    def __init__(self, judge: Judge, most: int) -> None:
        self._judge = judge
        self._most = most
        self._under_way = 0

    async def judge(self, request: Request, asked: JudgeRequest) -> Judgement:
        """Return the judgement that a client asks for, and book its cost.

        Raises:
            HTTPException: Too many wait already, or the client has spent its limit.
        """
        client: Client | None = request.scope.get("client_of_token")
        if client is not None and client.exhausted:
            msg = f"{client.name} has spent its limit of {client.limit:g} USD; ask for a higher one"
            raise HTTPException(429, msg)
        if self._under_way >= self._most:
            msg = f"{self._under_way} requests wait already; ask again later"
            raise HTTPException(503, msg, headers={"Retry-After": "5"})
        self._under_way += 1
        cost = JudgementCost()
        try:
            found = await self._judge.judge_comparison(asked.comparison, criteria=asked.criteria)
            cost = found.cost
        except (JudgingFailedError, LimitReachedError) as error:
            cost = error.cost
            raise
        else:
            return found
        finally:
            self._under_way -= 1
            if client is not None:
                client.spent += cost.usd or 0.0


class Gate:
    """Middleware that admits requests with a token, to this machine, and of type JSON.

    A page in a browser cannot send JSON to another origin without asking first, and is never answered
    that it may.
    """

    def __init__(self, app: ASGIApp, *, clients: Clients | None, local: bool) -> None:
        self._app = app
        self._clients = clients
        self._local = local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is not admitted, or pass it on."""
        if scope["type"] != "http":
            return
        refusal = self._refuse(scope, Headers(scope=scope))
        await (refusal or self._app)(scope, receive, send)

    def _refuse(self, scope: Scope, headers: Headers) -> Response | None:
        if self._local and not _is_local(headers.get("host", "")):
            return _error(421, "this judge answers to localhost only")
        if self._clients is not None:
            client = self._clients.find(headers.get("authorization", ""))
            if client is None:
                return _error(401, "send the token as `Authorization: Bearer TOKEN`")
            scope["client_of_token"] = client
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] == "POST" and kind != "application/json":
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
        except (HTTPException, TooLargeError, TooSlowError):
            raise
        except Exception as error:  # noqa: BLE001  one request must not end the server
            _log.error("request failed", error=f"{type(error).__name__}: {error}")
            return _error(500, "the judge has an internal error, which its log describes")

    return answer


def _build_completion(judgement: Judgement, content: str, *, model: str) -> dict[str, object]:
    """Return the chat completion; the whole judgement is its extra field `peerjudge`.

    Its usage is what this request cost: nothing for a judgement that was stored before.
    """
    cost = judgement.cost
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
        "usage": {
            "prompt_tokens": cost.tokens - cost.completion_tokens,
            "completion_tokens": cost.completion_tokens,
            "total_tokens": cost.tokens,
        },
        "peerjudge": judgement.document(),
    }


def _refuse_large(_request: Request, _cause: Exception) -> Response:
    return _error(413, f"a request has at most {MOST_BYTES:,} bytes")


def _refuse_slow(_request: Request, _cause: Exception) -> Response:
    return _error(408, f"the request did not arrive in {BODY_SECONDS:g} s")


def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  the handler is for this type
    return _error(error.status_code, error.detail, headers=error.headers)


def _error(
    status: int, message: str, *, template: bool = False, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    error: dict[str, object] = {
        "message": escape_controls(message),
        "type": "invalid_request_error" if status < 500 else "server_error",
        "code": str(status),
    }
    if template:
        error["template"] = TEMPLATE
    # What passes by itself may be sent again; anything else would be refused again.
    return JSONResponse({"error": error}, status, headers=headers or _NO_RETRY)


def _is_local(host: str) -> bool:
    """Return whether a Host header, with or without a port, names this machine."""
    return is_loopback(name_host(host).strip("[]"))
