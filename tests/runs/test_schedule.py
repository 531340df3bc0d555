"""The discussions of an experiment."""

import json
from collections import Counter

import pytest

from peerjudge.data import Condition, Experiment, Leader, Orders, Role, Seating, replace
from peerjudge.errors import ExperimentError, ProtocolError, ShelfError
from peerjudge.runs import prepare
from peerjudge.runs.estimate import Costs, estimate_calls
from peerjudge.runs.schedule import list_orders
from peerjudge.testing import comparison_of


def test_each_condition_has_each_comparison_order_and_leader(small):
    """Two leaders in two orders and a lone judge in two orders are six discussions."""
    plan = prepare(small, limit=3).plan
    heads = list(plan)
    assert len(heads) == len(plan) == 3 * (2 * 2 + 2)
    assert len({head.id for head in heads}) == len(heads)


def test_a_run_that_stops_early_has_complete_comparisons(small):
    """Discussions are ordered by comparison first, not by condition."""
    met = [head.comparison.id for head in prepare(small, limit=3).plan]
    assert [met[i] for i in range(0, 18, 6)] == list(dict.fromkeys(met))


def test_the_other_leader_speaks_first(small):
    """Under the second leader, the reviewers change seats and roles."""
    talks = [head for head in prepare(small, limit=1).plan if head.condition == "talk"]
    seatings = {tuple(seat.reviewer for seat in head.seats) for head in talks}
    assert seatings == {("sim_strong", "sim_weak"), ("sim_weak", "sim_strong")}
    assert all(head.seats[0].role == Role.LEADER for head in talks)


def test_a_condition_judges_the_answers_of_its_contestants(tmp_path):
    """A condition with contestants leaves out pairs with an answer by another author."""
    authors = [("ann", "bob"), ("bob", "cyd"), ("ann", "cyd"), ("bob", "ann")]
    rows = [
        {
            "question": f"{n}?",
            "answer_a": "One.",
            "answer_b": "Two.",
            "author_a": one,
            "author_b": two,
        }
        for n, (one, two) in enumerate(authors)
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    every = Condition(name="every", protocol="pairwise", seats="sim_plain")
    some = replace(every, name="some", protocol="pairwise_cot", contestants=("ann", "bob"))
    declared = Experiment(data=f"jsonl:{tmp_path / 'pairs.jsonl'}", conditions=(every, some))
    plan = prepare(declared).plan
    judged = Counter(head.condition for head in plan)
    assert judged == {"every": 8, "some": 4}
    assert len(plan) == 12
    assert estimate_calls(plan, Costs()).discussions == judged


def test_a_seed_draws_leaders_and_orders_once_for_each_comparison(small):
    """Random leaders and orders depend on the seed and vary between comparisons."""
    condition = replace(small.conditions[0], leader=Leader.RANDOM, orders=Orders.RANDOM)
    mixed = replace(small, conditions=(condition,))
    first = list(prepare(mixed).plan)
    assert [head.id for head in prepare(mixed).plan] == [head.id for head in first]
    assert len({head.seats[0].reviewer for head in first}) == 2
    assert len({head.comparison.shown[0] == min(head.comparison.shown) for head in first}) == 2


def test_three_answers_are_shown_in_every_rotation():
    """In three rotations, each of three answers is first, second and third once."""
    rotations = list_orders(comparison_of(3), Orders.BOTH, seed=0)
    assert len(rotations) == 3
    for place in range(3):
        assert len({one.shown[place] for one in rotations}) == 3


def test_a_protocol_that_reverses_the_order_itself_has_one_discussion(small):
    """Each comparison has one discussion for all settings of `orders`."""
    condition = Condition(name="both at once", protocol="reconciled", seats=("sim_strong",))
    for orders in (Orders.GIVEN, Orders.BOTH, Orders.ALL):
        chosen = replace(small, conditions=(replace(condition, orders=orders),))
        plan = prepare(chosen, limit=3).plan
        assert len(list(plan)) == len(plan) == 3


def test_temperature_belongs_to_the_seat():
    """Seats of one reviewer at two temperatures differ in nothing else."""
    twice = Experiment(
        name="self",
        data="sample",
        conditions=(
            Condition(
                name="self",
                protocol="self_discussion",
                seats=(
                    Seating(reviewer="sim_plain", temperature=0.2),
                    Seating(reviewer="sim_plain", temperature=1.0),
                ),
            ),
        ),
    )
    seats = next(iter(prepare(twice).plan)).seats
    assert [seat.sampling.temperature for seat in seats] == [0.2, 1.0]
    assert len({(seat.reviewer, seat.identity) for seat in seats}) == 1


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"protocol": "leader_folower"}, ShelfError, "did you mean 'leader_follower'"),
        ({"seats": ("sim_strong",)}, ProtocolError, "takes 2 seats, not 1"),
        ({"seats": ("sim_strong", "unknown")}, ShelfError, "unknown"),
        ({"options": {"turn": 2}}, ProtocolError, "did you mean 'turns'"),
        ({"prompts": "none_such"}, ShelfError, "none_such"),
        ({"name": "alone"}, ExperimentError, "two conditions called 'alone'"),
    ],
)
def test_an_invalid_condition_is_refused_before_the_run(small, change, error, says):
    """A misspelt name, a missing seat or an unknown option raises an error that names it."""
    wrong = replace(small.conditions[0], **change)
    with pytest.raises(error, match=says):
        prepare(replace(small, conditions=(wrong, small.conditions[1])))
