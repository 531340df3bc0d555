"""The fitted reviewers come as near to the published figures as the documentation claims."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import TIE
from peerjudge.datasets import load
from peerjudge.features.papers.reading import read_published_tables
from peerjudge.shelf.cards import read_card
from peerjudge.simulation import read_traits
from studies.calibration import llmbar
from studies.calibration.assessment import count_inside, select_prd, select_rows, summarize
from studies.calibration.cards import write_texts
from studies.calibration.fitting import Parameter, fit_parameters
from studies.calibration.holdout import hold_out_pair
from studies.calibration.prd import GAIN, HELD
from studies.calibration.report import build_report
from studies.calibration.results import (
    LLMBAR,
    PRD,
    Results,
    assess,
    calibrate,
    fit_nulls,
    fit_unguided,
    fit_untamed,
)
from studies.calibration.targets import read_targets
from studies.calibration.vicuna80 import AGREEMENT

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="module")
def calibration():
    """Return the fits."""
    return calibrate()


@pytest.fixture(scope="module")
def found(calibration):
    """Return all figures beside the fits, with 1000 simulated studies."""
    return assess(calibration, studies=1000, seed=1)


def test_cards_and_subsets_on_the_shelf_are_those_of_the_fit(calibration):
    """No fitted card is edited by hand: each has the values of the fit, within 0.02."""
    subsets = ROOT / "peerjudge" / "simulation" / "subsets.toml"
    texts = dict(write_texts(calibration, ROOT / "agents", subsets))
    written = tomllib.loads(texts.pop(subsets))
    for path, text in texts.items():
        name = path.stem
        fitted = read_traits(read_card(name, text))
        shelved = read_card(name, path.read_text(encoding="utf-8"))
        assert shelved.traits.keys() == read_card(name, text).traits.keys()
        for trait in shelved.traits:
            value = getattr(read_traits(shelved), trait)
            assert value == pytest.approx(getattr(fitted, trait), abs=0.02), (name, trait)
    for name, values in tomllib.loads(subsets.read_text(encoding="utf-8")).items():
        assert values == pytest.approx(written[name], abs=0.02)


def test_no_fitted_trait_lies_on_a_bound(calibration):
    """A value on a bound would mean that the data ask for more; there is none."""
    assert len(calibration.fits) == 8
    for one in calibration.fits.values():
        assert one.at_bound == ()


@pytest.mark.slow
def test_gains_events_and_accuracies_are_near_the_published_ones(found):
    """All gains inside, events within 15 of each total, and the errors within their limits."""
    assert all(row.inside for row in select_rows(found, GAIN))
    assert len(select_rows(found, GAIN)) == 18
    assert all(row.miss < 15 for row in select_rows(found, HELD))
    summed = {one.name: one for one in summarize(found)}
    assert summed["mean error, Table 4 discussed"].value <= 0.013
    assert summed["mean error, PRD accuracies, Adversarial totals, Natural"].value <= 0.018
    assert summed["LLMBar cells inside"].value >= 139
    for one in summed.values():
        assert one.floor_low <= one.floor <= one.floor_high


@pytest.mark.slow
def test_simulated_figures_scatter_about_their_expectation(found):
    """The mean of simulated studies is the analytic expectation of every figure."""
    for row in found:
        drawn = row.simulated
        assert abs(drawn.mean() - row.mean) < 4.5 * drawn.std() / math.sqrt(len(drawn)) + 1e-6


@pytest.fixture(scope="module")
def results(calibration, found):
    """Return the fits with their null models, and two pairs left out."""
    published = calibration.published.prd
    return Results(
        calibration=calibration,
        studies=1000,
        rows=found,
        summaries=summarize(found),
        nulls=fit_nulls(calibration, found, studies=1000),
        untamed=fit_untamed(calibration, found, studies=1000),
        unguided=fit_unguided(calibration),
        pairs={pair.name: hold_out_pair(pair, published) for pair in published.pairs[:2]},
        prompts=(0.0, 0.0),
        strict=0.0,
        methods=(),
    )


@pytest.mark.slow
def test_models_without_discussion_fit_much_worse(results):
    """Models without moves, leaders or different reviewers do not meet the figures."""
    for null in results.nulls:
        assert null.cost > 4 * results.calibration.fits[PRD].cost, null.name
        assert count_inside(select_rows(null.rows, GAIN)) <= 13, null.name
    assert results.untamed.cost > 2 * results.calibration.fits[LLMBAR].cost
    assert count_inside(select_rows(results.untamed.rows, llmbar.CELL)) < 130


@pytest.mark.slow
def test_without_a_pull_of_the_truth_the_gains_are_not_met(results):
    """PRD's discussions give more than two private reviews can."""
    assert results.unguided.cost > 3 * results.calibration.fits[PRD].cost


