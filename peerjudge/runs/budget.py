"""Budget of a run in tokens and USD, shared by discussions that run at the same time.

Opening a discussion sets aside its expected cost, so that discussions that begin can end. Each call
first reserves the most it may cost, then settles what it did cost; a repeated attempt that was billed
reserves again. A discussion may have several calls under way, told apart by their turns. The total
therefore never exceeds the limit as long as no attempt costs more than it reserved.

If the next discussion does not fit, the open ones continue and the run stops after them. If they
cannot all continue, the one opened last waits and its share goes to the others; its turns are stored
and a later run with a higher limit resumes it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from peerjudge.engine.barrier import parked


@dataclass(frozen=True, slots=True)
class Amount:
    """Tokens and USD together."""

    tokens: float = 0.0
    usd: float = 0.0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.tokens + other.tokens, self.usd + other.usd)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.tokens - other.tokens, self.usd - other.usd)

    def fits(self, other: Amount) -> bool:
        """Return whether neither value exceeds that of the other amount."""
        return self.tokens <= other.tokens and self.usd <= other.usd

    def maximum(self, other: Amount) -> Amount:
        """Return the larger of each value."""
        return Amount(max(self.tokens, other.tokens), max(self.usd, other.usd))


_NOTHING = Amount()
_NO_LIMIT = float("inf")


class _Account:
    """The share of one open discussion: set aside for its rest, and held now.

    `calls` has the most that each call under way may cost, by turn, and `waiting` the calls that wait for
    room, with the most that they may cost.
    """

    def __init__(self, set_aside: Amount) -> None:
        self.set_aside = set_aside
        self.held = _NOTHING
        self.calls: dict[int, Amount] = {}
        self.waiting: dict[int, tuple[Amount, asyncio.Future[None]]] = {}

    @property
    def is_stuck(self) -> bool:
        """Whether some call waits, and none is under way that will make room."""
        return bool(self.waiting) and not self.calls

    @property
    def needed(self) -> Amount:
        """The most that its calls under way may cost, or what is set aside if that is more."""
        return sum(self.calls.values(), _NOTHING).maximum(self.set_aside)


class Budget:
    """The limit of a run and the shares of its open discussions.

    The limits on tokens and USD, `None` for none, include what earlier runs into the place have `spent`.
    """

    def __init__(
        self, *, tokens: int | None = None, usd: float | None = None, spent: Amount = _NOTHING
    ) -> None:
        self.limit = Amount(
            _NO_LIMIT if tokens is None else tokens, _NO_LIMIT if usd is None else usd
        )
        self.spent = spent
        self.exhausted = asyncio.Event()
        """Set when every open discussion waits and none can continue."""
        self.reached: str | None = None
        """`token limit` or `cost limit` once that limit has blocked a call or discussion."""
        self.enough: float | None = None
        """The lowest value of that limit which would have let it continue. [tokens or USD]"""
        self._accounts: dict[str, _Account] = {}
        self._held = _NOTHING
        self._entering: tuple[Amount, asyncio.Future[bool]] | None = None

    @property
    def free(self) -> Amount:
        """The amount that is neither spent nor held."""
        return self.limit - self.spent - self._held

    async def open(self, discussion: str, expected: Amount) -> bool:
        """Set aside the expected cost of a discussion as soon as there is room.

        Returns `False` if there is no room and no open discussion is left that could make some. Only
        one discussion at a time may wait here.
        """
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._entering = (expected, turn)
        self._grant()
        try:
            with parked():
                entered = await turn
        finally:
            self._entering = None
        if entered:
            self._accounts[discussion] = _Account(expected)
            self._hold(self._accounts[discussion], expected)
        return entered

    async def reserve(self, discussion: str, turn: int, most: Amount) -> None:
        """Hold the most that a call of a discussion may cost; waits until there is room."""
        account = self._accounts[discussion]
        if self._serve(account, turn, most):
            return
        room: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        account.waiting[turn] = most, room
        self._grant()
        try:
            with parked():
                await room
        except BaseException:
            if account.waiting.pop(turn, None) is None:  # It was granted before it was cancelled.
                self._end_call(account, turn)
            raise

    def renew(self, discussion: str, turn: int, cost: Amount, most: Amount) -> bool:
        """Record the cost of a failed attempt and hold the most that its repetition may cost.

        Returns `False` if there is no room now; the call then holds what a settled one does.
        """
        account = self._spend(discussion, cost)
        account.calls.pop(turn, None)
        if self._serve(account, turn, most):
            return True
        self._end_call(account, turn)
        return False

    def settle(self, discussion: str, turn: int, cost: Amount) -> None:
        """Record the cost of a call, and hold what is still needed for its discussion."""
        self._end_call(self._spend(discussion, cost), turn)

    def close(self, discussion: str) -> None:
        """Free what is set aside for a discussion that has ended."""
        account = self._accounts.pop(discussion, None)
        if account is not None:
            self._hold(account, _NOTHING)
            self._grant()

    def _spend(self, discussion: str, cost: Amount) -> _Account:
        self.spent += cost
        account = self._accounts[discussion]
        account.set_aside = (account.set_aside - cost).maximum(_NOTHING)
        return account

    def _end_call(self, account: _Account, turn: int) -> None:
        account.calls.pop(turn, None)
        self._hold(account, account.needed)
        self._grant()

    def _hold(self, account: _Account, amount: Amount) -> None:
        self._held += amount - account.held
        account.held = amount

    def _serve(self, account: _Account, turn: int, most: Amount) -> bool:
        """Let a call begin if there is room for the most that it may cost."""
        account.calls[turn] = most
        needed = account.needed
        if not (needed - account.held).fits(self.free):
            del account.calls[turn]
            return False
        self._hold(account, needed)
        return True

    def _grant(self) -> None:
        """Let waiting calls continue that fit now, in the order in which discussions were opened."""
        while True:
            waiting = [account for account in self._accounts.values() if account.waiting]
            for account in waiting:
                for turn, (most, room) in tuple(account.waiting.items()):
                    if self._serve(account, turn, most):
                        del account.waiting[turn]
                        room.set_result(None)
            stuck = [account for account in waiting if account.is_stuck]
            if not any(account.waiting for account in waiting):
                self._admit()
                return
            if len(stuck) < len(self._accounts):
                return  # A call is in flight and will make room.
            giver = next((each for each in reversed(stuck) if each.held != _NOTHING), None)
            if giver is None:
                self._note_limit(next(most for most, _ in stuck[0].waiting.values()))
                self.exhausted.set()
                return
            giver.set_aside = _NOTHING
            self._hold(giver, _NOTHING)

    def _admit(self) -> None:
        """Decide about the discussion that waits to be opened."""
        if self._entering is None or self._entering[1].done():
            return
        expected, turn = self._entering
        if expected.fits(self.free):
            turn.set_result(True)
        elif not self._accounts:
            self._note_limit(expected)
            turn.set_result(False)

    def _note_limit(self, wanted: Amount) -> None:
        needed = self.spent + wanted
        of_tokens = wanted.tokens > self.free.tokens
        self.reached = "token limit" if of_tokens else "cost limit"
        self.enough = needed.tokens if of_tokens else needed.usd
