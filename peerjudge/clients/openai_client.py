"""OpenAI client that posts plain prompts directly and leaves all others to AutoGen's client.

AutoGen's client takes about 1.4 ms of processor time per call. The openai SDK on aiohttp (its
`DefaultAioHttpClient`) halves that; most of the rest is validation of every message and reply field
against all their types. A prompt of plain texts needs none of it, so it goes out as JSON through the
same HTTP client. `benchmarks/http.py` measures it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from inspect import signature
from os import environ
from typing import TYPE_CHECKING, Any, cast

from autogen_core import EVENT_LOGGER_NAME, ComponentModel
from autogen_core.logging import LLMCallEvent
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionTokenLogprob,
    CreateResult,
    FinishReasons,
    ModelFamily,
    RequestUsage,
    SystemMessage,
    TopLogprob,
    UserMessage,
)
from autogen_ext.models.openai import OpenAIChatCompletionClient
from httpx2 import create_ssl_context
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    InternalServerError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    UnprocessableEntityError,
)
from openai.types.chat.completion_create_params import CompletionCreateParamsBase

from peerjudge.clients.calls import CallRequest, ClientProxy, PieceSink
from peerjudge.clients.charges import note_charge
from peerjudge.clients.responses import (
    GuardedAioClient,
    GuardedHttpClient,
    find_message,
    read_reply,
)
from peerjudge.clients.retry import (
    BrokenOffError,
    MalformedReplyError,
    OversizedReplyError,
    ProviderFailedError,
    RedirectedError,
)
from peerjudge.clients.tokens import ReportedUsage, add_usage
from peerjudge.data.cleaning import clean_count

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import AsyncBaseTransport, Request, Response

_BODY_SETTINGS = frozenset(CompletionCreateParamsBase.__annotations__)
_SDK_SETTINGS = frozenset(signature(AsyncOpenAI.__init__).parameters)

_STREAM = "stream"

# AutoGen's names of finish reasons; any other is "unknown".
_FINISH_REASONS: Mapping[str, FinishReasons] = {
    "stop": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
}
# Finish reasons of a reply that is not complete, by which servers and routers say that they failed.
_BROKEN_OFF = re.compile(r"error|fail|abort|cancel|interrupt|insufficient|unavailable|time_?out")

_STATUS_ERRORS: Mapping[int, type[APIStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableEntityError,
    429: RateLimitError,
}
_SERVER_ERROR = 500

_SHOWN = 200
"""Characters of a broken reply that an error shows."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode

_events = logging.getLogger(EVENT_LOGGER_NAME)


