"""Declarations of experiments as users write them."""

import pytest

from peerjudge.data import (
    Card,
    Condition,
    Experiment,
    Leader,
    Orders,
    Question,
    ReviewerKind,
    Seating,
    from_plain,
    replace,
    to_plain,
)
from peerjudge.errors import DataError


def declare(**fields):
    """Declare a discussion of two reviewers."""
    values = {"name": "talk", "protocol": "leader_follower", "seats": ("one", "two")} | fields
    return Condition(**values)


@pytest.mark.parametrize("leader", list(Leader))
@pytest.mark.parametrize("orders", list(Orders))
def test_text_and_enum_values_declare_the_same_condition(leader, orders):
    """A leader or an order as text is the enum value, also in a changed copy."""
    typed = declare(leader=leader, orders=orders)
    assert declare(leader=leader.value, orders=orders.value) == typed
    written = replace(declare(), leader=leader.value, orders=orders.value)
    assert (written.leader, written.orders) == (leader, orders)
    assert isinstance(written.leader, Leader)
    assert isinstance(written.orders, Orders)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"orders": "reverse"}, r"'talk'.*orders.*given, swapped, random, both, all.*'reverse'"),
        ({"leader": "third"}, r"'talk'.*leader.*first, second, random, both.*'third'"),
        ({"leader": None}, r"leader.*None"),
        ({"seats": ("one", 2)}, r"'talk'.*seats.*2"),
    ],
)
def test_an_unknown_value_is_refused_with_the_known_ones(fields, says):
    """A wrong value raises where it is written, and names the condition and the values."""
    with pytest.raises(DataError, match=says):
        declare(**fields)


@pytest.mark.parametrize("seat", ["sim_plain", Seating(reviewer="sim_plain", temperature=0.5)])
def test_a_single_seat_needs_no_tuple(seat):
    """`seats=("x")` is text in Python, and means one seat."""
    assert declare(seats=seat).seats == (seat,)
    assert declare(seats=[seat, seat]).seats == (seat, seat)


def test_a_single_condition_needs_no_tuple():
    """`conditions=Condition(...)` means one condition, and survives the plain form."""
    experiment = Experiment(data="sample", conditions=declare(orders="given"))
    assert experiment.conditions == (declare(orders=Orders.GIVEN),)
    assert from_plain(Experiment, to_plain(experiment)) == experiment
    with pytest.raises(DataError, match="conditions takes Conditions, not 'talk'"):
        Experiment(data="sample", conditions="talk")


def test_the_kind_of_a_card_is_one_of_the_known_kinds():
    """A card in a Python file names its kind as text or as a value."""
    assert Card(name="one", kind="simulated").kind is ReviewerKind.SIMULATED
    with pytest.raises(DataError, match=r"model, simulated, recorded, python.*'robot'"):
        Card(name="one", kind="robot")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Seating(card="ann"), "Seating has no field 'card'. It has reviewer"),
        (lambda: Condition(protocl="panel"), "no field 'protocl'; did you mean 'protocol'"),
        (lambda: Experiment(condition=()), "did you mean 'conditions'"),
        (lambda: Question(id="q", txt="Why?"), "did you mean 'text'"),
        (lambda: Question(text="Why?"), "'id'"),
    ],
)
def test_a_wrong_field_of_a_declaration_is_answered_with_the_right_one(make, says):
    """The message has the nearest field, and all that there are."""
    with pytest.raises(TypeError, match=says):
        make()
