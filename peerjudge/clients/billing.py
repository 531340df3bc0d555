"""Billing of model calls: the reviewer, discussion and turn that pay for each call."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol
from uuid import uuid4

from peerjudge.data.discussion import Usage


class CallOutcome(StrEnum):
    """Outcome of a call: paid for, served from the cache, or failed after all attempts.

    A call in a ledger is `open` before it is sent, and stays open if the process is killed. A call is
    `lost` if it was sent and no complete reply arrived, so that its charge is unknown; `unbilled` if a
    person has settled that nobody bills it. A call of a user's own code is `unmetered` if it reports no
    tokens.
    """

    PAID = "paid"
    CACHED = "cached"
    FAILED = "failed"
    OPEN = "open"
    LOST = "lost"
    UNBILLED = "unbilled"
    UNMETERED = "unmetered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One booked call.

    `latency` is in seconds: of the successful attempt, or of all attempts together where none
    succeeded. `attempts` is 0 for a cached reply. `cost` is in USD, `None` where the price is
    unknown. `error` is the type name of the last failure.
    """

    reviewer: str
    discussion: str
    turn: int | None
    model: str
    outcome: CallOutcome
    usage: Usage = Usage()
    attempts: int = 1
    latency: float = 0.0
    cost: float | None = None
    error: str = ""


class CallLedger(Protocol):
    """Durable record of every attempt that a provider may bill, begun before the attempt is sent."""

    async def begin(self, call: Call) -> int:
        """Record an open call with estimated tokens; return its number once it is durable."""
        ...

    async def settle(self, number: int, call: Call) -> None:
        """Replace an open call by its outcome; return once that is durable."""
        ...

    def reserve_again(self, discussion: str, turn: int | None) -> bool:
        """Reserve the cost of another attempt; return `False` if a limit has no room for it now."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Billing:
    """Reviewer, discussion and turn that pay for the calls of a task, and those calls so far.

    `draw` names a random draw: equal requests with different draws do not share a cached reply.
    """

    reviewer: str = ""
    discussion: str = ""
    turn: int | None = None
    draw: str = ""
    calls: list[Call] = field(default_factory=list[Call], compare=False)

    @property
    def usage(self) -> Usage:
        """Return the tokens of all calls together, cached ones included."""
        if len(self.calls) == 1:
            return self.calls[0].usage
        return Usage(
            prompt_tokens=sum(call.usage.prompt_tokens for call in self.calls),
            completion_tokens=sum(call.usage.completion_tokens for call in self.calls),
            estimated=any(call.usage.estimated for call in self.calls),
            thinking_tokens=sum(call.usage.thinking_tokens for call in self.calls),
        )

    @property
    def cached(self) -> bool:
        """Return whether there were calls and all were served from the cache."""
        return bool(self.calls) and all(call.outcome is CallOutcome.CACHED for call in self.calls)

    @property
    def attempts(self) -> int:
        """Return the number of attempts of all calls together."""
        return sum(call.attempts for call in self.calls)

    @property
    def latency(self) -> float:
        """Return the seconds of all calls together."""
        return sum(call.latency for call in self.calls)


_BILLING: ContextVar[Billing | None] = ContextVar("peerjudge_billing", default=None)
_LEDGER: ContextVar[CallLedger | None] = ContextVar("peerjudge_ledger", default=None)


def current_ledger() -> CallLedger | None:
    """Return the ledger of the running task; `None` outside `record_calls`."""
    return _LEDGER.get()


@contextmanager
def record_calls(ledger: CallLedger) -> Generator[None]:
    """Record all calls of governed clients made inside, also in tasks started inside, in a ledger."""
    token = _LEDGER.set(ledger)
    try:
        yield
    finally:
        _LEDGER.reset(token)


def current_billing() -> Billing | None:
    """Return the billing of the running task; `None` outside `bill_to`."""
    return _BILLING.get()


@contextmanager
def bill_to(
    *, reviewer: str, discussion: str = "", turn: int | None = None, draw: str = ""
) -> Generator[Billing]:
    """Bill all calls made inside, also in tasks started inside, to this reviewer and turn."""
    billing = Billing(reviewer=reviewer, discussion=discussion, turn=turn, draw=draw)
    token = _BILLING.set(billing)
    try:
        yield billing
    finally:
        _BILLING.reset(token)


@contextmanager
def itemize_calls(reviewer: str) -> Generator[Billing]:
    """Collect the calls made inside on a bill of their own and add them to the enclosing one.

    Without an enclosing bill, the calls are billed to this reviewer as a random draw of their own.
    """
    outer = _BILLING.get()
    bill = (
        Billing(reviewer=reviewer, draw=uuid4().hex) if outer is None else replace(outer, calls=[])
    )
    token = _BILLING.set(bill)
    try:
        yield bill
    finally:
        _BILLING.reset(token)
        if outer is not None:
            outer.calls.extend(bill.calls)
