"""Failures of model calls: their types, the time limit of an attempt, and the retry policy."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from autogen_core import CancellationToken
from autogen_core.models import CreateResult
from pydantic import ValidationError

from peerjudge.clients.charges import walk_causes
from peerjudge.clients.waits import read_retry_after
from peerjudge.data import Limits
from peerjudge.data.cleaning import is_blank
from peerjudge.data.discussion import Usage
from peerjudge.errors import EmptyReplyError
from peerjudge.logs import get_logger
from peerjudge.verdicts import split_thinking

T = TypeVar("T")

_TRANSIENT_STATUS = frozenset({408, 409, 429})
_SERVER_ERROR = 500
_TRANSIENT_TYPES = frozenset(
    {
        "TimeoutError",  # the standard library's, and so asyncio's
        "ConnectionError",
        "APIConnectionError",  # openai and anthropic, their timeouts included
        "TransportError",  # httpx, its timeouts included
        "ClientConnectionError",  # aiohttp
        "MalformedReplyError",
        "BrokenOffError",
        "EmptyReplyError",
    }
)
_PERMANENT_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached"})

# Raised inside AutoGen's clients when they read a body that is not a reply.
_UNREADABLE = (
    AttributeError,
    IndexError,
    KeyError,
    RecursionError,  # JSON that is nested too deeply
    TypeError,
    UnicodeDecodeError,
    ValidationError,
    json.JSONDecodeError,
)

_FILTERED = "said nothing, as the content filter of the provider removed its reply"

MOST_SILENT = 10
"""Replies of one model in a row that end at their limit without a word; then it is not called any more."""

_log = get_logger()


class MalformedReplyError(Exception):
    """Success status with a body that is not a reply: an HTML page, a truncated body."""


class ProviderFailedError(Exception):
    """Success status with an error in the body, as routers send it when a provider fails.

    Args:
        message: The server's message.
        status: The status code in the body; `None` if there is none.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status_code = status


class OversizedReplyError(Exception):
    """Response that is larger than a reply can be; the rest of it is not read."""


class RedirectedError(Exception):
    """Redirect to another address, which is not followed. Nothing is billed."""


class BrokenOffError(ProviderFailedError):
    """Reply that the server broke off, as its finish reason or an error beside the text says."""


class ModelStoppedError(Exception):
    """Model that is not called any more, as its replies end at their limit without a word."""


class ClientCancelledError(Exception):
    """Cancellation raised by the model client itself, without a request to cancel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Number and timing of the attempts of one call, in seconds.

    The wait between attempts is what the server states (`Retry-After`, or its words), else a random time
    between 0 and `wait` doubled with each failure, at most `wait_most`: full jitter, which spreads
    simultaneous failures best (Brooker, "Exponential backoff and jitter", 2015). No wait starts
    that would pass the `deadline`, counted from the first attempt.
    """

    attempts: int = 5
    deadline: float = 600.0
    wait: float = 1.0
    wait_most: float = 30.0

    @classmethod
    def from_limits(cls, limits: Limits) -> RetryPolicy:
        """Return the policy of a card: its attempts, and their timeouts together as the deadline."""
        return cls(attempts=limits.attempts, deadline=limits.attempts * limits.timeout)

    def next_wait(self, error: Exception, *, failures: int, elapsed: float) -> float | None:
        """Return the seconds to wait after this error; `None` to give up.

        `failures` includes this one; `elapsed` is in seconds since the first attempt started.
        """
        if failures >= self.attempts or not is_transient(error):
            return None
        requested = read_retry_after(error)
        # Jitter needs no seed and no secure source: it affects neither results nor secrets.
        jitter = random.uniform(0.0, self.longest_wait(failures))  # noqa: S311
        wait = jitter if requested is None else requested
        return wait if elapsed + wait <= self.deadline else None

    def longest_wait(self, failures: int) -> float:
        """Return the upper bound of the wait after so many failures, if the server states none."""
        return min(self.wait_most, self.wait * 2.0 ** (failures - 1))


def is_transient(error: BaseException) -> bool:
    """Return whether a retry may succeed.

    That is after 408, 409, 429, 5xx, timeouts, lost connections, a body that is not a reply (as from
    a proxy), and an empty reply.

    Vendor errors are recognised by status code or type name, so no vendor library is imported.
    A used-up quota arrives as 429 and is permanent.
    """
    codes = (getattr(error, name, None) for name in ("code", "type"))
    if any(isinstance(code, str) and code in _PERMANENT_CODES for code in codes):
        return False
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return status in _TRANSIENT_STATUS or status >= _SERVER_ERROR
    return any(kind.__name__ in _TRANSIENT_TYPES for kind in type(error).__mro__)


@asynccontextmanager
async def limit_time(seconds: float | None, *, problem: str) -> AsyncGenerator[None]:
    """Limit the time of the block (`None`: no limit); a `TimeoutError` states the problem."""
    bound = asyncio.timeout(seconds)
    try:
        async with bound:
            yield
    except TimeoutError as cause:
        if not bound.expired():
            raise
        msg = f"{problem} within {seconds:g} s"
        raise TimeoutError(msg) from cause


