"""Output sequencing, Table 4: three wordings of an instruction rate SummEval's coherence."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.statistics.testing import compare_correlations, run_williams

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "summeval_full"


@pytest.fixture(scope="module")
def coherence(tmp_path_factory):
    """A run of the experiment on 80 summaries."""
    if not DATA.exists():
        pytest.skip(f"the published data are not at {DATA}")
    out = tmp_path_factory.mktemp("coherence") / "run"
    return pj.run_sync("coherence_prompt", data=f"summeval:{DATA}", limit=80, out=out)


def test_the_wordings_are_put_beside_the_papers(coherence):
    """Each condition has its row of Table 4, with the error and both coefficients."""
    printed = str(pj.reproduce("sequencing", coherence))
    for row in ("init(json(rs))", "+GRIPS", "+OPRO"):
        for measure in ("mean absolute error", "Pearson", "Kendall"):
            assert f"{row}, {measure}" in printed
    assert "wordings are ours" in printed


def test_a_constant_is_the_least_that_a_judge_must_beat(coherence):
    """Always answering the median of the experts has the least error of all constants."""
    rows = pj.score(coherence).document()["correlations"]
    row = next(one for one in rows if one["aspect"] == "coherence")
    assert 1.0 < row["constant"] < 5.0
    assert row["constant_error"]["value"] < row["mean_error"]["value"]


def test_the_papers_test_needs_wordings_that_agree():
    """At n = 1440, .614 over .599 is significant only where the two correlate above .93."""
    assert run_williams(0.614, 0.599, 0.93, 1440).p_value > 0.05
    assert run_williams(0.614, 0.599, 0.935, 1440).p_value < 0.05


def test_answers_to_one_question_are_not_independent():
    """With two equal answers to each question, the test as in the paper has the smaller p-value."""
    gold = [1.0, 2.0, 3.0, 4.0, 5.0, 2.5, 3.5, 1.5] * 2
    one = [1.2, 2.1, 2.7, 4.4, 4.6, 2.4, 3.9, 1.1] * 2
    other = [2.0, 1.1, 3.9, 3.0, 4.2, 3.5, 2.4, 2.6] * 2
    found = compare_correlations(gold, one, other, list(range(8)) * 2)
    assert found.p_independent < found.p_value
