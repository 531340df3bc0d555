"""Pace of calls to a provider with a rate limit, against a simulated provider and clock."""

from __future__ import annotations

import random
from collections import deque

import pytest

from peerjudge.clients.pace import Pace


class Provider:
    """Provider that accepts so many calls in any second; `wait` is what its refusals request."""

    def __init__(self, allowed: int, wait: float | None = None):
        self.allowed, self.wait = allowed, wait
        self.recent: deque[float] = deque()
        self.accepted = self.refused = 0

    def takes(self, now: float) -> bool:
        """Accept or refuse a call."""
        while self.recent and self.recent[0] <= now - 1.0:
            self.recent.popleft()
        if len(self.recent) >= self.allowed:
            self.refused += 1
            return False
        self.recent.append(now)
        self.accepted += 1
        return True


def call(pace: Pace, provider: Provider, *, since: float, seconds: float) -> float:
    """Call a hundred times a second for so long, as far as the pace allows; return the time."""
    now, held = since, since
    while now < since + seconds:
        if now >= max(held, pace.ready_at):
            pace.start(now)
            if not provider.takes(now):
                pace.refuse(now, started=now, wait=provider.wait)
                held = now + (provider.wait or 0.0)
        now += 0.01
    return now


@pytest.mark.parametrize("wait", [None, 0.05, 1.0])
def test_a_refusing_provider_gets_most_of_what_it_bears(wait: float | None):
    """Of forty calls that are allowed in a second, thirty-two are made, and few are refused."""
    pace, provider = Pace(), Provider(40, wait)
    now = call(pace, provider, since=0.0, seconds=3.0)
    provider.accepted = provider.refused = 0
    call(pace, provider, since=now, seconds=60.0)
    assert provider.accepted >= 32 * 60
    assert provider.refused <= 60


def test_a_limit_that_falls_is_followed_and_one_that_ends_is_forgotten():
    """The pace falls with the limit within seconds, and ends within a minute of its end."""
    pace, provider = Pace(), Provider(40)
    now = call(pace, provider, since=0.0, seconds=10.0)
    provider.allowed = 10
    now = call(pace, provider, since=now, seconds=10.0)
    provider.accepted = provider.refused = 0
    now = call(pace, provider, since=now, seconds=20.0)
    assert provider.accepted >= 8 * 20
    assert provider.refused <= 40
    provider.allowed = 1000
    call(pace, provider, since=now, seconds=60.0)
    assert not pace.is_known


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_refusals_that_do_not_depend_on_the_rate_do_not_stop_the_calls(share: float):
    """A provider that refuses a fixed share at any rate gets at least half of the calls, not ever fewer."""
    pace, chance = Pace(), random.Random(1)
    now, started = 0.0, 0
    while now < 120.0:
        if now >= pace.ready_at:
            pace.start(now)
            started += 1
            if chance.random() < share:
                pace.refuse(now, started=now, wait=None)
        now += 0.01
    assert started >= 0.5 * 12_000


def test_a_provider_that_refuses_nothing_has_no_pace():
    """Calls start as they come."""
    pace = Pace()
    now = call(pace, Provider(1000), since=0.0, seconds=5.0)
    assert not pace.is_known
    assert pace.ready_at < now


def test_a_very_long_wait_does_not_stop_the_calls_after_it():
    """After an hour's wait with one accepted call, the next calls are seconds apart, not an hour."""
    pace = Pace()
    for accepted in (True, False):
        pace.start(0.0)
        if not accepted:
            pace.refuse(0.0, started=0.0, wait=3600.0)
    pace.start(3600.0)
    assert pace.ready_at <= 3600.0 + 20.0
