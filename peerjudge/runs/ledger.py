"""Ledger of a run: the calls of its place, booked durably before their replies are interpreted.

A place is a folder or a database. Each attempt that a provider may bill is booked with an estimate before
it is sent, and with its own tokens when the reply arrives. An attempt that is open when the process is
killed keeps its estimate. So the amount spent does not depend on the settings of a request, or on
whether its reply was used.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from peerjudge.data import Request, ReviewerKind, Usage, Utterance
from peerjudge.data.cleaning import clean_utterance
from peerjudge.engine import Reviewer, ReviewerProxy
from peerjudge.logs import get_logger
from peerjudge.runs.budget import Amount
from peerjudge.runs.estimate import Costs
from peerjudge.runs.schedule import Cast
from peerjudge.store import UNBILLED, UNCERTAIN, Archive, Store, UncertainCalls

if TYPE_CHECKING:
    from peerjudge.clients import Call

_PAID, _LOST, _UNMETERED = "paid", "lost", "unmetered"
_CALLS_OF_A_PROCESS = 32
"""Bits of the number of a call that count the calls of one process."""
_PROCESS = 31
"""Bits of the number of a call that name its process."""

_log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Tokens and USD; `usd` is `None` if a price is unknown, and in a limit without a limit on it."""

    tokens: int | None
    usd: float | None


class _Total:
    """Sum of calls."""

    def __init__(self) -> None:
        self.calls = self.tokens = self.unpriced = self.unmetered = 0
        self.usd = 0.0

    def add(self, usage: Usage, usd: float | None, *, calls: int = 1) -> None:
        self.calls += calls
        self.tokens += usage.prompt_tokens + usage.completion_tokens
        self.usd += usd or 0.0
        self.unpriced += calls if usd is None else 0

    @property
    def amount(self) -> Amount:
        return Amount(self.tokens, self.usd)

    @property
    def known_usd(self) -> float | None:
        return None if self.unpriced + self.unmetered else self.usd


class Ledger:
    """Calls of one run in the book of its place; a `peerjudge.clients.billing.CallLedger`."""

    def __init__(self, store: Store, *, run: str, costs: Costs) -> None:
        self.before = _Total()
        """All calls of earlier runs into the place, simulated ones included."""
        self.paid = _Total()
        """Replies that this run has paid for."""
        self.unmetered = _Total()
        """Replies of own code in this run that reported no tokens."""
        self.simulated_tokens = 0
        self._store = store
        self._run = run
        self._costs = costs
        self._numbers = count(secrets.randbits(_PROCESS) << _CALLS_OF_A_PROCESS)
        self._open: dict[int, Call] = {}
        self._lost = _Total()
        self._lost_before = _Total()
        self._by_turn: dict[str, dict[int | None, Amount]] = {}
        self._attempts: Counter[str] = Counter()
        self.renewals: dict[tuple[str, int | None], Callable[[], bool]] = {}
        """Renews the reserve of a call under way, by discussion and turn; empty without a limit."""

    @classmethod
    async def open(cls, store: Store, *, run: str, costs: Costs) -> Ledger:
        """Return the ledger of a run, with the amount spent in its place before."""
        ledger = cls(store, run=run, costs=costs)
        ledger.before, ledger._lost_before = await _read_book(store, costs)
        return ledger

    async def begin(self, call: Call) -> int:
        """Book an open call with its estimate."""
        number = next(self._numbers)
        self._open[number] = call
        self._attempts[call.discussion] += 1
        self._charge(call, _amount(call))
        await self._write(number, call)
        return number

    async def settle(self, number: int, call: Call) -> None:
        """Book the outcome of an open call."""
        estimate = self._open.pop(number)
        self._charge(call, _amount(call) - _amount(estimate))
        self._count(call)
        await self._write(number, call)

    def reserve_again(self, discussion: str, turn: int | None) -> bool:
        """Reserve the cost of another attempt; return `False` if the limit has no room for it now."""
        renew = self.renewals.get((discussion, turn))
        return renew is None or renew()

    async def book(self, call: Call) -> None:
        """Book a call of a client without a ledger, once it is over."""
        self._charge(call, _amount(call))
        self._count(call)
        await self._write(next(self._numbers), call)

    def spent_on(self, discussion: str) -> Amount:
        """Return the amount spent by this run on a discussion; open calls count with their estimate."""
        return sum(self._by_turn.get(discussion, {}).values(), Amount())

    def spent_on_turn(self, discussion: str, turn: int | None) -> Amount:
        """Return the amount spent by this run on a turn; open calls count with their estimate."""
        return self._by_turn.get(discussion, {}).get(turn, Amount())

    def count_attempts(self, discussion: str) -> int:
        """Return the number of attempts that were sent for a discussion by this run."""
        return self._attempts[discussion]

    def close(self, discussion: str) -> None:
        """Forget the sums of a discussion that has ended."""
        self._by_turn.pop(discussion, None)
        self._attempts.pop(discussion, None)

    @property
    def tokens(self) -> int:
        """Tokens of the calls of this run that have ended, simulated ones included."""
        return self.paid.tokens + self._lost.tokens + self.simulated_tokens

    @property
    def usd(self) -> float:
        """Cost of the calls of this run that have ended and whose price is known."""
        return self.paid.usd + self._lost.usd

    @property
    def cost_known(self) -> bool:
        """Whether the tokens and prices of all calls of this run are known."""
        return not self.paid.unpriced + self._lost.unpriced + self.unmetered.unpriced

    @property
    def spent_before(self) -> Spending:
        """Amount spent by earlier runs in the place."""
        return Spending(tokens=self.before.tokens, usd=self.before.known_usd)

    @property
    def spent_now(self) -> Spending:
        """Amount spent by this run; calls without a reply count with their estimate."""
        tokens, usd, known = self.tokens, self.usd, self.cost_known
        for call in self._open.values():
            tokens += call.usage.prompt_tokens + call.usage.completion_tokens
            usd += call.cost or 0.0
            known = known and call.cost is not None
        return Spending(tokens=tokens, usd=usd if known else None)

    @property
    def uncertain(self) -> UncertainCalls:
        """Calls of all runs in the place that brought no complete reply."""
        lost = _Total()
        for total in (self._lost_before, self._lost):
            lost.calls += total.calls
            lost.tokens += total.tokens
            lost.usd += total.usd
            lost.unpriced += total.unpriced
        for call in self._open.values():
            lost.add(call.usage, call.cost)
        return UncertainCalls(calls=lost.calls, tokens=lost.tokens, usd=lost.known_usd)

    def warn_unpriced(self) -> None:
        """Warn where a limit in USD cannot count earlier calls, as their price is unknown."""
        if self.before.unpriced:
            _log.warning(
                "earlier calls into this place have no known price, so the cost limit leaves them out; "
                "add their prices to prices.toml",
                calls=self.before.unpriced,
            )

    def _count(self, call: Call) -> None:
        outcome = str(call.outcome)
        if outcome == _PAID:
            self.paid.add(call.usage, call.cost)
        elif outcome == _LOST:
            self._lost.add(call.usage, call.cost)
        elif outcome == _UNMETERED:
            self.unmetered.add(call.usage, call.cost)

    def _charge(self, call: Call, amount: Amount) -> None:
        turns = self._by_turn.setdefault(call.discussion, {})
        turns[call.turn] = turns.get(call.turn, Amount()) + amount

    def _write(self, number: int, call: Call) -> Awaitable[None]:
        usage = call.usage
        return self._store.book(
            {
                "number": number,
                "run": self._run,
                "reviewer": call.reviewer,
                "model": call.model,
                "discussion": call.discussion,
                "turn": call.turn,
                "outcome": str(call.outcome),
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "estimated": usage.estimated,
                "usd": call.cost,
                "error": call.error,
            }
        )


