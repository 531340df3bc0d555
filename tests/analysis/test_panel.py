"""Agreement among reviewers, against textbook values and another library."""

from __future__ import annotations

from collections.abc import Sequence

import evalica
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

import peerjudge as pj
from peerjudge.analysis import measure_panel, select_judges
from peerjudge.analysis.assembling import collect_reviews
from peerjudge.analysis.ballots import Ballots
from peerjudge.analysis.kappa import (
    cohen_kappa,
    correlation,
    fleiss_columns,
    fleiss_kappa,
    fleiss_kappa_of,
    krippendorff_alpha,
    pair_coincidences,
)
from peerjudge.data import Dataset
from peerjudge.statistics.interval import measure_difference
from tests.analysis.analysis_kit import dataset_of, pair_of, review_of


def test_cohen_kappa_is_that_of_the_textbook():
    """Cohen 1960, Table 1 as proportions: agreement .70 where chance gives .41, kappa .492."""
    table = np.array([[[25.0, 13.0, 12.0], [12.0, 2.0, 16.0], [3.0, 15.0, 2.0]]])
    agreed, chance = 0.29, 0.5 * 0.4 + 0.3 * 0.3 + 0.2 * 0.3
    assert cohen_kappa(table / 100.0)[0] == pytest.approx((agreed - chance) / (1 - chance))
    assert cohen_kappa(np.array([[[0.44, 0.07], [0.0, 0.49]]]))[0] == pytest.approx(
        0.8611, abs=1e-3
    )
    assert np.isnan(cohen_kappa(np.array([[[5.0, 0.0], [0.0, 0.0]]]))[0])


ratings = arrays(
    np.float64,
    st.tuples(st.integers(2, 12), st.integers(2, 4)),
    elements=st.sampled_from([-1.0, 0.0, 1.0, np.nan]),
)


@given(ratings)
@settings(max_examples=40)
def test_alpha_is_that_of_evalica(given_ratings: np.ndarray):
    """The same alpha as an independent implementation, with ratings missing."""
    rated = (~np.isnan(given_ratings)).sum(axis=1) > 1
    if len(np.unique(given_ratings[rated][~np.isnan(given_ratings[rated])])) < 2:
        return
    found = krippendorff_alpha(pair_coincidences(given_ratings).sum(axis=0, keepdims=True))[0]
    expected = evalica.alpha(pd.DataFrame(given_ratings.T), distance="nominal").alpha
    assert found == pytest.approx(expected, abs=1e-12)


def test_alpha_is_that_of_the_textbook():
    """Krippendorff 2011, section C: four observers, twelve units, missing data, nominal alpha .743."""
    observers = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    table = [[float(mark) if mark.isdigit() else np.nan for mark in row] for row in observers]
    found = krippendorff_alpha(pair_coincidences(np.array(table).T).sum(axis=0, keepdims=True))
    assert found[0] == pytest.approx(0.743, abs=5e-4)


@given(ratings)
@settings(max_examples=25)
def test_fleiss_from_sums_is_fleiss_from_counts(given_ratings: np.ndarray):
    """Fleiss' kappa from sums over questions equals that from all counts."""
    whole = np.nan_to_num(given_ratings)
    counts = np.stack([(whole == value).sum(axis=1) for value in (-1, 0, 1)], axis=1).astype(float)
    found = fleiss_kappa_of(fleiss_columns(whole).sum(axis=0, keepdims=True))[0]
    assert found == pytest.approx(fleiss_kappa(counts), nan_ok=True)


@given(st.integers(0, 1000))
@settings(max_examples=20)
def test_correlation_from_sums_is_that_of_numpy(seed: int):
    """Moments that add up give Pearson's correlation."""
    x, y = np.random.default_rng(seed).normal(size=(2, 30))
    sums = np.array([[30, x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum()]])
    assert correlation(sums)[0] == pytest.approx(np.corrcoef(x, y)[0, 1])


def judging(verdicts: dict[str, Sequence[str]], golds: Sequence[str]) -> Dataset:
    """Reviewers' marks 1 and 2 on comparisons with these golds; `-` is no review."""
    pairs = [pair_of(f"c{k}", gold=gold) for k, gold in enumerate(golds)]
    reviews = [
        review_of(one, mark, by=name)
        for name, marks in verdicts.items()
        for one, mark in zip(pairs, marks, strict=True)
        if mark != "-"
    ]
    return dataset_of(pairs, reviews)


def drawn(correlated: float, count: int, *, judges: int = 4, seed: int = 0) -> Dataset:
    """Judges that err three times in ten and copy a common error with this probability."""
    random = np.random.default_rng(seed)
    common = random.random(count) < 0.3
    verdicts = {}
    for judge in range(judges):
        own = random.random(count) < 0.3
        errs = np.where(random.random(count) < correlated, common, own)
        verdicts[f"j{judge}"] = ["2" if wrong else "1" for wrong in errs]
    return judging(verdicts, "1" * count)


def judged(data: Dataset, **kwargs) -> Ballots:
    """The ballots of a dataset on pairs."""
    return select_judges(collect_reviews(data), **kwargs)


