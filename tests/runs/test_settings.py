"""Settings of an experiment, by name."""

import pytest

from peerjudge.data import replace
from peerjudge.errors import ExperimentError, ProtocolError
from peerjudge.runs import prepare


def test_an_option_reaches_every_protocol_that_has_it(small):
    """`turns` is an option of a discussion and not of a lone judge."""
    parts = prepare(small, settings={"turns": "6"}).plan.parts
    assert [part.protocol.settings().get("turns") for part in parts] == [6, None]


def test_a_trait_reaches_every_simulated_reviewer(small):
    """`latency` is a trait of simulated reviewers and not part of their identity."""
    plain, slow = prepare(small), prepare(small, settings={"latency": "0.25"})
    assert {card.traits["latency"] for card in slow.plan.cast.values()} == {0.25}
    assert [head.id for head in slow.plan] == [head.id for head in plain.plan]


def test_a_temperature_makes_other_discussions(small):
    """Discussions at another temperature have other identities: stored replies are not reused."""
    warm = prepare(small, settings={"temperature": "0.9"})
    assert {head.id for head in warm.plan}.isdisjoint(head.id for head in prepare(small).plan)


def test_leaders_orders_and_repetitions_set_the_number_of_discussions(small):
    """One leader, one order and three repetitions are six discussions of two conditions."""
    shaped = prepare(
        small, limit=1, settings={"leader": "second", "orders": "given", "repetitions": "3"}
    )
    assert len(shaped.plan) == 6
    assert len({head.repetition for head in shaped.plan}) == 3


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"latancy": "1"}, ExperimentError, "did you mean 'latency'"),
        ({"leader": "third"}, ExperimentError, "first, second, random, both"),
        ({"repetitions": "none"}, ExperimentError, "whole number"),
        ({"latency": "soon"}, ExperimentError, "'soon'"),
        ({"temperature": "hot"}, ExperimentError, "'hot'"),
        ({"turns": "many"}, ProtocolError, "'many'"),
        ({"stop": "never"}, ProtocolError, "agreement"),
    ],
)
def test_an_unknown_setting_or_value_is_refused(small, settings, error, says):
    """The error for an unknown key or value names the known ones."""
    with pytest.raises(error, match=says):
        prepare(small, settings=settings)


@pytest.mark.parametrize(("orders", "discussions"), [("given", 1), ("swapped", 1), ("both", 2)])
def test_orders_as_text_play_as_many_discussions_as_they_name(small, orders, discussions):
    """An experiment that says `orders="given"` plays each comparison once, not in both orders."""
    one = replace(small.conditions[1], orders=orders)
    assert len(prepare(replace(small, conditions=(one,)), limit=1).plan) == discussions


def test_an_experiment_from_python_is_checked_like_a_file(small):
    """A wrong type in a declaration is refused before the run, with its place."""
    with pytest.raises(ExperimentError, match="repetitions"):
        prepare(replace(small, repetitions="many"))


def test_an_error_of_a_condition_names_it(small):
    """A protocol that does not take the seats is reported with the condition that seats them."""
    lone = replace(small.conditions[0], seats="sim_plain")
    with pytest.raises(ProtocolError, match=r"'talk'.*seats"):
        prepare(replace(small, conditions=(lone,)))