async def read_spent(archive: Archive, costs: Costs) -> Amount:
    """Return what was ever spent in a place, simulated tokens included; unknown prices count as 0."""
    before, _ = await _read_book(archive, costs)
    return before.amount


async def _read_book(archive: Archive, costs: Costs) -> tuple[_Total, _Total]:
    """Return the calls in the book of a place, and those of them that brought no complete reply."""
    before, lost = _Total(), _Total()
    for each in await archive.booked():
        if each.outcome == UNBILLED:
            continue
        if each.outcome == _UNMETERED:
            free = costs.knows(each.reviewer) and costs.of_unknown(each.reviewer) == 0.0
            before.unmetered += 0 if free else each.calls
            continue
        # A price may have become known since.
        missing = each.unpriced.prompt_tokens + each.unpriced.completion_tokens
        usd = costs.of(each.reviewer, each.unpriced) if costs.knows(each.reviewer) else None
        total = 0.0 if not missing else usd
        total = None if total is None else each.usd + total
        before.add(each.usage, total, calls=each.calls)
        if total is None:
            before.usd += each.usd
        if each.outcome in UNCERTAIN:
            lost.add(each.usage, total, calls=each.calls)
    before.tokens += await archive.simulated_tokens()
    return before, lost


def _amount(call: Call) -> Amount:
    return Amount(call.usage.prompt_tokens + call.usage.completion_tokens, call.cost or 0.0)


class BookedReviewer(ReviewerProxy):
    """Reviewer of a user's own code: its reply is booked as soon as it has replied.

    Governed clients that it uses book their own calls.
    """

    def __init__(self, reviewer: Reviewer, ledger: Ledger, costs: Costs) -> None:
        super().__init__(reviewer)
        self._ledger = ledger
        self._costs = costs
        self._warned = False

    async def speak(self, request: Request) -> Utterance:
        """Return the reply, once it is booked; raise any error of the reviewer."""
        before = self._ledger.spent_on_turn(request.discussion, request.turn)
        reply, _ = clean_utterance(await self._reviewer.speak(request))
        booked = self._ledger.spent_on_turn(request.discussion, request.turn) != before
        if booked or reply.simulated or reply.cached:
            return reply
        from peerjudge.clients import Call, CallOutcome

        metered = reply.usage != Usage()
        is_limited = (request.discussion, request.turn) in self._ledger.renewals
        if is_limited and not (metered or self._warned):
            self._warned = True
            _log.warning(
                "a reviewer of own code reports no tokens, so no limit counts them; let it return an "
                "Utterance with its usage",
                reviewer=self.name,
            )

        await self._ledger.book(
            Call(
                reviewer=self.name,
                discussion=request.discussion,
                turn=request.turn,
                model=reply.model,
                outcome=CallOutcome.PAID if metered else CallOutcome.UNMETERED,
                usage=reply.usage,
                attempts=reply.attempts,
                latency=reply.latency,
                cost=self._costs.of(self.name, reply.usage)
                if metered
                else self._costs.of_unknown(self.name),
            )
        )
        return reply


def record_calls(cast: Cast, ledger: Ledger) -> AbstractContextManager[None]:
    """Record the calls made inside in the ledger, if a card may use a model client."""
    kinds = {card.kind for card in cast.values()}
    if not kinds & {ReviewerKind.MODEL, ReviewerKind.PYTHON}:
        return nullcontext()
    from peerjudge.clients import billing

    return billing.record_calls(ledger)
