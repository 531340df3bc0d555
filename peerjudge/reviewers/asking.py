"""Reviewer that asks an AutoGen agent or team for one reply per cue."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from peerjudge.clients import Billing
from peerjudge.clients.retry import RetryPolicy, limit_time
from peerjudge.clients.tokens import estimate_tokens
from peerjudge.data import InnerMessage, Message, Request, Sampling, Usage, Utterance, replace
from peerjudge.data.cleaning import is_blank
from peerjudge.errors import EmptyReplyError
from peerjudge.logs import get_logger
from peerjudge.reviewers.messages import bill_turn, flatten_prompt

TURN_TIMEOUT = 600.0
"""Seconds that one turn may take."""

MOST_MESSAGES = 100
"""Largest number of messages that are kept of one turn."""

MOST_CHARACTERS = 8_000
"""Largest number of characters that are kept of one message."""

_log = get_logger()


class NoResponseError(Exception):
    """Turn of an agent or team without a message. An empty message is a reply."""


Ask = Callable[[Sequence[Message]], Coroutine[Any, Any, Utterance]]
"""Runs an agent on a prompt.

The reply has the tokens that the agent reports, if any, and what it said and called before.
"""


def limit_turn(seconds: float, *, name: str) -> AbstractAsyncContextManager[None]:
    """Limit the time of the turn inside; raise `TimeoutError` after it."""
    return limit_time(seconds, problem=f"{name!r} did not end its turn")


class AgentReviewer:
    """Reviewer that gives an agent the whole prompt of each cue.

    A reply without words is requested again, as one of a model is; an error is not, as the agent's own
    client repeats its calls.

    Args:
        name: Name of the reviewer.
        ask: Returns the reply to one prompt.
        close: Closes the agent, unless it belongs to its card.
        policy: Number and timing of the attempts; by default, that of a call.
    """

    def __init__(
        self,
        name: str,
        ask: Ask,
        *,
        close: Callable[[], Awaitable[None]],
        policy: RetryPolicy | None = None,
    ) -> None:
        self.name = name
        self._policy = RetryPolicy() if policy is None else policy
        self._ask = ask
        self._close = close
        self._warned: set[str] = set()

    async def speak(self, request: Request) -> Utterance:
        """Return the reply to the whole prompt."""
        with bill_turn(request, reviewer=self.name) as bill:
            started = asyncio.get_running_loop().time()
            replies = await self._ask_for_words(request.messages)
            latency = asyncio.get_running_loop().time() - started
        reply = replies[-1]
        return replace(
            reply,
            usage=_measure_usage(bill, replies, flatten_prompt(request.messages)),
            latency=latency,
            attempts=max(len(replies), bill.attempts),
            cached=bill.cached,
            unset=self._find_unset(request, has_logprobs=reply.logprobs is not None),
            inner=bound_inner(reply.inner),
        )

    async def _ask_for_words(self, prompt: Sequence[Message]) -> list[Utterance]:
        """Return the replies until the first one with words or the last attempt."""
        now = asyncio.get_running_loop().time
        started = now()
        replies = [await self._ask(prompt)]
        while is_blank(replies[-1].text):
            wait = self._policy.next_wait(
                EmptyReplyError(), failures=len(replies), elapsed=now() - started
            )
            if wait is None:
                break
            await asyncio.sleep(wait)
            replies.append(await self._ask(prompt))
        return replies

    def _find_unset(self, request: Request, *, has_logprobs: bool) -> tuple[str, ...]:
        """Return the settings of the seat that do not reach the agent, with one warning."""
        sampling = request.seat.sampling
        unset = [
            name
            for name in Sampling.__struct_fields__
            if name != "logprobs" and getattr(sampling, name) is not None
        ]
        if (sampling.logprobs or request.cue.logprobs) and not has_logprobs:
            unset.append("logprobs")
        if fresh := [name for name in unset if name not in self._warned]:
            self._warned.update(fresh)
            _log.warning(
                "an AutoGen agent or team uses the settings of its own client; these of its seat are "
                "recorded as not set",
                reviewer=self.name,
                settings=", ".join(fresh),
            )
        return tuple(unset)

    async def close(self) -> None:
        """Close the agent, unless it belongs to its card."""
        await self._close()


def _measure_usage(bill: Billing, replies: Sequence[Utterance], prompt: str) -> Usage:
    """Return the tokens booked by a governed client, else those of the replies, else estimates."""
    if bill.calls:
        return bill.usage
    each = [_measure_reply(reply, prompt) for reply in replies]
    return Usage(
        prompt_tokens=sum(usage.prompt_tokens for usage in each),
        completion_tokens=sum(usage.completion_tokens for usage in each),
        estimated=any(usage.estimated for usage in each),
        thinking_tokens=sum(usage.thinking_tokens for usage in each),
    )


def _measure_reply(reply: Utterance, prompt: str) -> Usage:
    if reply.usage != Usage():
        return reply.usage
    return Usage(
        prompt_tokens=estimate_tokens(prompt),
        completion_tokens=estimate_tokens(reply.text) if reply.text else 0,
        estimated=True,
    )


def bound_inner(messages: Sequence[InnerMessage]) -> tuple[InnerMessage, ...]:
    """Return at most `MOST_MESSAGES` messages of at most `MOST_CHARACTERS`; notes say what is left out.

    Of too many messages, those in the middle are left out: the first say what was tried, the last
    led to the reply.
    """
    kept = list(messages)
    if len(kept) > MOST_MESSAGES:
        head = MOST_MESSAGES // 2
        tail = MOST_MESSAGES - head - 1
        note = InnerMessage(
            source="", kind="note", text=f"{len(kept) - head - tail:,} messages are not kept"
        )
        kept = [*kept[:head], note, *kept[-tail:]]
    return tuple(_shorten(message) for message in kept)


def _shorten(message: InnerMessage) -> InnerMessage:
    left = len(message.text) - MOST_CHARACTERS
    if left <= 0:
        return message
    note = f" [{left:,} more characters are not kept]"
    return replace(message, text=message.text[:MOST_CHARACTERS] + note)
