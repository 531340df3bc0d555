"""Effects of changes in forks, against redraws of the same discussions."""

from __future__ import annotations

from peerjudge.data import UNREADABLE, Fork, StopReason, Verdict, replace
from peerjudge.features.forks.effects import measure_forks
from peerjudge.statistics.sampler import Sampler
from peerjudge.testing import comparison_of, transcript_of

CHANGES = {"talk / no change": "", "talk / leader=other": "leader=other"}


def parent_of(number, moves="1|2 1 1"):
    """Return a discussion of its own question; gold is its second answer."""
    comparison = comparison_of(2, name=f"c{number}")
    question = replace(comparison.question, id=f"q{number}")
    gold = Verdict.of(comparison.shown[1])
    found = transcript_of(moves, comparison=replace(comparison, question=question, gold=gold))
    return replace(found, id=f"p{number}")


def fork_of(parent, moves, condition, *, draw=1):
    """Return a fork that keeps the private reviews."""
    found = transcript_of(moves, comparison=parent.comparison, condition=condition)
    link = Fork(parent=parent.id, at=2, change=CHANGES[condition], draw=draw)
    return replace(found, id=f"{parent.id} {condition} {draw}", fork=link)


def measure(forks, parents):
    """Return the effects of forks at turn 2."""
    known = {one.id: one for one in parents}
    return measure_forks(forks, known, CHANGES, at=2, sampler=Sampler())


def test_a_change_that_turns_every_conclusion_has_the_greatest_difference():
    """Ten of ten conclusions turned to gold, none without the change: +1 with p of 2 in 1,024."""
    parents = [parent_of(number) for number in range(10)]
    forks = [
        fork_of(one, moves, condition, draw=draw)
        for one in parents
        for draw in (1, 2)
        for condition, moves in zip(CHANGES, ("1|2 1 1", "1|2 2 2"), strict=True)
    ]
    found = measure(forks, parents)
    floor, changed = found.rows
    assert (floor.turned.value, changed.turned.value) == (0.0, 1.0)
    assert (changed.towards.value, changed.away.value) == (1.0, 0.0)
    assert (found.redraws, found.discussions, found.tests) == (2, 10, 3)
    turned, right = (changed.contrast(one).difference for one in ("turned", "right"))
    assert (turned.difference.value, right.difference.value) == (1.0, 1.0)
    assert turned.difference.n == 10
    assert turned.p_value < 0.005
    assert changed.contrast("turned").p_holm >= turned.p_value


def test_a_change_is_held_against_redraws_and_not_against_the_parents():
    """Where redraws turn as often as forks with a change, the change has no effect."""
    parents = [parent_of(number) for number in range(8)]
    forks = [fork_of(one, "1|2 2 2", condition) for one in parents for condition in CHANGES]
    changed = measure(forks, parents).rows[1]
    assert changed.turned.value == 1.0
    assert changed.contrast("turned").difference.difference.value == 0.0


def test_draws_of_the_parent_are_no_redraws():
    """A play with the draws of its parent, which was chosen, enters no difference."""
    parents = [parent_of(number) for number in range(8)]
    forks = [fork_of(one, "1|2 2 2", condition, draw=0) for one in parents for condition in CHANGES]
    found = measure(forks, parents)
    assert found.redraws == found.tests == 0
    assert [row.contrasts for row in found.rows] == [(), ()]


def test_unreadable_and_unfinished_forks_are_counted_and_left_out():
    """Neither is a conclusion that turned."""
    parents = [parent_of(number) for number in range(3)]
    plain = [fork_of(one, "1|2 1 1", condition) for one in parents for condition in CHANGES]
    plain[1] = replace(plain[1], verdict=UNREADABLE)
    plain[3] = replace(plain[3], stop=StopReason.FAILED)
    changed = measure(plain, parents).rows[1]
    assert (changed.plays, changed.unfinished, changed.unreadable) == (2, 1, 1)
    assert changed.turned.n == 1
    assert changed.contrast("turned").discussions == 1


def test_where_no_seat_hears_another_nothing_is_altered():
    """Votes have conclusions that turn, and no share of altered opinions."""
    parents = [parent_of(number, "1|1") for number in range(3)]
    forks = [fork_of(one, "2|2", condition) for one in parents for condition in CHANGES]
    changed = measure(forks, parents).rows[1]
    assert (changed.turned.value, changed.altered) == (1.0, None)
    assert [one.outcome for one in changed.contrasts] == ["turned", "right"]


def test_an_opinion_altered_before_the_fork_is_none_of_its_effects():
    """Only events of played turns count."""
    parent = parent_of(0, "1|2 2 1")
    late = [fork_of(parent, "1|2 2 1", condition) for condition in CHANGES]
    early = measure_forks(late, {parent.id: parent}, CHANGES, at=2, sampler=Sampler())
    after = measure_forks(late, {parent.id: parent}, CHANGES, at=9, sampler=Sampler())
    assert (early.rows[0].altered.value, after.rows[0].altered.value) == (1.0, 0.0)
