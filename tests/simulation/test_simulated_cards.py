"""Simulated reviewers on the shelf: four invented ones and three fitted to published figures."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from peerjudge.data import Card, ReviewerKind
from peerjudge.shelf.cards import read_card
from peerjudge.simulation import SimulatedReviewer, expect_accuracy, read_traits

SHELF = Path(__file__).resolve().parents[2] / "agents"
NAMES = sorted(path.stem for path in SHELF.glob("sim_*.toml"))


def card(name: str) -> Card:
    """Return the card of this name on the shelf."""
    return read_card(name, (SHELF / f"{name}.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_cards_say_that_they_are_simulated(name: str):
    """Every simulated card loads, and its description begins with `Simulated`."""
    read = card(name)
    assert read.kind is ReviewerKind.SIMULATED
    assert read.description.startswith("Simulated")
    assert SimulatedReviewer(read, seed=0).name == name


def test_quickstart_reviewers_differ_in_ability():
    """From weak to strong, each reviewer of the quickstart is clearly better than the previous one."""
    ladder = [
        expect_accuracy(read_traits(card(f"sim_{name}")))
        for name in ("weak", "plain", "solid", "strong")
    ]
    assert all(better > worse + 0.04 for worse, better in pairwise(ladder))


@pytest.mark.parametrize(
    ("name", "published"), [("sim_gpt4", 0.729), ("sim_claude", 0.671), ("sim_gpt35", 0.579)]
)
def test_fitted_reviewers_have_about_the_published_private_accuracy(name: str, published: float):
    """Fitted cards reproduce PRD Table 4's private accuracies within the error of 140 questions."""
    error = 1.96 * (published * (1 - published) / 140) ** 0.5
    assert expect_accuracy(read_traits(card(name))) == pytest.approx(published, abs=error)
