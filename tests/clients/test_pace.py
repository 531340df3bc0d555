"""Pace of calls to a provider that refuses some, on a virtual clock."""

from __future__ import annotations

import pytest

from peerjudge.clients.pace import Pace
from tests.clients.virtual_time import Noise, RateLimit, call_provider


def start_calls(pace: Pace, provider: RateLimit, *, since: float, seconds: float) -> list[float]:
    """Start a hundred calls a second for so long, as far as the pace allows; return the accepted ones."""
    now, accepted = since, []
    while now < since + seconds:
        if now >= pace.ready_at:
            pace.start(now)
            if provider.takes(now):
                accepted.append(now)
            else:
                pace.refuse(now, started=now)
        now += 0.01
    return accepted


@pytest.mark.parametrize("wait", [None, 1.0])
@pytest.mark.parametrize("latency", [0.05, 0.5, 2.0])
def test_a_refusing_provider_gives_most_of_what_it_allows(latency: float, wait: float | None):
    """Of forty replies that a second allows, thirty-two arrive, the search for the limit included."""
    found = call_provider(RateLimit(40), callers=256, latency=latency, wait=wait, seconds=20.0)
    assert found.answered >= 32 * 20
    assert found.refused <= 0.3 * found.answered
    assert found.failed == 0


@pytest.mark.parametrize("wait", [None, 1.0])
@pytest.mark.parametrize(("share", "longer"), [(0.06, 1.3), (0.2, 1.4)])
def test_refusals_at_any_rate_do_not_slow_down_the_calls(
    share: float, longer: float, wait: float | None
):
    """Refused calls are made again; the others go on as without refusals."""
    free, found = (
        call_provider(Noise(each), callers=32, latency=2.0, wait=wait, calls=640)
        for each in (0.0, share)
    )
    assert free.answered == 640 == found.answered + found.failed
    assert found.failed <= 2
    assert found.seconds <= longer * free.seconds


def test_a_limit_that_falls_is_followed_and_one_that_ends_is_forgotten():
    """The pace falls with the limit within seconds, and ends within a minute of its end."""
    pace, provider = Pace(), RateLimit(40)
    start_calls(pace, provider, since=0.0, seconds=10.0)
    provider.calls = 10
    start_calls(pace, provider, since=10.0, seconds=10.0)
    assert len(start_calls(pace, provider, since=20.0, seconds=20.0)) >= 8 * 20
    provider.calls = 1000
    start_calls(pace, provider, since=40.0, seconds=60.0)
    assert not pace.is_known


def test_single_refusals_set_no_pace():
    """Two refusals are no rate, whenever they come."""
    pace = Pace()
    for now in (0.0, 2.0):
        pace.start(now)
        pace.refuse(now, started=now)
    assert not pace.is_known
    assert pace.ready_at < 0.0


def test_refusals_of_calls_from_before_a_reduction_do_not_count():
    """Forty calls that were sent at once reduce the pace once, however late they are refused."""
    pace = Pace()
    for _ in range(40):
        pace.start(0.0)
    for _ in range(5):
        pace.refuse(1.0, started=0.0)
    pace.start(1.0)
    reduced = pace.ready_at
    for number in range(34):
        pace.refuse(1.1 + 0.01 * number, started=0.0)
    assert pace.ready_at == reduced
    assert not pace.is_exceeded


def test_a_provider_that_refuses_everything_is_asked_every_few_seconds():
    """After refusals alone, the calls are at most five seconds apart."""
    pace = Pace()
    for _ in range(16):
        pace.start(0.0)
    for _ in range(16):
        pace.refuse(60.0, started=0.0)
    pace.start(60.0)
    assert 60.0 < pace.ready_at <= 65.0