def test_independent_judges_are_worth_their_number():
    """With independent errors the effective number of judges is the size of the panel."""
    found = measure_panel(judged(drawn(0.0, 1000)), samples=50)
    assert abs(found.error_correlation.value) < 0.05
    assert found.effective.value == pytest.approx(4.0, abs=0.4)


def test_judges_who_err_together_are_worth_one():
    """Copies of one judge count as one judge; half-copied errors cost most of the panel."""
    found = measure_panel(judged(drawn(1.0, 200)), samples=50)
    assert found.error_correlation.value == pytest.approx(1.0)
    assert found.effective.value == pytest.approx(1.0)
    assert found.effective.high > 1.0
    half = measure_panel(judged(drawn(0.7, 1000)), samples=50)
    assert half.error_correlation.value == pytest.approx(0.49, abs=0.06)
    assert half.effective.value == pytest.approx(4 / (1 + 3 * 0.49), abs=0.2)


def test_pairs_are_compared_on_what_both_judged():
    """One is right where the other is wrong on three questions; only one judged the fourth."""
    data = judging({"x": "1111", "y": "222-"}, "1111")
    found = measure_panel(judged(data), samples=50)
    (pair,) = found.pairs
    assert (pair.one, pair.other, pair.same.value, pair.same.n) == ("x", "y", 0.0, 3)
    assert (pair.accuracy.difference.value, pair.accuracy.difference.n) == (1.0, 3)
    expected = measure_difference([1.0] * 3, range(3)).p_value
    assert pair.accuracy.p_value == pair.accuracy_adjusted == pytest.approx(expected)
    assert pair.correlation is None
    assert found.accuracy["x"].value == 1.0
    assert found.accuracy["x"].low < 1.0


def test_many_pairs_are_adjusted_for_their_number():
    """Among four reviewers there are six tests, and the smallest p-value counts six times."""
    found = measure_panel(judged(drawn(0.2, 60)), samples=50)
    p_values = [pair.accuracy.p_value for pair in found.pairs]
    adjusted = [pair.accuracy_adjusted for pair in found.pairs]
    assert len(p_values) == 6
    assert min(adjusted) == pytest.approx(min(1.0, 6 * min(p_values)))


def test_a_pair_has_one_test_wherever_it_is_printed(vicuna):
    """The panel asks which of two reviewers is right more often as `compare` does, with the same answer."""
    panel = pj.agreement(vicuna, panel=True).document()["panel"]["pairs"]
    compared = pj.compare(vicuna, all_pairs=True).document()["pairs"]
    assert len(panel) == len(compared) == 10
    for ours, theirs in zip(panel, compared, strict=True):
        assert (ours["one"], ours["other"]) == (theirs["one"], theirs["other"])
        assert ours["accuracy"] == theirs["difference"]
        assert ours["accuracy_adjusted"] == theirs["holm"]


def test_large_panels_have_no_tests_by_pairs():
    """Hundreds of pairs leave no power to any test, and are described without them."""
    names = {f"r{k}": "121" for k in range(26)}
    found = measure_panel(judged(judging(names, "111")), samples=2)
    assert {pair.accuracy for pair in found.pairs} == {None}


def test_without_gold_there_is_agreement_but_no_error():
    """Kappas need no gold; accuracy and errors do. A single reviewer has no kappa."""
    data = judging({"x": "121", "y": "122"}, ["", "", ""])
    found = measure_panel(judged(data), samples=50)
    assert found.fleiss_kappa is not None
    assert found.krippendorff_alpha is not None
    assert (found.error_correlation, found.effective) == (None, None)
    assert found.accuracy["x"].n == 0
    assert found.pairs[0].accuracy is None
    alone = measure_panel(judged(data, reviewers=["x"]), samples=50)
    assert (alone.fleiss_kappa, alone.krippendorff_alpha, alone.pairs) == (None, None, ())


def test_a_panel_that_never_errs_has_no_errors_in_common():
    """Errors that never vary have no correlation, and no effective number follows."""
    found = measure_panel(judged(judging({"x": "12", "y": "12"}, "12")), samples=50)
    assert (found.error_correlation, found.effective) == (None, None)
    (pair,) = found.pairs
    assert (pair.error_correlation.n, pair.same.value, pair.same.low < 1.0) == (0, 1.0, True)


def test_pairs_do_not_depend_on_the_number_of_reviewers():
    """The measures of a pair do not depend on the number of other reviewers."""
    data = drawn(0.5, 40, judges=13)
    found = measure_panel(judged(data), samples=50)
    assert len(found.pairs) == 13 * 12 // 2
    last = measure_panel(judged(data, reviewers=["j11", "j12"]), samples=50).pairs[0]
    few = next(pair for pair in found.pairs if (pair.one, pair.other) == ("j11", "j12"))
    assert few.same == last.same
    assert few.cohen_kappa.value == last.cohen_kappa.value
    assert few.cohen_kappa.low == pytest.approx(last.cohen_kappa.low)
    assert few.accuracy == last.accuracy
    assert few.correlation == last.correlation
