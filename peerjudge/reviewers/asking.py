"""Reviewer that asks an AutoGen agent or team for one reply per cue."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from peerjudge.clients import Billing
from peerjudge.clients.retry import limit_time
from peerjudge.clients.tokens import estimate_tokens
from peerjudge.data import InnerMessage, Request, Sampling, Usage, Utterance, replace
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


Ask = Callable[[str], Coroutine[Any, Any, Utterance]]
"""Runs an agent on a prompt.

The reply has the tokens that the agent reports, if any, and what it said and called before.
"""


def limit_turn(seconds: float, *, name: str) -> AbstractAsyncContextManager[None]:
    """Limit the time of the turn inside; raise `TimeoutError` after it."""
    return limit_time(seconds, problem=f"{name!r} did not end its turn")


class AgentReviewer:
    """Reviewer that gives an agent the whole prompt of each cue as one message.

    Args:
        name: Name of the reviewer.
        ask: Returns the reply to one prompt.
        close: Closes the agent, unless it belongs to its card.
    """

    def __init__(self, name: str, ask: Ask, *, close: Callable[[], Awaitable[None]]) -> None:
        self.name = name
        self._ask = ask
        self._close = close
        self._warned: set[str] = set()

    async def speak(self, request: Request) -> Utterance:
        """Return the reply to the whole prompt, given as one message."""
        prompt = flatten_prompt(request.messages)
        with bill_turn(request, reviewer=self.name) as bill:
            started = asyncio.get_running_loop().time()
            reply = await self._ask(prompt)
            latency = asyncio.get_running_loop().time() - started
        return replace(
            reply,
            usage=_measure_usage(bill, reply, prompt),
            latency=latency,
            attempts=max(1, bill.attempts),
            cached=bill.cached,
            unset=self._find_unset(request, has_logprobs=reply.logprobs is not None),
            inner=bound_inner(reply.inner),
        )

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


def _measure_usage(bill: Billing, reply: Utterance, prompt: str) -> Usage:
    """Return the tokens booked by a governed client, else those of the reply, else an estimate."""
    if bill.calls:
        return bill.usage
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
