"""Error rates of the stopping rules in simulated studies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from peerjudge.analysis.stopping import find_stops, judge, list_looks, measure_sequence, parse_rule
from studies.stopping.rank_bounds import FIELDS
from studies.stopping.report import compute_stopping
from studies.stopping.rules import (
    EFFECTS,
    NULLS,
    draw_single,
    measure_decisions,
    measure_equivalence,
    measure_precision,
)

STUDIES = 300
MOST = binom.ppf(0.999, STUDIES, 0.05) / STUDIES
"""Share that chance allows where the true one is 5 %."""


@pytest.fixture(scope="module")
def null():
    """Decisions of studies without a difference."""
    return measure_decisions(NULLS, studies=STUDIES, questions=400)


def test_without_a_difference_few_studies_decide_that_there_is_one(null):
    """The error rate is at most 5 % at all looks together, for every kind of question."""
    assert all(one.better + one.worse <= MOST for one in null)


def test_consulting_the_usual_interval_at_every_look_claims_too_much(null):
    """That is why a rule needs bounds that hold at all looks: peeking errs far more often."""
    assert min(one.peeking for one in null) > 0.1
    assert max(one.peeking for one in null) > 0.3


def test_a_difference_is_decided_with_the_right_sign():
    """Clear differences are found, and hardly ever with the wrong sign."""
    for one in measure_decisions(EFFECTS, studies=100):
        right, wrong = (one.better, one.worse) if one.mean > 0 else (one.worse, one.better)
        assert right > 0.7
        assert wrong <= 0.02


def test_a_clear_difference_needs_fewer_questions_than_a_large_fixed_study():
    """A study planned for half of the effect has four times the questions; the rule stops earlier."""
    (one,) = measure_decisions({"clear": draw_single(0.3, 0.1)}, studies=100)
    assert one.questions < 2 * one.fixed


def test_equivalence_is_seldom_claimed_at_its_margin():
    """A difference of exactly the margin is called equivalent in at most 5 % of studies."""
    false, true, _ = measure_equivalence(studies=STUDIES)
    assert false <= MOST
    assert true > 0.9


@pytest.mark.slow
def test_many_studies_at_once_stop_as_one_does():
    """The fast search of the stop agrees with the bounds of each look."""
    drawn = draw_single(0.3, 0.15)(20, 120, np.random.default_rng(5))
    looks = list_looks(120)
    for row, end in zip(drawn, find_stops(drawn, looks).tolist(), strict=True):
        stop = 0
        for size in looks:
            seen = row[0, :size, None]
            found = measure_sequence(seen, seen)
            outcome = judge(found, found, parse_rule("decided"))
            if outcome != "undecided":
                stop = size if outcome == "better" else -size
                break
        assert stop == end


@pytest.mark.slow
def test_bounds_at_a_precise_stop_hold_the_mean():
    """Also where a narrow interval is a sign that rare differences have not been seen yet."""
    populations = {
        name: {**NULLS, **EFFECTS}[name]
        for name in (
            "single verdicts, +20 % -10 %",
            "single verdicts, +2 % -2 %",
            "rare losses, small gains",
        )
    }
    for one in measure_precision(populations, studies=100, half_width=0.15):
        # 93 %, and two standard errors of 100 studies.
        assert one.usual >= 0.93 - 2 * (0.93 * 0.07 / 100) ** 0.5
        assert one.anytime >= 0.95


def test_the_report_has_every_rule():
    """The document holds decisions, equivalence, precision and bounds of rankings."""
    study = compute_stopping(seed=1, studies=8, slow_studies=2, rankings=2)
    assert {one["field"] for one in study.document["rank_bounds"]} == {*FIELDS}
    assert len(study.document["without_difference"]) == len(NULLS)
    assert {"margin", "false", "true", "questions"} == study.document["equivalence"].keys()
    assert "at most" in study.summary[0]
