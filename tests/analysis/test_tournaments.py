"""Tournaments built from ballots."""

from __future__ import annotations

from peerjudge.analysis import build_tournament, collect_transcripts
from peerjudge.data import StopReason, Tournament, Transcript, replace
from peerjudge.testing import comparison_of, transcript_of
from peerjudge.tracker import Stance


def tournament(transcript: Transcript, stance: Stance) -> Tournament:
    """The battles of the stances of one discussion."""
    return build_tournament(collect_transcripts([transcript]).of_stance(stance))


def stances(moves: str, stance: Stance) -> list[tuple[str, int | None]]:
    """By reviewer, the scores of the stances in a discussion written in one line."""
    found = tournament(transcript_of(moves), stance)
    return [
        (found.reviewers[reviewer], score if readable else None)
        for reviewer, score, readable in zip(
            found.reviewer.tolist(), found.score.tolist(), found.readable.tolist(), strict=True
        )
    ]


def test_private_and_final_stances_are_different_battles():
    """The private stance of a seat may differ from its final stance."""
    assert stances("2|1 1 1", "private") == [("reviewer-1", 1), ("reviewer-2", -1)]
    assert stances("2|1 1 1", "final") == [("reviewer-1", -1), ("reviewer-2", -1)]


def test_an_unreadable_turn_does_not_end_a_stance():
    """A stance is the last readable verdict; a seat that never gave one is counted as unreadable."""
    assert stances("2|1 ? 2", "final") == [("reviewer-1", 1), ("reviewer-2", 1)]
    assert stances("?|1 ? 1", "final") == [("reviewer-1", None), ("reviewer-2", -1)]


def test_an_unended_discussion_has_private_stances_only():
    """An incomplete discussion has no final stances."""
    failed = replace(transcript_of("2|1 1"), stop=StopReason.FAILED)
    assert len(tournament(failed, "final")) == 0
    assert len(tournament(failed, "private")) == 2


def test_three_answers_are_no_battle():
    """A choice among three answers makes no battle."""
    chosen = transcript_of("3|1 3", comparison=comparison_of(3))
    assert len(tournament(chosen, "final")) == 0
