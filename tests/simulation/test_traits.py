"""Traits on the card of a simulated reviewer."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import pytest

from peerjudge.data import Card, ReviewerKind
from peerjudge.errors import CardError
from peerjudge.simulation import Traits, read_traits


def card_with(**traits) -> Card:
    """Build a simulated reviewer's card with these traits."""
    return Card(name="sim_test", kind=ReviewerKind.SIMULATED, traits=traits)


def test_unnamed_traits_have_their_defaults():
    """A trait that a card does not name has its default."""
    assert read_traits(card_with()) == Traits()
    assert read_traits(card_with(ability=2)) == Traits(ability=2.0)


@pytest.mark.parametrize(
    ("traits", "sentence"),
    [
        ({"abilty": 1}, "did you mean 'ability'"),
        ({"colour": 1}, "choose one of ability"),
        ({"ability": "high"}, "finite number"),
        ({"ability": True}, "finite number"),
        ({"ability": float("nan")}, "finite number"),
        ({"ability": -1}, "cannot be negative"),
        ({"unreadable_rate": 1.5}, "between 0 and 1"),
        ({"shared_error": 0.7, "copy_error": 0.4}, "more than 1"),
        ({"unreadable_rate": 0.7, "refusal_rate": 0.4}, "more than 1"),
        ({"latency": -0.1}, "cannot be negative"),
        ({"persuasiveness": 0.7}, "steps of 0.5"),
        ({"persuasiveness": 4}, "from 0 to 3"),
        ({"persuasiveness": -1}, "from 0 to 3"),
        ({"length": 3}, "at least 20 words"),
    ],
)
def test_impossible_traits_are_refused(traits: dict, sentence: str):
    """An impossible trait raises an error that names the card and the fix."""
    with pytest.raises(CardError, match=sentence) as refused:
        read_traits(card_with(**traits))
    assert "sim_test" in str(refused.value)


def test_the_documentation_lists_every_trait_with_its_default():
    """The documentation lists each trait with its unit and its default."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "simulation.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| [^|]+ \| ([\d.]+) \|", page, flags=re.MULTILINE)
    assert {name: float(default) for name, _, default in rows} == asdict(Traits())
    assert {unit for _, unit, _ in rows} == {"sd", "share", "factor", "logit", "words", "s"}


def test_only_simulated_cards_have_traits():
    """A card of a real model cannot be simulated by mistake."""
    with pytest.raises(CardError, match="kind 'model'"):
        read_traits(Card(name="real"))
