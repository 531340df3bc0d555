"""The budget of a run is never exceeded by discussions that spend at the same time."""

from __future__ import annotations

import asyncio
import random

from hypothesis import given, settings, strategies as st

from peerjudge.runs.budget import Amount, Budget


class Study:
    """Discussions of several calls that run in parallel within a budget, `wave` of each at a time."""

    def __init__(
        self,
        budget: Budget,
        *,
        calls: int,
        most: int,
        seed: int,
        wave: int = 1,
        repeats: float = 0.0,
    ):
        self.budget, self.calls, self.most, self.wave = budget, calls, most, wave
        self.repeats = repeats
        self.draw = random.Random(seed)
        self.done, self.held, self.highest = 0, 0, 0.0

    async def discuss(self, name: str) -> None:
        """Reserve, spend and settle, wave by wave; an attempt that is billed is sometimes repeated."""
        for begun in range(0, self.calls, self.wave):
            turns = range(begun, min(begun + self.wave, self.calls))
            await asyncio.gather(*(self.call(name, turn) for turn in turns))
        self.budget.close(name)
        self.done += 1

    async def call(self, name: str, turn: int) -> None:
        """Make one call."""
        await self.budget.reserve(name, turn, Amount(self.most))
        for _ in range(self.draw.randrange(3)):
            await asyncio.sleep(0)
        while self.draw.random() < self.repeats:
            cost = Amount(self.draw.randint(0, self.most))
            if not self.budget.renew(name, turn, cost, Amount(self.most)):
                await self.budget.reserve(name, turn, Amount(self.most))
            self.highest = max(self.highest, self.budget.spent.tokens)
            await asyncio.sleep(0)
        self.budget.settle(name, turn, Amount(self.draw.randint(0, self.most)))
        self.highest = max(self.highest, self.budget.spent.tokens)

    async def play(self, *, discussions: int, at_once: int, expected: int) -> None:
        """Open discussions one by one, some at a time, until the end or the limit."""
        turnstile, names = asyncio.Lock(), iter(range(discussions))

        async def work() -> None:
            while True:
                async with turnstile:
                    name = next(names, None)
                    if name is None or not await self.budget.open(str(name), Amount(expected)):
                        return
                await self.discuss(str(name))

        workers = asyncio.gather(*(work() for _ in range(at_once)))
        exhausted = asyncio.ensure_future(self.budget.exhausted.wait())
        await asyncio.wait({workers, exhausted}, return_when=asyncio.FIRST_COMPLETED, timeout=30)
        exhausted.cancel()
        self.stuck = not workers.done() and not self.budget.exhausted.is_set()
        workers.cancel()
        await asyncio.gather(workers, return_exceptions=True)


@settings(deadline=None, max_examples=150)
@given(
    limit=st.integers(1, 400),
    calls=st.integers(1, 5),
    wave=st.integers(1, 5),
    repeats=st.sampled_from([0.0, 0.2]),
    most=st.integers(1, 40),
    expected=st.integers(0, 200),
    at_once=st.integers(1, 8),
    discussions=st.integers(1, 12),
    seed=st.integers(0, 1000),
)
async def test_no_schedule_spends_more_than_the_limit(
    limit, calls, wave, repeats, most, expected, at_once, discussions, seed
):
    """For all costs, waves, repeated attempts and orders of ending, the limit holds and none hangs."""
    budget = Budget(tokens=limit)
    study = Study(budget, calls=calls, most=most, seed=seed, wave=wave, repeats=repeats)
    await study.play(discussions=discussions, at_once=at_once, expected=expected)
    assert study.highest <= limit
    assert not study.stuck
    assert (budget.reached is None) == (study.done == discussions)
    if not repeats and limit >= discussions * max(expected, calls * most):
        assert study.done == discussions


async def test_amounts_set_aside_let_open_discussions_end():
    """With room for exactly three discussions, three are completed."""
    study = Study(Budget(tokens=100), calls=3, most=10, seed=0)
    study.draw.randint = lambda least, most: most
    await study.play(discussions=9, at_once=9, expected=30)
    assert study.done == 3
    assert study.budget.spent == Amount(90)
    assert study.budget.reached == "token limit"


async def test_the_discussion_opened_last_gives_way():
    """If two cannot both continue, the first does, with the amount set aside for the second."""
    budget = Budget(tokens=20)
    assert await budget.open("first", Amount(10))
    assert await budget.open("second", Amount(10))
    asking = asyncio.ensure_future(budget.reserve("first", 0, Amount(15)))
    await asyncio.sleep(0)
    assert not asking.done(), "the second may still end and make room"
    other = asyncio.ensure_future(budget.reserve("second", 0, Amount(12)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert asking.done()
    assert not other.done()
    budget.settle("first", 0, Amount(15))
    budget.close("first")
    await asyncio.sleep(0)
    assert budget.exhausted.is_set()
    other.cancel()


async def test_earlier_spending_counts():
    """A resumed run has the rest of the limit."""
    budget = Budget(usd=1.0, spent=Amount(5000, 0.95))
    assert not await budget.open("next", Amount(10, 0.06))
    assert budget.reached == "cost limit"
    assert await budget.open("smaller", Amount(10, 0.04))
