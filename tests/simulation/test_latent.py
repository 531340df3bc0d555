"""Mathematics of simulated reviewers: latent quality, error, accuracy, opinion changes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import TIE, Verdict, replace
from peerjudge.simulation import (
    Traits,
    compute_change_chance,
    expect_accuracy,
    find_latent,
    split_noise,
)
from peerjudge.simulation.latent import draw_normal, draw_uniform
from peerjudge.testing import comparison_of


@given(st.integers(1, 3), st.integers(0, 50), st.permutations(["answer-1", "answer-2", "answer-3"]))
def test_truth_does_not_depend_on_the_shown_order(gold: int, seed: int, order: list[str]):
    """Merit, lure and truth are the same in every shown order."""
    comparison = replace(comparison_of(3, gold=gold), subset="adversarial")
    shown = find_latent(comparison, seed=seed)
    assert find_latent(comparison.reordered(order), seed=seed) == shown


@given(st.sampled_from([None, 1, 2]), st.integers(0, 50))
def test_the_best_answer_has_the_highest_merit(gold: int | None, seed: int):
    """Gold is the better answer; without gold there is a better one too."""
    comparison = comparison_of(gold=gold)
    latent = find_latent(comparison, seed=seed)
    assert latent.truth == (comparison.gold or latent.truth)
    best = max(latent.merit, key=lambda answer: latent.merit[answer])
    assert latent.truth == Verdict.of(best)
    assert latent.merit[best] == 0


def test_questions_differ_in_difficulty():
    """Margins are half-normal over comparisons: many are small, few are large."""
    margins = [
        -min(find_latent(comparison_of(gold=1, name=f"c{n}"), seed=7).merit.values())
        for n in range(4000)
    ]
    assert np.mean(margins) == pytest.approx(math.sqrt(2 / math.pi), abs=0.03)
    assert np.mean(np.square(margins)) == pytest.approx(1, abs=0.06)


def test_a_tied_gold_means_small_margins():
    """If gold is a tie, the margin is small."""
    tied = replace(comparison_of(gold=1), gold=TIE)
    latent = find_latent(tied, seed=3)
    clear = find_latent(comparison_of(gold=1), seed=3)
    assert latent.truth == TIE
    assert set(latent.lure.values()) == {0.0}
    assert min(latent.merit.values()) > min(clear.merit.values()) - 1
    assert min(latent.merit.values()) > -0.6


@pytest.mark.parametrize("subset", ["adversarial", "Neighbor", "GPTInst", "GPTOut", "Manual"])
def test_adversarial_items_lure_to_the_wrong_answer(subset: str):
    """Only on adversarial items the wrong answer has an attractive surface."""
    comparison = comparison_of(gold=2)
    lure = find_latent(replace(comparison, subset=subset), seed=1).lure
    assert lure["answer-1"] > 0
    assert lure["answer-2"] == 0
    marked = replace(comparison, meta={"adversarial": True})
    assert find_latent(marked, seed=1).lure["answer-1"] > 0
    natural = replace(comparison, subset="Natural", meta={"adversarial": False})
    assert set(find_latent(natural, seed=1).lure.values()) == {0.0}


@settings(max_examples=20)
@given(st.lists(st.one_of(st.integers(), st.text(max_size=9)), min_size=1, max_size=4))
def test_derived_numbers_are_proper(key: list):
    """A number derived from a key is finite, and the same every time."""
    assert 0 < draw_uniform(*key) < 1
    assert math.isfinite(draw_normal(*key))
    assert draw_normal(*key) == draw_normal(*key)


def test_derived_numbers_are_normal():
    """Numbers derived from different keys look like independent standard normal draws."""
    drawn = np.array([[draw_normal("a", n), draw_normal("b", n)] for n in range(6000)])
    assert np.abs(drawn.mean(axis=0)).max() < 0.05
    assert np.abs(np.cov(drawn.T) - np.eye(2)).max() < 0.06


@given(st.floats(0, 4))
def test_accuracy_without_bias_has_a_closed_form(ability: float):
    """Unbiased, a reviewer of ability a is right with probability 1/2 + arctan(a) / pi."""
    expected = 0.5 + math.atan(ability) / math.pi
    assert expect_accuracy(Traits(ability=ability)) == pytest.approx(expected, abs=1e-6)


def test_bias_and_lure_harm_accuracy():
    """A bias helps in one order and harms on average; a lure harms, and less when dampened."""
    plain, biased = Traits(ability=0.8), Traits(ability=0.8, position_bias=0.5)
    assert expect_accuracy(biased, best_first=True) > expect_accuracy(plain)
    assert expect_accuracy(biased, best_first=False) < expect_accuracy(biased)
    assert expect_accuracy(biased) < expect_accuracy(plain)
    assert expect_accuracy(plain, pull=-1) < expect_accuracy(plain, pull=-0.57)
    assert expect_accuracy(plain, ties=True) < expect_accuracy(plain)
    assert expect_accuracy(plain, temperature=2) < expect_accuracy(plain, temperature=1)


@given(st.floats(0, 0.5), st.floats(0, 0.5), st.floats(0, 1))
def test_temperature_moves_error_without_adding_any(shared: float, copies: float, heat: float):
    """Up to temperature 1 the error only moves from the reviewer's persistent to its fresh part."""
    traits = Traits(shared_error=shared, copy_error=copies)
    assert split_noise(traits, heat).total == pytest.approx(1)
    assert split_noise(traits, 0).fresh == 0
    assert split_noise(traits, 1).own == pytest.approx(copies)
    assert split_noise(traits, 1 + heat).total >= 1 - 1e-9


def test_opinion_changes_of_the_published_reviewers():
    """The fitted reviewers give way at the tabulated rates: followers far more often than leaders."""
    fitted = {"gpt4": -3.9, "claude": 3.6, "gpt35": 6.5}
    expected = {
        ("gpt4", False): (0.08, 0.00),
        ("claude", False): (0.99, 0.89),
        ("gpt35", False): (1.00, 0.99),
        ("gpt4", True): (0.00, 0.00),
        ("claude", True): (0.04, 0.00),
        ("gpt35", True): (0.43, 0.04),
    }
    for (name, leads), chances in expected.items():
        traits = Traits(susceptibility=fitted[name], firmness=8.3, truth_pull=1.5)
        for right, chance in zip((True, False), chances, strict=True):
            found = compute_change_chance(traits, leads=leads, right=right, first_turn=True)
            assert found == pytest.approx(chance, abs=0.01)
            later = compute_change_chance(traits, leads=leads, right=right, first_turn=False)
            assert later == pytest.approx(found / 2)
