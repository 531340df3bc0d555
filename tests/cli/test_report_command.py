"""`peerjudge report`: pages, numbers and figures, of runs and of recorded reviews."""

import json
from pathlib import Path

import pytest


def test_a_report_has_its_numbers_beside_it_and_its_figures_in_a_folder(shell):
    """One command writes the page, the same numbers as JSON, and every figure in three forms."""
    assert shell("run", "leader_follower", "--limit", "2", "--out", "study").code == 0
    outcome = shell("report", "study", "-o", "page.html", "--figures", "drawn")
    page, *figures = map(Path, outcome.out.split())
    assert page.name == "page.html"
    assert {figure.suffix for figure in figures} == {".svg", ".png", ".pdf"}
    assert {"accuracy", "events"} <= {figure.stem for figure in figures}
    assert all(figure.parent.name == "drawn" for figure in figures)


def test_a_dataset_without_reviews_has_no_report(shell):
    """The sentence says what there is not, and how to get it."""
    outcome = shell("report", "sample")
    assert outcome.code == 2
    assert "sample has no reviews" in outcome.err
    assert "peerjudge run" in outcome.err


def test_a_dataset_of_peoples_votes_says_that_people_are_its_gold(shell):
    """LFQA has expert votes only: they are the gold that reviewers are measured against."""
    vote = {"question": "Why?", "answer_a": "x", "answer_b": "y", "justification": "Clearer."}
    vote |= {"answer_a_type": "human", "answer_b_type": "machine", "overall_preference": 1}
    (shell.folder / "votes.jsonl").write_text(json.dumps(vote))
    outcome = shell("report", "lfqa:votes.jsonl")
    assert outcome.code == 2
    assert "by people only" in outcome.err


@pytest.mark.parametrize(
    ("data", "reviewers"), [("llmbar", 65), pytest.param("vicuna80", 5, marks=pytest.mark.slow)]
)
def test_recorded_reviews_have_a_report_of_their_own(shell, tmp_path, verdicts, data, reviewers):
    """Reviews are read from disk, also those of LLMBar's 65 evaluators; no model is called."""
    page = tmp_path / "page.html"
    outcome = shell("report", verdicts(data), "-o", str(page))
    assert outcome.code == 0
    assert page.exists()
    document = json.loads(page.with_suffix(".json").read_text("utf-8"))
    assert len(document["score"]["rows"]) == reviewers
