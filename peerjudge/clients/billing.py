"""Who pays for a call: the seat it is made for, and the book in which every call is written."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from uuid import uuid4

from peerjudge.data.discussion import Usage

__all__ = [
    "Billing",
    "Call",
    "CallBook",
    "CallOutcome",
    "Tally",
    "billed_to",
    "current_billing",
    "itemised",
]


class CallOutcome(StrEnum):
    """What became of a call."""

    PAID = "paid"
    """The model answered, and its maker charges for it."""
    CACHED = "cached"
    """The reply was at hand from an earlier call."""
    FAILED = "failed"
    """No attempt brought a reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call: for whom, what became of it, and what it took.

    `latency` is in seconds, of the attempt that brought the reply (of all when none did);
    `attempts` is 0 for a reply that was at hand. `cost` is in USD, `None` where the price is not
    known. `error` names the type of the last failure.
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


def _no_calls() -> list[Call]:
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Billing:
    """For whom the calls of this task are made, and the calls made so far.

    `draw` tells random draws apart: equal requests with another draw are other requests.
    """

    reviewer: str = ""
    discussion: str = ""
    turn: int | None = None
    draw: str = ""
    calls: list[Call] = field(default_factory=_no_calls, compare=False)

    @property
    def usage(self) -> Usage:
        """Tokens of all calls together, the cached ones included."""
        return Usage(
            prompt_tokens=sum(call.usage.prompt_tokens for call in self.calls),
            completion_tokens=sum(call.usage.completion_tokens for call in self.calls),
            estimated=any(call.usage.estimated for call in self.calls),
        )

    @property
    def cached(self) -> bool:
        """Whether there were calls and none of them had to be paid."""
        return bool(self.calls) and all(call.outcome is CallOutcome.CACHED for call in self.calls)

    @property
    def attempts(self) -> int:
        """Attempts of all calls together."""
        return sum(call.attempts for call in self.calls)

    @property
    def latency(self) -> float:
        """Seconds of all calls together."""
        return sum(call.latency for call in self.calls)


_BILLING: ContextVar[Billing | None] = ContextVar("peerjudge_billing", default=None)


def current_billing() -> Billing | None:
    """For whom the running task makes its calls; `None` outside of `billed_to`."""
    return _BILLING.get()


@contextmanager
def billed_to(
    *, reviewer: str, discussion: str = "", turn: int | None = None, draw: str = ""
) -> Generator[Billing]:
    """Book the calls made inside to this reviewer, discussion and turn.

    It holds for tasks started inside as well, and so for whatever an AutoGen agent or team does.
    """
    billing = Billing(reviewer=reviewer, discussion=discussion, turn=turn, draw=draw)
    token = _BILLING.set(billing)
    try:
        yield billing
    finally:
        _BILLING.reset(token)


@contextmanager
def itemised(reviewer: str) -> Generator[Billing]:
    """A bill for the calls made inside alone, which are on the enclosing bill as well.

    Where there is none they are booked to this reviewer, and are a random draw of their own.
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


@dataclass(slots=True, kw_only=True)
class Tally:
    """Calls and tokens added up. Tokens are those paid for; `cached_tokens` were saved.

    `estimated` says that some of the tokens were counted here, not by a server. `latency` is the
    sum in seconds over paid calls. `cost` is that of the calls whose price is known, in USD;
    `unpriced` counts the others.
    """

    paid: int = 0
    cached: int = 0
    failed: int = 0
    attempts: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False
    latency: float = 0.0
    cost: float = 0.0
    unpriced: int = 0

    def enter(self, call: Call) -> None:
        """Add one call."""
        usage = call.usage
        self.attempts += call.attempts
        if call.outcome is CallOutcome.CACHED:
            self.cached += 1
            self.cached_tokens += usage.prompt_tokens + usage.completion_tokens
        elif call.outcome is CallOutcome.FAILED:
            self.failed += 1
        else:
            self.paid += 1
            self.prompt_tokens += usage.prompt_tokens
            self.completion_tokens += usage.completion_tokens
            self.estimated = self.estimated or usage.estimated
            self.latency += call.latency
            self.cost += call.cost or 0.0
            self.unpriced += call.cost is None


class CallBook:
    """What was paid, saved and lost, reviewer by reviewer."""

    def __init__(self) -> None:
        self._tallies: dict[str, Tally] = {}

    def book(self, call: Call) -> None:
        """Enter one call."""
        tally = self._tallies.get(call.reviewer)
        if tally is None:
            tally = self._tallies[call.reviewer] = Tally()
        tally.enter(call)

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Whoever made a call, by name."""
        return tuple(sorted(self._tallies))

    def tally(self, reviewer: str) -> Tally:
        """The calls of one reviewer so far."""
        found = self._tallies.get(reviewer)
        return Tally() if found is None else replace(found)

    def total(self) -> Tally:
        """The calls of all reviewers so far."""
        total = Tally()
        for tally in self._tallies.values():
            for each in fields(Tally):
                name = each.name
                setattr(total, name, getattr(total, name) + getattr(tally, name))
        total.estimated = bool(total.estimated)
        return total
