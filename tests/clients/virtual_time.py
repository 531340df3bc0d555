"""An event loop whose clock jumps to the next timer, and providers with limits to call in it."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from dataclasses import dataclass, field

from peerjudge.clients import RetryPolicy, Window

REFUSAL = 0.02
"""Time in which a call is refused. [s]"""


class VirtualLoop(asyncio.SelectorEventLoop):
    """Event loop for programs that wait for timers alone: it never waits itself."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        select = self._selector.select

        def jump(timeout: float | None = None):
            self._now += max(0.0, timeout or 0.0)
            return select(0)

        self._selector.select = jump

    def time(self) -> float:
        """Return the virtual time in seconds."""
        return self._now


class Refusal(Exception):  # noqa: N818  it stands for vendors' errors, which have any name
    """Rate limit error as vendor libraries raise it."""

    def __init__(self, after: float | None = None):
        super().__init__("slow down")
        self.status_code = 429
        headers = {} if after is None else {"retry-after": str(after)}
        self.response = type("Response", (), {"headers": headers})


@dataclass
class RateLimit:
    """Provider that accepts so many calls in any `seconds`."""

    calls: int
    seconds: float = 1.0
    recent: deque[float] = field(default_factory=deque)

    def takes(self, now: float) -> bool:
        """Accept or refuse a call."""
        while self.recent and self.recent[0] <= now - self.seconds:
            self.recent.popleft()
        if len(self.recent) >= self.calls:
            return False
        self.recent.append(now)
        return True


@dataclass
class Noise:
    """Provider that refuses a share of the calls at any rate."""

    share: float
    chance: random.Random = field(default_factory=lambda: random.Random(3))

    def takes(self, now: float) -> bool:
        """Accept or refuse a call."""
        return self.chance.random() >= self.share


@dataclass
class Outcome:
    """What callers of a provider got: replies, refused attempts, calls given up, and the time it took."""

    answered: int = 0
    refused: int = 0
    failed: int = 0
    seconds: float = 0.0


async def ask(
    loop: asyncio.AbstractEventLoop,
    provider: RateLimit | Noise,
    latency: float,
    wait: float | None,
    outcome: Outcome,
) -> None:
    """Make one attempt, and count its reply."""
    if not provider.takes(loop.time()):
        await asyncio.sleep(REFUSAL)
        raise Refusal(wait)
    await asyncio.sleep(latency * random.uniform(0.8, 1.2))
    outcome.answered += 1


def call_provider(
    provider: RateLimit | Noise,
    *,
    callers: int,
    latency: float,
    wait: float | None = None,
    calls: int | None = None,
    seconds: float | None = None,
) -> Outcome:
    """Return what so many callers get in a time, or the time that so many calls take.

    Each caller makes its next call when the last one has ended. `wait` is what refusals request.
    """
    outcome, policy = Outcome(), RetryPolicy()
    window, left = Window(), iter(range(calls)) if calls else iter(int, 1)

    async def call(loop: asyncio.AbstractEventLoop) -> None:
        began, failures = loop.time(), 0
        while True:
            try:
                async with window.slot():
                    return await ask(loop, provider, latency, wait, outcome)
            except Refusal as error:
                outcome.refused += 1
                failures += 1
                pause = policy.next_wait(error, failures=failures, elapsed=loop.time() - began)
                if pause is None:
                    outcome.failed += 1
                    return None
                await asyncio.sleep(pause)

    async def work() -> None:
        loop = asyncio.get_running_loop()
        for _ in left:
            await call(loop)

    async def play() -> Outcome:
        tasks = [asyncio.ensure_future(work()) for _ in range(callers)]
        await asyncio.wait(tasks, timeout=seconds)
        outcome.seconds = asyncio.get_running_loop().time()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return outcome

    random.seed(5)  # jitter of retries and latencies
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(play())
