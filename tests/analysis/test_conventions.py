"""Accuracies by the conventions of the authors of a dataset, beside the other ways to count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.analysis import (
    collect_reviews,
    measure_accuracy,
    measure_agreement,
    measure_panel,
    select_judges,
)
from peerjudge.analysis.accuracy import average_groups
from peerjudge.analysis.scoring import Scores, require_conventions, score_ballots
from peerjudge.data import Conventions, Dataset, Undecided
from peerjudge.datasets import load
from peerjudge.errors import DataError
from peerjudge.statistics.interval import measure_mean
from peerjudge.statistics.sampler import Sampler
from tests.analysis.analysis_kit import dataset_of, pair_of, review_of

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
SUBSETS = ("Neighbor", "GPTInst", "GPTOut", "Manual")


def _as_published(dataset: Dataset, **options) -> Scores:
    return score_ballots(collect_reviews(dataset), conventions=dataset.conventions, **options)


@pytest.mark.parametrize(
    ("turn", "votes", "share"), [("turn 1", 1343, 0.66), ("turn 2", 1325, 0.66)]
)
def test_mtbench_agreement_is_that_of_table_5(mtbench, turn, votes, share):
    """Experts agree with GPT-4 in 66 % of votes with ties (S1)."""
    scores = _as_published(mtbench)
    found = scores.scores[0].accuracy_by(turn, scores.conventions)
    assert (round(found.value, 2), found.n) == (share, votes)


def test_both_usual_figures_of_mtbench_are_there(mtbench):
    """Over both turns GPT-4 agrees in 71.7 % of its consistent verdicts, in 65.9 % with ties."""
    scores = _as_published(mtbench)
    (row,) = scores.scores
    assert scores.by == "subset"
    assert row.total.accuracy.value == pytest.approx(0.717, abs=5e-4)
    assert row.total.accuracy.n + row.total.undecided == row.total.n == 2668
    published = row.accuracy_by("", scores.conventions)
    assert published == row.total.as_tie
    assert published.value == pytest.approx(0.659, abs=5e-4)


def test_llmbar_is_scored_as_by_its_authors(llmbar):
    """All 65 evaluators: `correct_average` of each subset, and Adversarial as the mean of the four."""
    scores = _as_published(llmbar)
    assert len(scores.scores) == 65
    for row in scores.scores:
        printed = {name: cell.orders.average for name, cell in row.groups.items()}
        for name in ("Natural", *SUBSETS):
            found = row.accuracy_by(name, scores.conventions)
            assert found.value == pytest.approx(printed[name])
        mean = row.accuracy_by("Adversarial", scores.conventions)
        assert mean.value == pytest.approx(sum(printed[name] for name in SUBSETS) / 4)
        assert mean.low < mean.value < mean.high
    named = {row.judge.reviewer: row for row in scores.scores}
    for reviewer, printed in (("GPT-4/Vanilla", 0.808), ("GPT-4/Metrics_Reference", 0.828)):
        found = named[reviewer].accuracy_by("Adversarial", scores.conventions)
        assert round(found.value, 3) == printed


@pytest.mark.data
def test_llmbar_is_scored_as_in_the_files_of_its_authors():
    """`correct_average` in LLMBar's `statistics.json` is the accuracy as published, in Manual."""
    folder = DATA / "llmbar" / "original"
    if not folder.exists():
        pytest.skip(f"the published data are not at {folder}")
    scores = _as_published(load(f"llmbar:{folder}"))
    files = sorted(folder.glob("LLMBar/Adversarial/Manual/evaluators/*/*/statistics.json"))
    assert len(files) == len(scores.scores) == 6
    named = {row.judge.reviewer: row for row in scores.scores}
    for file in files:
        printed = json.loads(file.read_text("utf-8"))["correct_average"]
        row = named[f"{file.parts[-3]}/{file.parts[-2]}"]
        found = row.accuracy_by("Manual", scores.conventions).value
        assert found == pytest.approx(float(printed.rstrip("%")) / 100)


def test_vicuna80_is_scored_as_in_table_3(vicuna):
    """The accuracies of three reviewers are those of PRD Table 3, to its last digit."""
    scores = _as_published(vicuna)
    found = {
        row.judge.reviewer: row.accuracy_by("", scores.conventions).value for row in scores.scores
    }
    for reviewer, printed in (("gpt35", 0.621), ("claude", 0.607), ("gpt4", 0.643)):
        assert found[reviewer] == pytest.approx(printed, abs=0.001)


def _told(marks: str, gold: str = "1") -> Dataset:
    """One verdict by `judge` on each of as many questions; gold is the same, or one mark for each."""
    golds = gold if len(gold) == len(marks) else gold * len(marks)
    pairs = [pair_of(f"c{n}", gold=mark) for n, mark in enumerate(golds)]
    return dataset_of(pairs, map(review_of, pairs, marks))


MARKED = st.lists(st.sampled_from("12=x?-"), min_size=1, max_size=12).map("".join)


@given(MARKED, st.sampled_from("1="))
def test_undecided_verdicts_count_by_each_convention(marks, gold):
    """Left out; or inconsistent as ties and the others wrong. Ties stay what they are."""
    marks += gold
    counted = Conventions(source="", undecided=Undecided.AS_TIE)
    row = score_ballots(collect_reviews(_told(marks, gold)), conventions=counted).scores[0].total
    right, undecided = marks.count(gold), sum(mark in "x?-" for mark in marks)
    torn = marks.count("x") if gold == "=" else 0
    assert row.undecided == undecided
    assert row.accuracy.value == pytest.approx(right / (len(marks) - undecided))
    assert row.as_tie.value == pytest.approx((right + torn) / len(marks))
    for way in Undecided:
        assert row.counting(way).low <= row.counting(way).value <= row.counting(way).high


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from("12=x?-"), st.sampled_from("12=")), min_size=1))
def test_reports_and_agreement_count_as_scores_do(verdicts_and_golds):
    """`score`, reports, `agreement` and its panel give a reviewer the same accuracies and intervals."""
    marks, golds = map("".join, zip(*verdicts_and_golds, ("1", "1"), strict=True))
    ballots = collect_reviews(_told(marks, golds))
    cell = score_ballots(ballots).scores[0].total
    report = measure_accuracy(ballots, sampler=Sampler())
    agreed = measure_agreement(ballots, samples=10)
    panel = measure_panel(select_judges(ballots), samples=10).accuracy["judge"]
    for found in (report.accuracy, agreed.accuracy, panel):
        assert (found.low, found.value, found.high) == pytest.approx(
            (cell.accuracy.low, cell.accuracy.value, cell.accuracy.high)
        )


def test_an_interval_of_a_mean_of_groups_adds_independent_errors():
    """Four groups of 100 have a mean about half as wide as one, but as wide with shared questions."""
    one = measure_mean([1.0] * 80 + [0.0] * 20, range(100))
    mean = average_groups([one] * 4, apart=True)
    assert mean.value == one.value
    assert (mean.high - mean.low) == pytest.approx((one.high - one.low) / 2)
    assert average_groups([one], apart=True).low == pytest.approx(one.low)
    shared = average_groups([one] * 2, apart=False)
    assert (shared.low, shared.high) == pytest.approx((one.low, one.high))


def test_data_without_published_figures_have_no_conventions():
    """Data of one's own were never published: `--as-published` says what to do instead."""
    with pytest.raises(DataError, match="made declares no published conventions; leave"):
        require_conventions(_told("1").conventions, name="made")