async def guard_attempt(
    attempt: Callable[[], Awaitable[T]],
    *,
    seconds: float | None,
    token: CancellationToken | None,
    model: str,
) -> T:
    """Return the result of an attempt within a time limit (`None`: no limit); raise typed errors.

    Raises:
        TimeoutError: The attempt took too long.
        MalformedReplyError: The server's answer is not a reply.
        ClientCancelledError: The client cancelled itself.
    """
    if token is not None and token.is_cancelled():
        raise asyncio.CancelledError
    model = model or "the model"
    async with limit_time(seconds, problem=f"no reply from {model}"):
        return await _type_errors(attempt, token=token, model=model)


async def _type_errors(
    attempt: Callable[[], Awaitable[T]], *, token: CancellationToken | None, model: str
) -> T:
    try:
        return await attempt()
    except asyncio.CancelledError as cause:
        if _is_cancelling(token):
            raise
        msg = f"the client of {model} cancelled its own call"
        raise ClientCancelledError(msg) from cause
    except Exception as cause:
        # A vendor's client takes these for lost connections.
        for each in walk_causes(cause):
            if isinstance(each, OversizedReplyError | RedirectedError):
                raise each from None
        if not isinstance(cause, _UNREADABLE):
            raise
        msg = f"the answer of {model} is no reply ({type(cause).__name__}: {str(cause)[:200]})"
        raise MalformedReplyError(msg) from cause


def is_silent(result: CreateResult) -> bool:
    """Return whether a reply shows nothing, or has words of thinking only.

    Calls of tools count as words.
    """
    content = result.content
    return isinstance(content, str) and is_blank(split_thinking(content)[1])


def is_used_up(result: CreateResult) -> bool:
    """Return whether a reply ended at its limit before its first word.

    The same request under the same limit would end so again, and be paid again.
    """
    return result.finish_reason == "length" and is_silent(result)


def require_words(result: CreateResult, *, model: str, usage: Usage = Usage()) -> None:
    """Raise `EmptyReplyError` for a silent reply, with what it holds instead of words."""
    if not is_silent(result):
        return
    content = result.content if isinstance(result.content, str) else ""
    thinking = len(result.thought or "") + len(split_thinking(content)[0])
    held = [
        f"{usage.completion_tokens:,} tokens" if usage.completion_tokens else "",
        f"{usage.thinking_tokens:,} tokens of thinking" if usage.thinking_tokens else "",
        f"{thinking:,} characters of thinking" if thinking else "",
    ]
    what = "; ".join(part for part in held if part)
    what = f" (it holds {what})" if what else ""
    named = model or "the model"
    if result.finish_reason == "length":
        msg = (
            f"{named} used all its tokens before its first word{what}: raise max_tokens under "
            "[sampling]; with the same limit it is not asked again"
        )
    elif result.finish_reason == "content_filter":
        msg = f"{named} {_FILTERED}{what}"
    else:
        msg = f"{named} sent an empty reply{what}"
    raise EmptyReplyError(msg)


class SilenceLimit:
    """Limit on the replies of one model in a row that end at their limit without a word.

    Limits of different size count apart, so that calls with a higher one go on.

    Args:
        model: Name of the model, for messages.
    """

    def __init__(self, model: str) -> None:
        self._model = model or "the model"
        self._rows: dict[int, int] = {}

    def learn(self, result: CreateResult, *, most_tokens: int) -> None:
        """Count a reply below a limit of so many tokens; any words end the row."""
        row = self._rows.get(most_tokens, 0) + 1 if is_used_up(result) else 0
        self._rows[most_tokens] = row
        if row == MOST_SILENT:
            _log.warning("model stopped", model=self._model, reason=self._describe(most_tokens))

    def check(self, *, most_tokens: int) -> None:
        """Raise `ModelStoppedError` if the row below this limit is too long for another call."""
        if self._rows.get(most_tokens, 0) >= MOST_SILENT:
            msg = f"{self._model} is not called any more: {self._describe(most_tokens)}"
            raise ModelStoppedError(msg)

    def _describe(self, most_tokens: int) -> str:
        limit = f" ({most_tokens:,})" if most_tokens else ""
        return (
            f"its last {MOST_SILENT} replies used all their tokens{limit} before the first word; "
            "raise max_tokens under [sampling], or bound its thinking (reasoning_effort, "
            "thinking_tokens)"
        )


def blame_address(error: Exception) -> Exception:
    """Return the error of a model that has not replied yet, with the likely cause of a strange body."""
    if not any(kind.__name__ == MalformedReplyError.__name__ for kind in type(error).__mro__):
        return error
    return MalformedReplyError(f"{error}; is its base_url right?")


def _is_cancelling(token: CancellationToken | None) -> bool:
    task = asyncio.current_task()
    return (task is not None and task.cancelling() > 0) or (
        token is not None and token.is_cancelled()
    )
