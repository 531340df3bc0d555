"""`peerjudge report`: pages, numbers and figures, of runs and of recorded reviews."""

import gzip
import json

import pytest


def test_a_report_has_its_numbers_beside_it_and_its_figures_in_a_folder(shell):
    """One command writes the page, the same numbers as JSON, and every figure in three forms."""
    rows = [
        f"Question {n}?,yes {n},no {n},{'ab'[n % 2]},{who},{'ab'[n % errs == 0]}\n"
        for n in range(6)
        for who, errs in (("ann", 2), ("bob", 3))
    ]
    head = "question,answer_a,answer_b,gold,reviewer,verdict\n"
    (shell.folder / "pairs.csv").write_text(head + "".join(rows))
    outcome = shell("report", "pairs.csv", "-o", "page.html", "--figures", "drawn")
    endings = (".svg", ".png", ".pdf")
    assert outcome.out.split() == ["page.html", *(f"drawn/score-accuracy{one}" for one in endings)]
    assert all((shell.folder / path).exists() for path in outcome.out.split())
    document = json.loads((shell.folder / "page.json").read_text("utf-8"))
    assert [row["reviewer"] for row in document["score"]["rows"]] == ["ann", "bob"]


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
    ("data", "each", "reviewers"),
    [("llmbar", 20, 65), pytest.param("vicuna80", 1, 5, marks=pytest.mark.slow)],
)
def test_recorded_reviews_have_a_report_of_their_own(shell, verdicts, data, each, reviewers):
    """Reviews are read from disk, also those of LLMBar's 65 evaluators; no model is called."""
    reader, _, table = verdicts(data).rpartition(":")
    with gzip.open(table) as whole:
        head, *rows = whole
    (shell.folder / "some.jsonl").write_bytes(b"".join([head, *rows[::each]]))
    assert shell("report", f"{reader}:some.jsonl", "-o", "page.html").code == 0
    assert (shell.folder / "page.html").exists()
    document = json.loads((shell.folder / "page.json").read_text("utf-8"))
    assert len(document["score"]["rows"]) == reviewers
