from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from peerjudge.analysis import accuracy, bootstrap_mean, opinions, proportion
from peerjudge.data import REFUSED, TIE, UNREADABLE, EventKind, OpinionEvent, Role, Verdict
from peerjudge.errors import DataError

ONE, TWO = Verdict.of("one"), Verdict.of("two")


@given(st.integers(0, 200), st.integers(1, 200))
@settings(deadline=None)
def test_a_share_is_inside_its_wilson_interval(successes: int, n: int):
    """The bounds stay within 0 and 1, and hold the share."""
    found = proportion(min(successes, n), n)
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0


@given(st.integers(0, 60), st.integers(1, 60))
@settings(deadline=None)
def test_the_wilson_interval_is_that_of_scipy(successes: int, n: int):
    """The closed form needs no library, and agrees with one."""
    k = min(successes, n)
    expected = binomtest(k, n).proportion_ci(method="wilson")
    found = proportion(k, n)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_nothing_measured_is_not_zero():
    """Without trials there is no share, and more successes than trials is a mistake."""
    assert math.isnan(proportion(0, 0).value)
    assert bootstrap_mean([], []).n == 0
    with pytest.raises(DataError, match="3 successes in 2 trials"):
        proportion(3, 2)
    with pytest.raises(DataError, match="2 values cannot belong to 1 clusters"):
        bootstrap_mean([1.0, 0.0], ["q"])


def test_repeating_a_question_adds_no_certainty():
    """Ten copies of each answer leave the interval as wide as it was."""
    random = np.random.default_rng(0)
    values = random.integers(0, 2, 40).astype(float).tolist()
    once = bootstrap_mean(values, list(range(40)))
    copies = bootstrap_mean(values * 10, list(range(40)) * 10)
    assert (copies.low, copies.high) == pytest.approx((once.low, once.high))
    apart = bootstrap_mean(values * 10, list(range(400)))
    assert apart.high - apart.low < (once.high - once.low) / 2


def test_the_bootstrap_covers_what_it_promises():
    """About 95 of 100 intervals hold the mean they estimate."""
    random = np.random.default_rng(4)
    held = 0
    for trial in range(200):
        level = random.normal(size=60).repeat(3)
        found = bootstrap_mean(
            level + random.normal(size=180),
            np.arange(60).repeat(3).tolist(),
            seed=trial,
            samples=400,
        )
        held += found.low <= 0.0 <= found.high
    assert 0.88 <= held / 200 <= 0.99


def test_the_same_seed_draws_the_same_interval():
    """A result can be repeated to the last digit."""
    values, clusters = [0.0, 1.0, 1.0, 0.0], ["a", "b", "c", "d"]
    assert bootstrap_mean(values, clusters, seed=7) == bootstrap_mean(values, clusters, seed=7)


def test_unreadable_verdicts_bound_the_accuracy():
    """They are no ties and no errors: excluded, counted, and put on either side."""
    judged = [
        (ONE, ONE),
        (TWO, ONE),
        (TIE, TIE),
        (UNREADABLE, ONE),
        (REFUSED, TIE),
        (ONE, UNREADABLE),
    ]
    found = accuracy(judged)
    assert found.measured.value == pytest.approx(2 / 3)
    assert (found.measured.n, found.unreadable) == (3, 2)
    assert (found.worst_case, found.best_case) == (pytest.approx(2 / 5), pytest.approx(4 / 5))


verdicts = st.sampled_from([ONE, TWO, TIE, UNREADABLE])


@given(st.lists(st.tuples(verdicts, verdicts), min_size=1), st.booleans())
@settings(deadline=None)
def test_accuracy_lies_between_its_worst_and_best_case(
    judged: list[tuple[Verdict, Verdict]], clustered: bool
):
    """Whatever the unreadable replies meant, the truth is in between."""
    names = [k // 2 for k in range(len(judged))] if clustered else None
    found = accuracy(judged, clusters=names, samples=50)
    if found.measured.n:
        assert found.worst_case <= found.measured.value <= found.best_case
        assert found.measured.low <= found.measured.value <= found.measured.high


def event(kind: EventKind, *, reviewer: str = "ann", role: Role = Role.LEADER, n: int = 0):
    """An opinion event on comparison n."""
    return OpinionEvent(
        discussion=f"d{n}",
        condition="c",
        comparison=f"c{n}",
        turn=2,
        seat="s",
        reviewer=reviewer,
        role=role,
        kind=kind,
        before=ONE,
        after=ONE,
        others=TWO,
        heard=("t",),
    )


def test_opinions_are_counted_by_reviewer_and_role():
    """Shares are of the events in which a reviewer had been contradicted, not of all."""
    held = [event(EventKind.HELD, n=n) for n in range(3)]
    rest = [event(EventKind.ALTERED, n=3), event(EventKind.AGREED, n=4)]
    other = [event(EventKind.AGREED, role=Role.FOLLOWER)]
    follower, leader = opinions([*held, *rest, *other])
    assert (leader.reviewer, leader.role) == ("ann", Role.LEADER)
    assert leader.events[EventKind.HELD] == 3
    assert leader.events[EventKind.SHIFTED] == 0
    assert leader.held.value == 0.75
    assert leader.altered.value == 0.25
    assert leader.altered.n == 4
    assert follower.altered.n == 0