@pytest.mark.slow
def test_levels_alone_are_no_evidence(results):
    """In the model without moves nearly all of PRD's levels lie inside, and the gains do not."""
    still = results.nulls[0]
    assert still.name == "no seat alters"
    assert count_inside(select_prd(still.rows, gains=False)) >= 52
    assert count_inside(select_rows(still.rows, GAIN)) <= 10


@pytest.mark.slow
def test_kinds_of_figures_weigh_by_their_scatter(found):
    """The weight of a kind of figure is about its scatter among studies."""
    kinds = {row.figure.group for row in select_prd(found)}
    for kind in kinds:
        rows = [row for row in select_rows(found, kind) if row.figure.published]
        scatter = np.mean([row.simulated.std() for row in rows])
        assert 0.75 < np.mean([row.figure.spread for row in rows]) / scatter < 1.35, kind


@pytest.mark.slow
def test_a_pair_left_out_is_predicted(results):
    """GPT-4 with Claude is predicted within one point from the other pairs."""
    errors = results.pairs["gpt4 & claude"]
    assert errors["coin"] < 0.01
    assert errors["better"] < errors["coin"] < errors["mean"]


@pytest.mark.slow
def test_figures_left_out_are_the_evidence(results):
    """The report begins with gains left out; it says that figures inside are no evidence."""
    study = build_report(results)
    assert study.summary[0].startswith("Only figures that the fit did not see are evidence.")
    assert any("levels of PRD lie inside is no evidence" in sentence for sentence in study.summary)
    evidence = study.document["evidence"]
    gains = evidence["heldout_gain_mae"]
    assert gains["coin"] < 0.5 * min(gains[null.name] for null in results.nulls)
    shares = {one["group"]: one for one in evidence["shares"]}
    assert shares["PRD Table 4, discussed"]["inside"] == 18
    assert shares["PRD Table 4, discussed"]["equivalent"] == 0
    json.dumps(evidence)


@pytest.mark.slow
def test_the_fit_is_preferred_with_its_parameters_penalised(results):
    """The criteria of dependent figures prefer the fit, with a penalty greater than its parameters."""
    for models in (results.penalise_prd(), results.penalise_llmbar()):
        fitted, *others = models
        assert fitted.effective > fitted.parameters
        for other in others:
            assert fitted.aic < other.aic, other.name
            assert fitted.bic < other.bic, other.name


@pytest.mark.slow
def test_the_report_contains_every_figure(results):
    """Every figure is in a table and in the document, every summary beside its floor and the nulls."""
    study = build_report(results)
    document = study.document
    assert document["targets"] == len(results.rows) == 291
    assert document["gains_inside"] == 18
    assert 0.9 < document["inside_share"] < 1
    assert document["null_inside_share"] < document["prd_inside_share"]
    assert document["table4_mae"] <= 0.013
    assert document["accuracy_mae"] <= 0.018
    assert document["heldout_mae"] < 0.02
    assert document["heldout_trivial_mae"] < 0.02
    told = {(table.title, row[0]) for table in study.tables for row in table.rows}
    for row in results.rows:
        assert (row.figure.group, row.figure.name) in told
    for summary in document["summaries"].values():
        assert summary["floor_low"] <= summary["floor"] <= summary["floor_high"]
        assert len(summary["nulls"]) == 4
    for contradiction in document["contradictions"]:
        assert any(contradiction in sentence for sentence in study.summary)
    assert all(figure.chart.rows for figure in study.figures.values())


