"""Results of ratings that have no gold: documents, text, figures and the page."""

from __future__ import annotations

import pytest

import peerjudge as pj
from peerjudge.data import Condition, Experiment, replace
from peerjudge.reporting.figures import Histograms
from peerjudge.results.columns import COLUMNS

ORDERS = ("reasons_score", "score_reasons")


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    """A run of ratings from 10 to 1 without gold: 9 items, each in 3 trials, two conditions."""
    folder = tmp_path_factory.mktemp("rated")
    (folder / "sets.csv").write_text(
        "id,question,answer_1\n" + "".join(f"s{n},Background {n}.,A: {n}?\n" for n in range(9))
    )
    experiment = Experiment(
        name="forms",
        data=f"csv:{folder / 'sets.csv'}",
        prompts="dialogue_sets",
        repetitions=3,
        conditions=tuple(
            Condition(
                name=order,
                protocol="score_reasons",
                seats=("sim_plain",),
                options={"order": order, "scale": "10-1"},
            )
            for order in ORDERS
        ),
    )
    return pj.run_sync(experiment, out=folder / "r")


@pytest.fixture(scope="module")
def report(rated):
    """The report of the run."""
    return pj.report(rated)


def test_ratings_without_gold_are_scored_by_level_and_scatter(rated):
    """Mean, deviations over items and trials, and the counts on all ten points need no gold."""
    found = pj.score(rated)
    document = found.document()
    assert (document["rows"], document["correlations"]) == ([], [])
    assert tuple(row["name"] for row in document["rated"]) == ORDERS
    for row in document["rated"]:
        assert (row["items"], row["ratings"], row["unreadable"]) == (9, 27, 0)
        assert row["scale"] == [1, 10]
        assert [*row["distribution"]] == [str(point) for point in range(1, 11)]
        assert sum(row["distribution"].values()) == 27
        assert row["mean"]["low"] < row["mean"]["value"] < row["mean"]["high"]
        assert min(row["sd_items"], row["sd_trials"]) > 0
    printed = str(found)
    assert "SD of trials" in printed
    assert "simulated reviewers" in printed
    assert "Accuracy" not in printed
    assert list(found.df.columns) == list(COLUMNS["score"])
    assert set(found.df["measure"]) == {"mean rating"}


def test_conditions_are_compared_by_ratings_without_gold(rated):
    """Two conditions have the difference of their means with its test, and no accuracy."""
    found = pj.compare(rated)
    assert tuple(row["name"] for row in found.document()["rated"]) == ORDERS
    (pair,) = found.document()["ratings"]
    assert pair["against_gold"] == []
    assert pair["shift"]["difference"]["low"] <= pair["shift"]["difference"]["high"]
    assert "Accuracy" not in str(found)
    chart = found.figures["ratings"].chart
    assert isinstance(chart, Histograms)
    assert len(chart.panels) == 2


def test_the_report_of_ratings_has_their_distribution_and_no_accuracy(report, tmp_path):
    """Page and summary have what ratings can show, and no table of names without numbers."""
    found = report
    assert [*found.figures] == ["ratings"]
    assert "Ratings of answers" in str(found)
    assert "No ranking" not in str(found)
    page = found.save(tmp_path / "page.html").read_text()
    assert "Ratings of the same answers" in page
    assert "differ in their mean rating" in page
    assert "Accuracy before and after discussion" not in page


def test_few_questions_are_cautioned_against(rated, report):
    """Levels of ratings of three questions carry the caution that every other interval carries."""
    some = [one for one in pj.load_sync(rated.folder) if one.comparison.id in {"s0", "s1", "s2"}]
    assert "Caution: only 3 questions" in str(pj.report(some))
    assert "Caution" not in str(report)


def test_two_runs_of_one_experiment_are_told_apart(rated, tmp_path):
    """Levels of conditions with the same name carry the name of their run, as pairs do."""
    transcripts = [replace(one, id=f"other {one.id}") for one in pj.load_sync(rated.folder)]
    found = pj.compare(rated, transcripts)
    names = {row["name"] for row in found.document()["rated"]}
    assert len(names) == 4
    assert {pair["one"] for pair in found.document()["ratings"]} < names
