"""Panels against their best member, on published verdicts and on ballots worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

import peerjudge as pj
from peerjudge.analysis import measure_agreement, select_judges
from peerjudge.analysis.assembling import collect_reviews
from peerjudge.datasets import load
from peerjudge.features.panels.panels import measure_panels
from peerjudge.features.panels.results import add_panels
from peerjudge.features.panels.slopes import fit_slopes
from tests.analysis.analysis_kit import dataset_of, pair_of, review_of


@pytest.fixture(scope="module")
def ballots(verdicts):
    """The verdicts of PRD's five models on Vicuna80."""
    return select_judges(collect_reviews(load(verdicts("vicuna80"))))


@pytest.fixture(scope="module")
def panels(ballots):
    """Their panels."""
    return measure_panels(ballots)


def rounded(measured, digits=1):
    """Value and bounds in points."""
    return tuple(
        round(100 * one, digits) + 0.0 for one in (measured.value, measured.low, measured.high)
    )


def test_a_weighted_panel_beats_the_best_judge_mostly_by_breaking_its_ties(panels):
    """PRD's weights are 3.1 points above GPT-4, and .75 above GPT-4 with its ties broken by Claude."""
    assert panels.best == "gpt4"
    assert rounded(panels.accuracy, 2)[0] == 64.25
    assert [(one.by, one.next) for one in panels.ties_broken] == [
        ("weight", "claude"),
        ("accuracy", "gpt35"),
    ]
    assert [rounded(one.accuracy)[0] for one in panels.ties_broken] == [66.6, 67.9]
    rows = {row.scheme: row for row in panels.rows}
    assert {name: rounded(row.over_best) for name, row in rows.items()} == {
        "equal": (0.1, -2.3, 2.6),
        "prd": (3.1, 0.4, 5.4),
        "damped": (2.4, -0.3, 4.9),
        "slopes": (2.4, 0.2, 5.0),
    }
    assert {name: rounded(row.over_ties_broken[0], 2) for name, row in rows.items()} == {
        "equal": (-2.19, -3.94, -0.5),
        "prd": (0.75, -0.25, 1.62),
        "damped": (0.06, -1.13, 1.31),
        "slopes": (0.12, -1.0, 1.62),
    }
    assert rounded(rows["prd"].over_ties_broken[1])[0] == -0.6
    # Where GPT-4 chooses, the panel is as good as GPT-4.
    assert (panels.chooses, round(100 * panels.best_where_it_chooses, 1)) == (0.85, 71.1)
    assert round(100 * rows["prd"].where_best_chooses, 1) == 71.3


def test_the_schemes_weigh_the_judges_as_published(panels):
    """Weights of Vicuna80 under every scheme; equal weights do not know the judges."""
    weights = {row.scheme: {k: round(v, 3) for k, v in row.weights.items()} for row in panels.rows}
    judges = ("gpt4", "claude", "vicuna-13b", "gpt35", "bard")
    assert [weights["prd"][name] for name in judges] == [0.488, 0.377, 0.082, 0.053, 0.0]
    assert [weights["damped"][name] for name in judges] == [0.291, 0.258, 0.162, 0.154, 0.135]
    assert [weights["slopes"][name] for name in judges] == [0.288, 0.192, 0.074, 0.231, 0.215]
    assert set(weights["equal"].values()) == {0.2}


def test_a_panel_has_the_accuracy_that_agreement_prints(ballots, panels):
    """Equal and peer weights give the number and interval of `agreement`, and of `--weights peer`."""
    rows = {row.scheme: row.accuracy for row in panels.rows}
    assert rows["equal"] == measure_agreement(ballots).accuracy
    assert rows["prd"] == measure_agreement(ballots, weights="peer").accuracy


def test_slopes_of_resamples_are_those_of_a_new_fit(ballots):
    """Without eight questions, the Newton step moves the weights as a fit of the others does."""
    fitted = fit_slopes(ballots, by_author=True)
    assert fitted is not None
    asked = np.unique(ballots.question)
    draws = np.where(np.arange(len(asked)) < 8, 0.0, 1.0)[None]
    again = fit_slopes(ballots.where(~np.isin(ballots.question, asked[:8])), by_author=True)
    assert again is not None
    moved = again.weigh() - fitted.weigh()
    assert np.abs(moved).max() > 0.004
    assert fitted.weigh_samples(draws)[0] == pytest.approx(again.weigh(), abs=0.001)


