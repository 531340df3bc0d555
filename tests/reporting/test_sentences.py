"""Sentences at the head of a report."""

from peerjudge.analysis.findings import build_findings
from peerjudge.data import Transcript, replace
from peerjudge.reporting.sentences import summarize_findings


def test_every_sentence_has_its_interval_and_losses_are_counted(
    run: tuple[Transcript, ...],
) -> None:
    """The first lines state their uncertainty, and how many discussions are missing."""
    vote, gain, moved, first, lost = summarize_findings(build_findings(run))
    assert vote.startswith("Against the vote of the same reviewers: \u201c\u2068ann with bob\u2069")
    assert "may be chance" in vote
    assert "points, to" in gain
    for said in (vote, gain, moved):
        assert said.count("[") == said.count("]") > 0
    assert first.startswith("Ranked first of 2: ")
    assert lost == "Of 11 discussions, 1 failed and 1 have not ended."


def test_the_best_of_several_is_marked_as_selected(run: tuple[Transcript, ...]) -> None:
    """The best of several conditions looks better than it is; a single condition was not selected."""
    again = tuple(replace(told, condition="again") for told in run if told.condition != "vote")
    assert (
        "; the best of 2 conditions, which flatters it."
        in summarize_findings(build_findings(run + again))[0]
    )
    assert "flatters" not in summarize_findings(build_findings(run))[0]


def test_a_run_without_discussions_has_no_sentences() -> None:
    """No sentence is made of missing numbers."""
    assert summarize_findings(build_findings(())) == []
