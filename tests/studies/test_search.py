"""Repeated searches for better prompts adopt what is planted, and hardly anything else."""

from __future__ import annotations

import asyncio
import json
from statistics import fmean

import pytest

from peerjudge.data import Search, replace, to_plain
from peerjudge.features.search.optimizing import optimize
from peerjudge.runs import prepare
from peerjudge.simulation import Traits, expect_accuracy, read_traits
from studies.search.report import measure_rows
from studies.search.searches import (
    NEUTRAL,
    PLANTED,
    SHELF,
    build_experiment,
    build_pairs,
    measure_search,
    search_once,
)

SIZES = (20, 40, 30)
SEED = 12


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """The pairs of the study as a table that the command reads."""
    path = tmp_path_factory.mktemp("data") / "pairs.jsonl"
    rows = [
        {
            "question": one.question.text,
            "answer_a": one.answers[0].text,
            "answer_b": one.answers[1].text,
            "gold": one.gold.choice if one.gold else None,
        }
        for one in build_pairs(sum(SIZES)).comparisons
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return f"jsonl:{path}"


def test_the_planted_sentence_costs_thirteen_points():
    """The judge of the study is right in 65 % of pairs, and in 78 % without the sentence."""
    card = SHELF.card(PLANTED)
    (reaction,) = card.responds
    traits = read_traits(card)
    with_it = Traits(ability=traits.ability + reaction.add)
    assert expect_accuracy(with_it) == pytest.approx(0.65, abs=1e-3)
    assert expect_accuracy(Traits(ability=traits.ability)) == pytest.approx(0.78, abs=1e-3)
    assert read_traits(SHELF.card(NEUTRAL)).ability == pytest.approx(with_it.ability)
    assert SHELF.card(NEUTRAL).role == card.role


def test_a_search_of_the_study_is_the_search_of_the_command(table, tmp_path):
    """Without words every score, candidate, decision and test is the one that the command finds."""
    experiment = build_experiment(PLANTED)
    found = asyncio.run(
        optimize(
            replace(experiment, data=table),
            targets=("pack:tasks.review",),
            steps=1,
            candidates=6,
            split=",".join(map(str, SIZES)),
            seed=SEED,
            out=tmp_path / "search",
            shelf=SHELF,
        )
    )
    dataset = prepare(replace(experiment, data=table), shelf=SHELF).dataset
    search = Search(steps=1, candidates=6, split=",".join(map(str, SIZES)))
    played = search_once(PLANTED, dataset, search=search, seed=SEED)
    assert [one.id for one in found.candidates] == [one.id for one in played.state.candidates]
    for row in found.candidates:
        scored = played.state.scores.get(row.id)
        assert (row.search is None) == (scored is None)
        if scored is not None:
            assert row.search == pytest.approx(fmean(scored.scores.values()))
    assert to_plain(found.adoption) == to_plain(played.adoption)
    assert found.adoption.adopted
    assert measure_search(played).gain == pytest.approx(found.test.difference.value)


@pytest.fixture(scope="module")
def rows():
    """Ten searches of each kind."""
    return measure_rows(seed=5, searches=10, sizes=((60, 40, 100),))


@pytest.mark.slow
def test_searches_adopt_what_is_planted_and_little_else(rows):
    """Most searches adopt the planted edit and gain on the test split; few adopt a neutral one."""
    planted, neutral = rows
    assert planted.adopted >= 0.3
    assert planted.gain >= 0.03
    assert neutral.adopted <= 0.2
    assert abs(neutral.gain) < 0.02


@pytest.mark.slow
def test_the_best_of_neutral_candidates_is_flattered(rows):
    """Without any difference the best candidate on the search split looks better than it is."""
    _, neutral = rows
    assert neutral.naive_adopted >= 0.8
    assert neutral.overstatement > 0.03
    assert abs(neutral.naive_gain) < 0.05


@pytest.mark.slow
def test_halving_saves_calls(rows):
    """Every step asks for at most 65 % of the calls that all candidates on all questions take."""
    assert max(row.most_halving for row in rows) <= 0.65