def test_agreement_crowns_the_wrong_where_most_share_an_error(verdicts):
    """On LLMBar one model of six resists, and weights by agreement take it for the odd one out."""
    said = pj.agreement(load(verdicts("llmbar")), reviewers="*/Vanilla", panel=True)
    found = said.document()["added"]["panels"]
    assert found["best"] == "GPT-4/Vanilla"
    equal, slopes = found["rows"]
    assert [round(100 * row["accuracy"]["value"], 1) for row in (equal, slopes)] == [48.7, 43.6]
    assert slopes["weights"]["GPT-4/Vanilla"] < 0.05
    assert found["ties_broken"] == []
    assert set(found["left_out"]) == {"prd", "damped"}
    assert "Agreement among judges says nothing about gold." in str(said).replace("\n", " ")


def panels_of(verdicts: dict[str, str], gold: str, **changes):
    """Panels of these marks, one question each; `-` is no review."""
    pairs = [pair_of(f"c{n}", gold=one) for n, one in enumerate(gold)]
    reviews = [
        review_of(pairs[n], mark, by=name)
        for name, marks in verdicts.items()
        for n, mark in enumerate(marks)
        if mark != "-"
    ]
    data = dataset_of(pairs, reviews, **changes)
    return measure_panels(select_judges(collect_reviews(data)), samples=50)


def test_the_best_with_ties_broken_by_the_next_is_worked_out_by_hand():
    """Eve is right on 2 of 4 and ties on 2; with fay's verdicts there, right on one, it is 3 of 4."""
    found = panels_of({"eve": "11==", "fay": "1212", "gus": "2222"}, "1111")
    assert found.best == "eve"
    (broken,) = found.ties_broken
    # Eve and fay are right on two items each; gus is never right.
    assert (broken.by, broken.next, broken.accuracy.value) == ("accuracy", "fay", 0.75)
    assert (found.chooses, found.best_where_it_chooses) == (0.5, 1.0)
    equal = next(row for row in found.rows if row.scheme == "equal")
    # The panel ties on the second pair's sum -1 + 1 + 1 > 0 and is wrong on three of four.
    assert (equal.accuracy.value, equal.over_best.value) == (0.25, -0.25)
    assert equal.over_ties_broken[0].value == -0.5
    assert set(found.left_out.values()) == {"no reviewer is the author of an answer here"}


def test_a_difference_is_over_what_both_judged():
    """Where a member gave no verdict, it is compared with nothing."""
    found = panels_of({"cid": "11--", "dan": "1222"}, "1111")
    equal = next(row for row in found.rows if row.scheme == "equal")
    assert (equal.accuracy.n, equal.over_best.n) == (4, 2)


def test_no_panel_of_one_or_without_gold():
    """One judge is no panel, and without gold no member is the best."""
    assert panels_of({"cid": "11"}, "11") is None
    pairs = [pair_of("c1")]
    reviews = [review_of(pairs[0], "1", by=name) for name in ("cid", "dan")]
    ballots = select_judges(collect_reviews(dataset_of(pairs, reviews)))
    assert measure_panels(ballots, samples=50) is None


def test_judges_that_all_agree_have_equal_slopes():
    """Slopes of copies of one judge are alike, and that of one who always says first is nothing."""
    marks = "1212112212"
    ballots = [
        review
        for name in ("cid", "dan", "eve")
        for n, mark in enumerate(marks)
        for review in (
            review_of(pair_of(f"c{n}"), mark, by=name),
            review_of(pair_of(f"c{n}"), mark, by=name, swap=True),
        )
    ]
    ballots += [
        review_of(pair_of(f"c{n}"), "f", by="first", swap=swap)
        for n in range(len(marks))
        for swap in (False, True)
    ]
    data = dataset_of([pair_of(f"c{n}") for n in range(len(marks))], ballots)
    fitted = fit_slopes(select_judges(collect_reviews(data)), by_author=False)
    assert fitted is not None
    assert fitted.weigh() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0], abs=1e-3)
    assert fitted.positions[-1] > 2.0


def test_people_have_no_panels():
    """Gold is made of the votes of people, so a panel with one of them is not measured."""
    pairs = [pair_of("c1", gold="1")]
    reviews = [review_of(pairs[0], "1", by=name) for name in ("cid", "dan")]
    ballots = collect_reviews(dataset_of(pairs, reviews, humans=("cid",)))
    assert add_panels(select_judges(ballots, reviewers=["cid", "dan"]), seed=0) is None


def test_the_frame_has_panels_by_their_weights(verdicts):
    """Rows of panels follow those of reviewers and pairs, with what they are compared with."""
    frame = pj.agreement(load(verdicts("vicuna80")), panel=True).df
    prd = frame[frame["reviewers"] == "panel:prd"].set_index("measure")["value"]
    assert list(prd.index) == [
        "accuracy",
        "minus gpt4",
        "minus gpt4, ties by claude",
        "minus gpt4, ties by gpt35",
    ]
    assert prd["minus gpt4"] == pytest.approx(0.030625)
