"""`peerjudge report`: pages, numbers and figures, of runs and of recorded reviews."""

import json
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def test_a_report_has_its_numbers_beside_it_and_its_figures_in_a_folder(played, tmp_path):
    """One command writes the page, the same numbers as JSON, and every figure in two forms."""
    pytest.importorskip("resvg_py")
    outcome = played("report", "study", "-o", "page.html", "--figures", "drawn")
    page, *figures = map(Path, outcome.out.split())
    assert page.name == "page.html"
    assert {figure.suffix for figure in figures} == {".svg", ".png"}
    assert {"accuracy", "events"} <= {figure.stem for figure in figures}
    assert all(figure.parent.name == "drawn" for figure in figures)


def test_a_dataset_without_reviews_has_no_report(shell):
    """The sentence says what there is not, and how to get it."""
    outcome = shell("report", "sample")
    assert outcome.code == 2
    assert "sample has no reviews" in outcome.err
    assert "peerjudge run" in outcome.err


@pytest.mark.data
def test_a_dataset_of_peoples_votes_says_that_people_are_its_gold(shell):
    """LFQA has expert votes only: they are what reviewers are measured against."""
    if not (DATA / "lfqa").exists():
        pytest.skip("the published LFQA data are not beside this checkout")
    outcome = shell("report", f"lfqa:{DATA / 'lfqa'}")
    assert outcome.code == 2
    assert "by people only" in outcome.err


@pytest.mark.data
def test_recorded_reviews_have_a_report_of_their_own(shell, tmp_path):
    """LLMBar's 65 evaluators are read from disk; no model is asked."""
    if not (DATA / "llmbar").exists():
        pytest.skip("the published LLMBar data are not beside this checkout")
    page = tmp_path / "page.html"
    outcome = shell("report", f"llmbar:{DATA / 'llmbar'}", "-o", str(page))
    assert outcome.code == 0
    assert page.exists()
    document = json.loads(page.with_suffix(".json").read_text("utf-8"))
    assert len(document["data"]["reviewers"]) == 65