class OpenAIClient(ClientProxy):
    """`OpenAIChatCompletionClient` with a direct path for plain prompts.

    Request bodies, results and errors equal AutoGen's, with some exceptions: the text of a refusal,
    which arrives in a field of its own, is the reply, the texts of a list of parts are joined, a stream is
    read whether it was asked for or not, and a reply that the server broke off is an error.
    Prompts with images or tools, with several system messages, or with `json_output`, and all streams go
    through AutoGen's client. Its component form is that of AutoGen's client.

    Args:
        settings: Settings of AutoGen's client, `timeout` included, and `stream` for models that only stream.
        transport: HTTP transport; by default that of aiohttp.
        query: Query parameters of every request.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        *,
        transport: AsyncBaseTransport | None = None,
        query: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._http = (
            GuardedAioClient(
                timeout=settings["timeout"],
                params=[*query],
                verify=_load_certificates(
                    environ.get("SSL_CERT_FILE"), environ.get("SSL_CERT_DIR")
                ),
            )
            if transport is None
            else GuardedHttpClient(timeout=settings["timeout"], transport=transport)
        )
        given: dict[str, Any] = {**settings, "http_client": self._http}
        streams: bool = given.pop(_STREAM, False)
        self._streams = streams
        super().__init__(OpenAIChatCompletionClient(**given))
        sdk = AsyncOpenAI(**{name: given[name] for name in given if name in _SDK_SETTINGS})
        # Set once on the HTTP client instead of on each request, and without the SDK's telemetry.
        headers = {**sdk.auth_headers, **sdk.default_headers}
        self._http.headers.update(
            {
                name: value
                for name, value in headers.items()
                if isinstance(value, str) and not name.startswith("X-Stainless-")
            }
        )
        self._url = sdk.base_url.join("chat/completions")
        self._body = {k: v for k, v in settings.items() if k in _BODY_SETTINGS} | {_STREAM: streams}
        if streams:
            self._body.setdefault("stream_options", {"include_usage": True})
        self._extra_body = dict(settings.get("extra_body") or {})
        self._merges_system = not settings["model_info"].get("multiple_system_messages", False)
        self._usage = RequestUsage(prompt_tokens=0, completion_tokens=0)
        # With these settings AutoGen changes messages or replies.
        self._needs_autogen = (
            settings.get("add_name_prefixes", False)
            or settings.get("include_name_in_message", True)
            or settings["model_info"]["family"] == ModelFamily.R1
            or str(settings["model"]).startswith("claude-")
            or isinstance(settings.get("response_format"), type)
        )

    async def reply(self, request: CallRequest) -> CreateResult:
        """Return the reply to a request.

        Raises:
            MalformedReplyError: The model called a function although no tools were given.
            ProviderFailedError: The body of a success holds an error.
            openai.APIError: As the SDK raises it.
            LookupError, TypeError, ValueError: The body is not a reply.
        """
        body = self._plain_body(request)
        if body is None:
            return await self._send_to_autogen(request)
        if request.token is None:
            return self._read(body, await self._post(body))
        post = asyncio.ensure_future(self._post(body))
        request.token.link_future(post)
        return self._read(body, await post)

    async def _send_to_autogen(self, request: CallRequest) -> CreateResult:
        streams = request.extra.get(_STREAM, self._streams)
        extra = {name: value for name, value in request.extra.items() if name != _STREAM}
        # Without a receiver of its pieces, the stream is put together here.
        pieces = request.pieces or (PieceSink(list[str]().append) if streams else None)
        return await replace(request, extra=extra, pieces=pieces).send(self.inner)

    def actual_usage(self) -> RequestUsage:
        """Return the tokens of all replies."""
        return add_usage(self.inner.actual_usage(), self._usage)

    def total_usage(self) -> RequestUsage:
        """Return the tokens of all replies."""
        return add_usage(self.inner.total_usage(), self._usage)

    def dump_component(self) -> ComponentModel:
        """Return the component form of AutoGen's client."""
        return self.inner.dump_component()

    def _plain_body(self, request: CallRequest) -> dict[str, Any] | None:
        """Return the body of a request of plain texts; `None` for any other request."""
        extra_body = request.extra.get("extra_body", self._extra_body)
        given = {name: value for name, value in request.extra.items() if name != "extra_body"}
        typed = isinstance(given.get("response_format"), type)
        if request.tools or request.json_output is not None or request.pieces is not None:
            return None
        if self._needs_autogen or typed or not given.keys() <= _BODY_SETTINGS | {_STREAM}:
            return None
        plain: list[dict[str, str]] = []
        for place, message in enumerate(request.messages):
            content = message.content
            if not isinstance(content, str) or not content.strip():
                return None
            if isinstance(message, SystemMessage) and place == 0:
                # AutoGen merges system messages, which strips spaces at the end.
                text = content.rstrip() if self._merges_system else content
                plain.append({"role": "system", "content": text})
            elif isinstance(message, UserMessage):
                plain.append({"role": "user", "content": content})
            elif isinstance(message, AssistantMessage) and not message.thought:
                plain.append({"role": "assistant", "content": content})
            else:
                return None
        return {**self._body, **given, "messages": plain, **extra_body}

    async def _post(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Post a body and return the JSON of the reply of any content type, also of a stream."""
        content = _encode(body).encode()
        try:
            response = await self._http.post(self._url, content=content)
        except (OversizedReplyError, RedirectedError):
            raise
        except Exception as error:
            raise _connection_error(error, self._http.build_request("POST", self._url)) from error
        if not response.is_success:
            raise _status_error(response)
        return read_reply(response.content, content_type=response.headers.get("content-type", ""))

    def _read(self, body: Mapping[str, Any], reply: dict[str, Any]) -> CreateResult:
        usage = _read_usage(reply.get("usage"))
        self._usage = add_usage(self._usage, usage)
        if _events.isEnabledFor(logging.INFO):
            _events.info(
                LLMCallEvent(
                    messages=body["messages"],
                    response=reply,
                    prompt_tokens=usage.prompt_tokens,
                    completion_tokens=usage.completion_tokens,
                )
            )
        try:
            return self._interpret(body, reply, usage)
        except Exception as error:
            note_charge(error, usage)
            raise

    def _interpret(
        self, body: Mapping[str, Any], reply: dict[str, Any], usage: RequestUsage
    ) -> CreateResult:
        error: object = reply.get("error")
        if error and not reply.get("choices"):
            raise _provider_error(error)
        choice: dict[str, Any] = reply["choices"][0]
        reason = str(choice.get("finish_reason") or "").lower()
        said: Any = _join_parts(_entry(choice.get("message"), "content", None), "text")
        error = error or choice.get("error")
        if error or _BROKEN_OFF.search(reason):
            raise _broken_off(error, reason, said)
        message: dict[str, Any] = choice["message"]
        if message.get("tool_calls") or message.get("function_call"):
            msg = f"{body['model']} called a function, though it was given none"
            raise MalformedReplyError(msg)
        return CreateResult(
            finish_reason=_FINISH_REASONS.get(reason, "unknown"),
            content=said or message.get("refusal") or "",
            usage=usage,
            cached=False,
            logprobs=_read_logprobs(choice.get("logprobs")),
            thought=_read_thinking(message),
        )


@cache
def _load_certificates(file: str | None, folder: str | None) -> SSLContext:
    """Return the trusted certificates, which take longer to load than all else of a client.

    The arguments are the environment variables that decide which these are.
    """
    return create_ssl_context()


def _connection_error(error: Exception, request: Request) -> APIConnectionError:
    """Return the SDK's error for a lost connection, with the cause in its message.

    The transport raises a timeout for every connection that ends early; the cause of that shows
    whether it was one.
    """
    cause = error.__cause__
    is_timeout = any(kind.__name__ == "TimeoutException" for kind in type(error).__mro__)
    if is_timeout and (cause is None or isinstance(cause, TimeoutError)):
        return APITimeoutError(request=request)
    return APIConnectionError(message=f"Connection error: {cause or error}", request=request)


def _status_error(response: Response) -> APIStatusError:
    """Return the error that the SDK raises for this response."""
    status, text = response.status_code, response.text.strip()
    body: object = text
    with suppress(ValueError):
        body = json.loads(text)
    # Google sends the table of an error in a list.
    first = next(iter(cast("list[object]", body)), None) if isinstance(body, list) else body
    body = _entry(first, "error", cast("object", body))
    said = find_message(body)
    message = f"Error code: {status}" + (f" - {said}" if said else "")
    server_error = InternalServerError if status >= _SERVER_ERROR else APIStatusError
    kind = _STATUS_ERRORS.get(status, server_error)
    return kind(message, response=response, body=body)


def _provider_error(error: object) -> ProviderFailedError:
    """Return the error in a reply: its message, and the status code it names."""
    return ProviderFailedError(
        f"the server answered with an error: {find_message(error)}", status=_read_status(error)
    )


def _broken_off(error: object, reason: str, said: object) -> BrokenOffError:
    """Return the error of a reply that the server broke off, with the beginning of its text."""
    finish = f"finish reason {reason!r}" if reason else ""
    cause = ", ".join(filter(None, (finish, find_message(error))))
    text = f"; its text so far: {said[:_SHOWN]!r}" if isinstance(said, str) and said else ""
    return BrokenOffError(
        f"the server broke off its reply ({cause}){text}", status=_read_status(error)
    )


def _read_status(error: object) -> int | None:
    """Return the status code that an error names."""
    code = _entry(error, "code", None)
    if isinstance(code, str) and code.isdecimal():
        code = int(code)
    return clean_count(code) or None


def _join_parts(content: object, kind: str) -> Any:  # noqa: ANN401  a server may send anything
    """Return the texts of the parts of one kind; content that is no list is all text."""
    if not isinstance(content, list):
        return content if kind == "text" else ""
    parts = [part for part in cast("list[object]", content) if _entry(part, "type", "text") == kind]
    # The thinking of a part may be a list of texts in turn.
    texts = [part if isinstance(part, str) else _entry(part, kind, "") for part in parts]
    texts = [_join_parts(text, "text") for text in texts]
    return "".join(text for text in texts if isinstance(text, str))


def _read_thinking(message: Mapping[str, Any]) -> str | None:
    """Return the thinking of a reply, in a field that has two names or a part; `None` without any."""
    named = [message.get(name) for name in ("reasoning_content", "reasoning")]
    named.append(_join_parts(message.get("content"), "thinking"))
    return next((text for text in named if isinstance(text, str) and text), None)


def _read_usage(counted: object) -> RequestUsage:
    """Return the tokens as the server counted them; 0, for an estimate, if a count is impossible."""
    counts = cast("dict[str, object]", counted) if isinstance(counted, dict) else {}
    values = [clean_count(counts.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")]
    # Of an impossible count, the other one is doubtful too.
    prompt, reply = (value or 0 if None not in values else 0 for value in values)
    details = counts.get("completion_tokens_details")
    named = cast("dict[str, object]", details) if isinstance(details, dict) else {}
    if thinking := clean_count(named.get("reasoning_tokens")):
        return ReportedUsage(prompt, reply, thinking)
    return RequestUsage(prompt_tokens=prompt, completion_tokens=reply)


def _read_logprobs(given: object) -> list[ChatCompletionTokenLogprob] | None:
    """Return the log-probabilities in the `logprobs` of a choice; `None` where they are none."""
    tokens = cast("dict[str, object]", given).get("content") if isinstance(given, dict) else None
    if not tokens:
        return None
    try:
        return [_read_token(token) for token in cast("list[dict[str, Any]]", tokens)]
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _read_token(token: Mapping[str, Any]) -> ChatCompletionTokenLogprob:
    return ChatCompletionTokenLogprob(
        token=token["token"],
        logprob=token["logprob"],
        top_logprobs=[
            TopLogprob(logprob=top["logprob"], bytes=_read_bytes(top))
            for top in token.get("top_logprobs") or ()
        ],
        bytes=token.get("bytes"),
    )


def _read_bytes(token: Mapping[str, Any]) -> list[int] | None:
    """Return the bytes of an alternative, its only name in AutoGen; llama.cpp sends just the text."""
    given, text = token.get("bytes"), token.get("token")
    if given is not None or not text:
        return given
    return list(text.encode(errors="surrogatepass"))


def _entry(body: object, name: str, otherwise: object) -> object:
    """Return an entry of a body that may be anything."""
    if not isinstance(body, dict):
        return otherwise
    return cast("dict[str, object]", body).get(name, otherwise)
