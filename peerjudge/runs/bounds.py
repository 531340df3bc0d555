"""A reviewer that is asked only within the bounds of a run: its budget, and a time per discussion."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager

import structlog

from peerjudge.data import Message, Request, Sampling, Usage, Utterance
from peerjudge.engine import Reviewer
from peerjudge.runs.budget import Amount, Budget

__all__ = ["LEAST_REPLY", "Bounded", "Deadlines", "DiscussionDeadlineError", "at_most"]

_SHORTEST = 3
"""Bytes of the densest text that a token stands for, for a count that is not too low."""

_PER_MESSAGE = 8
LEAST_REPLY = 1024
"""Tokens reserved for a reply whose seat sets no bound, until a longer one has been seen."""

_LONGER = 1.25

_log: structlog.typing.FilteringBoundLogger = structlog.get_logger()


def at_most(messages: Sequence[Message], sampling: Sampling, *, reply: int = LEAST_REPLY) -> Usage:
    """The tokens that a call may take at most, as far as that can be known before it is made.

    `reply` is the length that a reply may have where the sampling sets no bound.
    """
    prompt = sum(
        len(message.text.encode(errors="replace")) // _SHORTEST + _PER_MESSAGE
        for message in messages
    )
    return Usage(prompt_tokens=prompt, completion_tokens=sampling.max_tokens or reply)


class DiscussionDeadlineError(Exception):
    """A discussion took longer than the run allows one to take."""


class Deadlines:
    """When each open discussion must have ended: so many seconds after its first call."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until: dict[str, float] = {}

    @asynccontextmanager
    async def within(self, discussion: str) -> AsyncGenerator[None]:
        """Let a call of this discussion last until its deadline.

        Raises:
            DiscussionDeadlineError: The time is up.
        """
        now = asyncio.get_running_loop().time()
        until = self._until.setdefault(discussion, now + self._seconds)
        timer = asyncio.timeout_at(until)
        try:
            async with timer:
                yield
        except TimeoutError as cause:
            if not timer.expired():
                raise
            msg = f"the discussion was not over after {self._seconds:g} s"
            raise DiscussionDeadlineError(msg) from cause

    def close(self, discussion: str) -> None:
        """A discussion has ended."""
        self._until.pop(discussion, None)


class Bounded:
    """Speaks as another reviewer does, when and as long as it may.

    How long a reply may become is not known where its seat sets no bound: a model that thinks before
    it replies may take ten times what others take. What has been heard tells.

    Args:
        reviewer: Who speaks.
        cost: What tokens of this reviewer cost in USD; `None` where that is not known.
        budget: Where each call is reserved and settled.
        deadlines: How long each discussion may take.
    """

    def __init__(
        self,
        reviewer: Reviewer,
        *,
        cost: Callable[[Usage], float | None],
        budget: Budget | None = None,
        deadlines: Deadlines | None = None,
    ) -> None:
        self._reviewer = reviewer
        self._cost = cost
        self._budget = budget
        self._deadlines = deadlines
        self.longest = LEAST_REPLY
        """Tokens that are reserved for a reply without a bound."""
        self.known = asyncio.Event()
        """Set once a reply has been heard, or its discussion has ended without one."""
        self._replies = self._tokens = 0
        self._warned = False

    @property
    def name(self) -> str:
        """The reviewer's."""
        return self._reviewer.name

    @property
    def usual(self) -> int:
        """Tokens of a reply as heard so far, on average."""
        return round(self._tokens / self._replies) if self._replies else 0

    async def speak(self, request: Request) -> Utterance:
        """The reviewer's reply, once it can be afforded.

        Raises:
            DiscussionDeadlineError: The discussion's time is up.
            Exception: Whatever the reviewer raised.
        """
        if self._budget is None:
            return await self._in_time(request)
        most = at_most(request.messages, request.seat.sampling, reply=self.longest)
        await self._budget.reserve(request.discussion, self._amount(most))
        spent = Amount()
        try:
            said = await self._in_time(request)
            if not said.cached:
                spent = self._amount(said.usage)
            self._compare(said.usage.completion_tokens, most.completion_tokens)
            self.learn(said.usage.completion_tokens)
        finally:
            self._budget.settle(request.discussion, spent)
        return said

    def learn(self, took: int) -> None:
        """A reply had so many tokens: what replies may have, and have on average."""
        self._replies += 1
        self._tokens += took
        self.longest = max(self.longest, round(took * _LONGER))
        self.known.set()

    def _compare(self, took: int, reserved: int) -> None:
        """Say once that a reply was longer than what was reserved for it."""
        if took > reserved and self.known.is_set() and not self._warned:
            self._warned = True
            _log.warning(
                "a reply took more than was set aside for it; max_tokens in its card bounds it",
                reviewer=self.name,
                tokens=took,
                set_aside=reserved,
            )

    async def close(self) -> None:
        """Close the reviewer."""
        await self._reviewer.close()

    async def _in_time(self, request: Request) -> Utterance:
        if self._deadlines is None:
            return await self._reviewer.speak(request)
        async with self._deadlines.within(request.discussion):
            return await self._reviewer.speak(request)

    def _amount(self, usage: Usage) -> Amount:
        tokens = usage.prompt_tokens + usage.completion_tokens
        return Amount(tokens, self._cost(usage) or 0.0)