def test_llmbar_at_another_temperature_is_predicted(calibration):
    """The fit to temperature 0 predicts the 30 cells of temperature 0.7 within their error."""
    published = calibration.published.llmbar
    said = llmbar.expect_figures(calibration.casts[LLMBAR], calibration.subsets, published)
    off = [
        abs(figure.published - said[figure.id]) / figure.spread
        for figure in llmbar.list_figures(published, warm=True)
    ]
    assert len(off) == 36
    assert sum(value > 1.96 for value in off) <= 3


@pytest.mark.slow
def test_reviewers_agree_as_often_as_on_record(found):
    """Five shares of common error explain how often ten pairs of reviewers agree."""
    rows = select_rows(found, AGREEMENT)
    assert len(rows) == 10
    assert all(row.miss < 0.02 for row in rows)


@pytest.mark.slow
def test_the_documentation_states_the_results(results):
    """The numbers by which the documentation judges the fit are those of the fit."""
    page = (ROOT / "studies" / "README.md").read_text(encoding="utf-8")
    for one, name in (
        ("mean error, Table 4 discussed", "mean error, Table 4 after discussing"),
        ("mean error, gains", "mean error, gains"),
        (
            "mean error, PRD accuracies, Adversarial totals, Natural",
            "mean error, PRD accuracies + Adversarial totals + Natural",
        ),
    ):
        place = [summary.name for summary in results.summaries].index(one)
        cells = re.findall(r"\.\d{4}", page.partition(f"| {name} |")[2].splitlines()[0])
        stated = [float(cell) for cell in cells]
        models = [results, *results.nulls, results.untamed]
        computed = [model.summaries[place].value for model in models]
        assert stated == pytest.approx(computed[: len(stated)], abs=1e-4), name
    for one in (*results.penalise_prd(), *results.penalise_llmbar()):
        label = one.name.replace(
            "fitted", "PRD: fitted" if one.parameters == 16 else "LLMBar: fitted"
        )
        cells = page.partition(f"\n| {label} | {one.parameters} |")[2].splitlines()[0]
        stated = [float(cell) for cell in cells.strip(" |").split(" | ")]
        assert stated[1] == pytest.approx(one.cost, abs=0.6), label
        # The covariance is of 4,000 studies there, and of 1,000 here.
        assert stated[0] == pytest.approx(one.effective, abs=3), label
        assert stated[2] == pytest.approx(one.aic, abs=6), label
        assert stated[3] == pytest.approx(one.bic, abs=18), label
    errors = results.pairs["gpt4 & claude"]
    told = page.partition("| GPT-4 with Claude | ")[2].split()
    assert float(told[0]) == pytest.approx(errors["coin"], abs=2e-4)
    assert float(told[2]) == pytest.approx(errors["better"], abs=2e-4)


@settings(max_examples=20)
@given(st.floats(-2, 2), st.floats(0.1, 3))
def test_a_fit_recovers_planted_values(slope: float, level: float):
    """Without noise, and with priors too weak to matter, the values come back with small errors."""
    places = np.linspace(0, 1, 30)
    seen = slope * places + level
    wanted = [
        Parameter(name=name, low=-5, high=5, prior=0.0, spread=1e4) for name in ("slope", "level")
    ]
    found = fit_parameters(wanted, lambda v: (v["slope"] * places + v["level"] - seen) / 0.01)
    assert found.values["slope"] == pytest.approx(slope, abs=1e-3)
    assert found.values["level"] == pytest.approx(level, abs=1e-3)
    assert found.cost < 1e-3
    assert not found.at_bound


