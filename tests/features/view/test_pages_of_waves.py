"""Pages of a discussion that failed while other seats of its wave spoke."""

from __future__ import annotations

from peerjudge.data import Failure, StopReason, replace
from peerjudge.features.view.discussion import show_discussion
from peerjudge.testing import transcript_of


def test_turns_after_a_missing_one_are_shown():
    """What other seats said beside a failed one is on the page, and the version counts it."""
    whole = transcript_of("1|2|1 2")
    failed = replace(
        whole,
        turns=whole.turns[:1],
        ahead=whole.turns[2:3],
        stop=StopReason.FAILED,
        failure=Failure(kind="OSError", message="gone", seat="seat-2", turn=1),
    )
    shown = show_discussion(failed)
    assert [turn.kept.index for turn in shown.turns] == [0, 2]
    assert [turn.name for turn in shown.turns] == ["private", "private"]
    assert shown.version == "2-failed"
    assert "Failed in turn 1" in shown.ending
