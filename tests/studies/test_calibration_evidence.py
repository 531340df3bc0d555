"""Penalised criteria and tests of equivalence say what the calibration shows, and no more."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from studies.calibration.assessment import Row
from studies.calibration.evidence import compare_within, count_equivalent, penalise
from studies.calibration.fitting import Parameter, fit_parameters
from studies.calibration.targets import Figure


def _row(name, published, mean, spread, *, group="accuracies", drawn=None):
    simulated = mean + spread * np.linspace(-1.7320508, 1.7320508, 401) if drawn is None else drawn
    low, high = np.quantile(simulated, [0.025, 0.975])
    return Row(
        figure=Figure(group=group, name=name, published=published, spread=spread),
        mean=mean,
        low=low,
        high=high,
        deviations=0.0,
        simulated=simulated,
    )


@pytest.mark.parametrize("shift", [-0.03, 0.0, 0.012, 0.05])
def test_two_one_sided_tests_are_those_of_student(shift):
    """The p-value is the greater of two one-sided t tests, and the interval lies within as they say."""
    values = shift + np.array([-0.01, 0.004, 0.013, -0.007, 0.002, 0.009])
    found = compare_within(values.tolist(), margin=0.02)
    below = stats.ttest_1samp(values, -0.02, alternative="greater").pvalue
    above = stats.ttest_1samp(values, 0.02, alternative="less").pvalue
    assert found.p_value == pytest.approx(max(below, above))
    assert found.shown == (found.low > -0.02 and found.high < 0.02)
    assert compare_within(values.tolist(), margin=found.least_margin).p_value == pytest.approx(0.05)


def test_one_pair_shows_no_equivalence():
    """From one difference there is no error, and so nothing is shown."""
    assert not compare_within([0.0]).shown


def test_a_noisy_figure_inside_shows_nothing():
    """A figure that lies inside is shown to be near the model only if its own error is small."""
    rows = [
        _row("noisy", 0.70, 0.70, 0.04),
        _row("sharp", 0.705, 0.70, 0.005),
        _row("far", 0.75, 0.70, 0.005),
    ]
    (found,) = count_equivalent(rows)
    assert (found.figures, found.inside, found.equivalent) == (3, 2, 1)


def _fit(copies):
    """Fit a line to 40 figures, each of which is there this many times."""
    places = np.repeat(np.linspace(0.0, 1.0, 40), copies)
    seen = 0.5 + 0.2 * places + 0.1 * np.repeat(np.random.default_rng(0).normal(size=40), copies)
    wanted = [
        Parameter(name=name, low=-9.0, high=9.0, prior=0.0, spread=1e3)
        for name in ("level", "slope")
    ]
    return fit_parameters(wanted, lambda v: (v["level"] + v["slope"] * places - seen) / 0.1)


def _rows(copies):
    drawn = np.random.default_rng(1).normal(0.5, 0.1, size=(20_000, 40))
    return [
        _row(f"{number} {copy}", 0.5, 0.5, 0.1, drawn=drawn[:, number])
        for number in range(40)
        for copy in range(copies)
    ]


def test_independent_figures_have_as_many_parameters_as_the_model():
    """Without dependence the composite criterion is Akaike's."""
    (found,) = penalise({"line": _fit(1)}, _rows(1), questions=40)
    assert found.effective == pytest.approx(2.0, abs=0.1)
    assert found.aic == pytest.approx(found.plain_aic, abs=0.2)
    assert found.bic == pytest.approx(found.cost + 2.0 * np.log(40), abs=0.4)


def test_figures_counted_twice_are_penalised_twice():
    """Copies of figures double the squares, which are no more evidence; the penalty doubles too."""
    (once,) = penalise({"line": _fit(1)}, _rows(1), questions=40)
    (twice,) = penalise({"line": _fit(2)}, _rows(2), questions=40)
    assert twice.cost == pytest.approx(2 * once.cost)
    assert twice.effective == pytest.approx(2 * once.effective, rel=1e-3)
    assert twice.aic == pytest.approx(2 * once.aic, rel=1e-3)