def test_targets_agree_with_the_published_tables():
    """PRePair's figures are those of the published tables in `peerjudge.datasets`."""
    names = {
        "gpt35": "gpt-3.5-turbo",
        "gpt4": "gpt-4",
        "claude": "claude-3-haiku",
        "gpt4o_mini": "gpt-4o-mini",
        "gpt4o": "gpt-4o",
        "llama": "llama-3.1-8b",
    }
    (table,) = (one for one in read_published_tables("prepair") if one.name == "Table 4")
    printed = {(line.setting, line.protocol): line.values for line in table.lines}
    published = read_targets().llmbar
    for rows, warm in ((published.rows, ""), (published.warm, "@0.7")):
        for row in rows:
            values = printed.pop((names[row.model] + warm, row.method))
            for subset, cell in zip(published.items, row.cells, strict=True):
                assert cell == pytest.approx(values[subset], abs=1e-6)
            assert row.total == pytest.approx(values["Adversarial"], abs=1e-6)
    assert not printed


@pytest.mark.data
def test_lfqa_has_the_questions_that_are_modelled():
    """The kinds of question are counted in the data, with the first expert's vote on a split."""
    path = DATA / "lfqa" / "pairs.jsonl"
    if not path.is_file():
        pytest.skip("the published LFQA data are not at ../shared/data")
    counted = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        machine = (row["source_a"] == "gpt3") - (row["source_b"] == "gpt3")
        counted[-row["first_vote_on_even"], machine] += 1
    assert counted == {
        (kind.gold, kind.machine): kind.count for kind in read_targets().prd.questions
    }


def test_vicuna80_has_the_shares_that_are_modelled(verdicts):
    """Every share of the recorded reviews is counted in the data."""
    dataset = load(verdicts("vicuna80"))
    pairs = {one.id: one for one in dataset.comparisons}
    gold, said = {}, {}
    for pair in dataset.comparisons:
        for shown in (pair.shown, pair.shown[::-1]):
            gold[pair.question.id, *_names(shown)] = _score(pair.gold, shown)
    for review in dataset.reviews:
        if review.reviewer != "human":
            question = pairs[review.comparison].question.id
            reviewer, *shown = _names((review.reviewer, *review.shown))
            said[reviewer, question, *shown] = _score(review.verdict, review.shown)
    published = read_targets().vicuna80
    for name, shares in published.reviewers.items():
        mine = {key[1:]: score for key, score in said.items() if key[0] == name}
        own = [
            (1 - s) / 2 if key[1] == name else (1 + s) / 2 for key, s in mine.items() if name in key
        ]
        counted = (
            np.mean([s == -1 for s in mine.values()]),
            np.mean([s == 0 for s in mine.values()]),
            np.mean([s == -mine[key[0], key[2], key[1]] for key, s in mine.items()]),
            np.mean(own),
            np.mean([s == gold[key] for key, s in mine.items()]),
        )
        kinds = ("first", "tie", "both_orders", "own_wins", "accuracy")
        stated = [shares[kind] for kind in kinds]
        assert counted == pytest.approx(stated, abs=6e-5)
    for one, other in combinations(published.reviewers, 2):
        same = np.mean([s == said[other, *key[1:]] for key, s in said.items() if key[0] == one])
        assert published.agreement[f"{one} {other}"] == pytest.approx(same, abs=6e-5)
        votes = Counter(v for key, v in gold.items() if key[1:] == (one, other))
        assert published.gold[f"{one} {other}"] == (votes[-1], votes[0], votes[1])


def _score(verdict, shown):
    return 0 if verdict == TIE else 1 if verdict.choice == shown[1] else -1


def _names(models):
    return tuple(model.removesuffix("-13b") for model in models)
