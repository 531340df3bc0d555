"""Repeated searches for better prompts adopt what is planted, and hardly anything else."""

from __future__ import annotations

import asyncio
import json
from statistics import fmean

import numpy as np
import pytest
from scipy.stats import binom, t

from peerjudge.data import Search, replace, to_plain
from peerjudge.features.search.adoption import ALPHA, adopt
from peerjudge.features.search.nouns import Candidate
from peerjudge.features.search.optimizing import optimize
from peerjudge.runs import prepare
from peerjudge.simulation import Traits, expect_accuracy, read_traits
from studies.search.asymmetric import DEPENDENCES, NULLS, decide, draw_finalists, measure_cells
from studies.search.report import measure_rows
from studies.search.searches import (
    NEUTRAL,
    PLANTED,
    SHELF,
    build_experiment,
    build_pairs,
    measure,
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


@pytest.fixture(scope="module")
def cells():
    """Two thousand decisions of each kind where gains are small and losses are large."""
    return measure_cells(seed=1, searches=2000)


def test_few_searches_adopt_what_gains_little_and_loses_much(cells):
    """Without a true difference at most a tenth adopt, with one finalist and with several."""
    false = [share for cell in cells if cell.mean == 0.0 for share in cell.adopted]
    assert len(false) == 4 * 3 * 3
    assert max(false) <= 0.10


def test_held_out_intervals_hold_asymmetric_differences(cells):
    """At least 93 % of the 95 % intervals hold the true difference, from 20 questions on."""
    assert {cell.questions for cell in cells} == {20, 40, 100}
    assert min(cell.covered for cell in cells) >= 0.93


@pytest.mark.parametrize("dependence", DEPENDENCES)
def test_decisions_of_the_study_are_those_of_a_search(dependence: str):
    """The vectorised decision is that of `adopt` with the interval of the command."""
    random = np.random.default_rng(2)
    finalists = 1 if dependence == DEPENDENCES[0] else 5
    drawn = draw_finalists(NULLS[1], (40, 60, finalists), dependence, random)
    drawn = drawn + 0.12  # so that some are adopted and some are not
    found = decide(drawn)
    assert 0 < found.sum() < len(found)
    base, *others = (Candidate(id=str(n), texts={"role:x": str(n)}) for n in range(finalists + 1))
    for search, adopted in enumerate(found):
        scores = {"0": {str(q): 0.0 for q in range(40)}} | {
            one.id: {str(q): float(drawn[q, search, n]) for q in range(40)}
            for n, one in enumerate(others)
        }
        assert adopt(base, others, scores, measure=measure).adopted == adopted


@pytest.mark.parametrize(
    ("questions", "chance"), [(20, 0.0), (40, 0.0379), (100, 0.0672), (160, 0.0867)]
)
def test_the_worst_population_counted_out(questions: int, chance: float):
    """Five independent finalists (+.1 in 80 %, -1 in 8 %): false adoptions by counting all outcomes."""
    (gain, loss), (often, seldom) = NULLS[3].values, NULLS[3].shares
    size, reach = questions + 2, t.ppf(1 - ALPHA / 5, questions + 1)
    one = 0.0
    for lost in range(questions + 1):
        gained = np.arange(questions - lost + 1)
        mean = (gain * gained + loss * lost) / size
        squares = gain**2 * gained + loss**2 * lost + 2 - size * mean**2
        passed = mean > reach * np.sqrt(squares / (size - 1) / size)
        weights = binom.pmf(gained, questions - lost, often / (1 - seldom))
        one += binom.pmf(lost, questions, seldom) * weights[passed].sum()
    false = 1 - (1 - one) ** 5
    assert false == pytest.approx(chance, abs=5e-4)
    drawn = draw_finalists(NULLS[3], (questions, 4000, 5), DEPENDENCES[2], np.random.default_rng(3))
    assert decide(drawn).mean() == pytest.approx(false, abs=0.015)
