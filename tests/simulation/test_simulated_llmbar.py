"""Simulated reviewers of LLMBar: near the published totals, with probabilities of their ratings."""

from __future__ import annotations

import math

import pytest

from peerjudge.data import Expects, Sampling, replace
from peerjudge.features.papers.reading import read_published_tables
from peerjudge.simulation import SimulatedReviewer, expect_accuracy, read_traits
from peerjudge.simulation.latent import read_subsets
from peerjudge.testing import comparison_of
from peerjudge.verdicts import read_review
from tests.simulation.test_simulated_cards import card

SETTINGS = {
    "sim_llmbar_gpt35": "gpt-3.5-turbo",
    "sim_llmbar_gpt4": "gpt-4",
    "sim_llmbar_claude": "claude-3-haiku",
    "sim_llmbar_gpt4o_mini": "gpt-4o-mini",
    "sim_llmbar_gpt4o": "gpt-4o",
    "sim_llmbar_llama": "llama-3.1-8b",
}
MISSED = {("sim_llmbar_llama", "prepair")}
"""Where the table gives a model more than the dampening that all of them have in common."""


@pytest.mark.parametrize("name", SETTINGS)
def test_fitted_reviewers_have_about_the_published_totals(name: str):
    """On Adversarial, each method is within the error of 319 instances of PRePair's figure."""
    traits = read_traits(card(name))
    dampening = {
        "pointwise": traits.alone_dampening,
        "prepair": traits.alone_dampening,
        "prepair_star": traits.together_dampening,
    }
    (table,) = (one for one in read_published_tables("prepair") if one.name == "Table 4")
    for line in table.lines:
        if line.setting != SETTINGS[name]:
            continue
        surface = traits.surface * dampening.get(line.protocol, 1.0)
        expected = sum(
            items
            * expect_accuracy(
                traits,
                pull=-surface * read_subsets()[subset.lower()].lure,
                clarity=read_subsets()[subset.lower()].clarity,
            )
            for subset, items in table.items.items()
            if subset not in {"Natural", "Adversarial"}
        )
        printed = line.values["Adversarial"]
        error = 1.96 * (printed * (1 - printed) / 319) ** 0.5
        if (name, line.protocol) not in MISSED:
            assert expected / 319 == pytest.approx(printed, abs=error)
        assert expect_accuracy(traits) == pytest.approx(line.values["Natural"], abs=0.085)


async def test_ratings_have_probabilities_if_the_seat_wants_them(asked):
    """A rating is two tokens, and the last has alternatives; their mean is the score."""
    reviewer = SimulatedReviewer(card("sim_llmbar_gpt35"), seed=3)
    comparison = comparison_of(gold=1)
    fields = {"task": "rate", "sees": ("answer-2",), "expects": Expects.RATING}
    silent = asked(comparison, **fields)
    wordy = replace(silent, seat=replace(silent.seat, sampling=Sampling(logprobs=True)))
    said = await reviewer.speak(wordy)
    assert "".join(token.token for token in said.logprobs) == said.text
    chances = [math.exp(logprob) for _, logprob in said.logprobs[-1].top]
    assert sum(chances) == pytest.approx(1.0)
    weighted = read_review(said.text, cue=wordy.cue, comparison=comparison, logprobs=said.logprobs)
    stated = read_review(said.text, cue=wordy.cue, comparison=comparison)
    assert weighted.rule.endswith("weighted")
    assert 0 < abs(weighted.score - stated.score) < 1
    assert (await reviewer.speak(silent)).logprobs is None
    assert (await reviewer.speak(silent)).text == said.text
