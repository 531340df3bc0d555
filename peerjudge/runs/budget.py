"""Keeps what a run spends below a limit, however many discussions spend at the same time.

A discussion that is opened has what it will probably cost set aside, so that discussions that are
begun can be ended. Before each call what that call may cost at most is reserved, after it what it
did cost is spent. So what is spent is never above the limit, as long as no call costs more than was
reserved for it.

When the next discussion has no room any more, the run goes on with those that are open and stops.
If they cannot all go on, the last to be opened waits and gives what was set aside for it to the
others. It is not ended: its turns are kept, and it goes on in a later run with a higher limit.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

__all__ = ["Amount", "Budget"]


@dataclass(frozen=True, slots=True)
class Amount:
    """Tokens and USD together."""

    tokens: float = 0.0
    usd: float = 0.0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.tokens + other.tokens, self.usd + other.usd)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.tokens - other.tokens, self.usd - other.usd)

    def within(self, other: Amount) -> bool:
        """Whether neither is more than the other's."""
        return self.tokens <= other.tokens and self.usd <= other.usd

    def most(self, other: Amount) -> Amount:
        """The larger of each."""
        return Amount(max(self.tokens, other.tokens), max(self.usd, other.usd))


_NOTHING = Amount()
_NO_LIMIT = float("inf")


@dataclass(slots=True)
class _Account:
    """A discussion: what is set aside for the rest of it, what is held, and what it waits for."""

    aside: Amount
    held: Amount = _NOTHING
    wants: Amount = _NOTHING
    turn: asyncio.Future[None] | None = None

    @property
    def waits(self) -> bool:
        """Whether its next call has no room yet."""
        return self.turn is not None and not self.turn.done()


class Budget:
    """The limit of a run, and everybody's share of it.

    Args:
        tokens: The most that may be spent, prompt and completion; `None` for no limit.
        usd: The most that may be spent in USD; `None` for no limit.
        spent: What earlier runs of the same have spent; the limits are on all together.
    """

    def __init__(
        self, *, tokens: int | None = None, usd: float | None = None, spent: Amount = _NOTHING
    ) -> None:
        self.limit = Amount(
            _NO_LIMIT if tokens is None else tokens, _NO_LIMIT if usd is None else usd
        )
        self.spent = spent
        self.exhausted = asyncio.Event()
        """Set when every open discussion waits for what there is not."""
        self.reached: str | None = None
        """`token limit` or `cost limit` once that has kept anything from being asked."""
        self.enough: float | None = None
        """That limit, as high as would have let on what was kept from it. [tokens or USD]"""
        self._accounts: dict[str, _Account] = {}
        self._held = _NOTHING
        self._entering: tuple[Amount, asyncio.Future[bool]] | None = None

    @property
    def free(self) -> Amount:
        """What is neither spent nor held for anybody."""
        return self.limit - self.spent - self._held

    async def open(self, discussion: str, expected: Amount) -> bool:
        """Set aside what a discussion will probably cost, once there is room for it.

        Returns `False`, for good, if there is none and nobody is left to make room. One discussion
        at a time may wait here.
        """
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._entering = (expected, turn)
        self._let_on()
        try:
            entered = await turn
        finally:
            self._entering = None
        if entered:
            self._accounts[discussion] = _Account(aside=expected)
            self._hold(self._accounts[discussion], expected)
        return entered

    async def reserve(self, discussion: str, most: Amount) -> None:
        """Hold the most that the discussion's next call may cost; waits until there is room."""
        account = self._accounts[discussion]
        account.wants = most
        if self._serve(account):
            return
        account.turn = asyncio.get_running_loop().create_future()
        self._let_on()
        try:
            await account.turn
        finally:
            account.turn = None

    def settle(self, discussion: str, cost: Amount) -> None:
        """Spend what the call did cost, and hold what is still set aside for its discussion."""
        self.spent += cost
        account = self._accounts[discussion]
        account.aside = (account.aside - cost).most(_NOTHING)
        self._hold(account, account.aside)
        self._let_on()

    def close(self, discussion: str) -> None:
        """A discussion has ended: what was set aside for it is free."""
        account = self._accounts.pop(discussion, None)
        if account is not None:
            self._hold(account, _NOTHING)
            self._let_on()

    def _hold(self, account: _Account, amount: Amount) -> None:
        self._held += amount - account.held
        account.held = amount

    def _serve(self, account: _Account) -> bool:
        held = account.aside.most(account.wants)
        if not (held - account.held).within(self.free):
            return False
        self._hold(account, held)
        return True

    def _let_on(self) -> None:
        """Let on whoever has room now, the discussions first that were opened first."""
        while True:
            waiting = [account for account in self._accounts.values() if account.waits]
            for account in waiting:
                if account.turn is not None and self._serve(account):
                    account.turn.set_result(None)
            waiting = [account for account in waiting if account.waits]
            if not waiting:
                self._let_in()
                return
            if len(waiting) < len(self._accounts):
                return  # Somebody is being answered, and will make room.
            giver = next((each for each in reversed(waiting) if each.held != _NOTHING), None)
            if giver is None:
                self._note(waiting[0].wants)
                self.exhausted.set()
                return
            giver.aside = _NOTHING
            self._hold(giver, _NOTHING)

    def _let_in(self) -> None:
        if self._entering is None or self._entering[1].done():
            return
        expected, turn = self._entering
        if expected.within(self.free):
            turn.set_result(True)
        elif not self._accounts:
            self._note(expected)
            turn.set_result(False)

    def _note(self, wanted: Amount) -> None:
        needed = self.spent + wanted
        of_tokens = wanted.tokens > self.free.tokens
        self.reached = "token limit" if of_tokens else "cost limit"
        self.enough = needed.tokens if of_tokens else needed.usd
