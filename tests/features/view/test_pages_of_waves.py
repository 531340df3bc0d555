"""Pages of a discussion whose seats speak at the same time: its waves, and one that failed within a wave."""

from __future__ import annotations

import re

import pytest

from peerjudge.data import Failure, StopReason, replace
from peerjudge.features.view.discussion import show_discussion
from peerjudge.testing import transcript_of
from tests.web.conftest import RUN, browse, keep


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
    assert [turn.wave for turn in shown.turns] == [0, 0]
    assert shown.version == "2-failed"
    assert "Failed in turn 1" in shown.ending


def told(moves: str, cues=(), **options):
    """A discussion with these changes of its cues, in their order."""
    whole = transcript_of(moves, **options)
    changed = [
        replace(turn, cue=replace(turn.cue, **change))
        for turn, change in zip(whole.turns, cues, strict=False)
    ]
    return replace(whole, turns=(*changed, *whole.turns[len(changed) :]))


PREPARED = told(
    "-|- 1 2 1 2 1 2",
    [
        {"private": True, "hears": ()},
        {"private": True, "hears": ()},
        {"private": True, "hears": (0,)},
        {"private": True, "hears": (1,)},
    ],
)
"""Two seats prepare, then decide on their own words, then speak one after the other."""
INTERLEAVED = told(
    "-|- 1 2 1 2",
    [{"private": True, "hears": heard} for heard in ((), (0,), (), (2,))],
)
"""Turn by turn of one seat and the other, of which the second and the last hear the turn before them."""


@pytest.mark.parametrize(
    ("transcript", "waves"),
    [
        (told("1|2|1 2 1 1"), [0, 0, 0, 1, 2, 3]),
        (told("1|2|1 2 1 1", hears=lambda _, earlier: earlier < 3), [0, 0, 0, 1, 1, 1]),
        (told("1|2 2 1", hears="none"), [0, 0, 1, 1]),
        (told("1|2 2 1", [{}, {}, {}, {"hears": (1,), "withheld": (0, 2)}]), [0, 0, 1, 2]),
        (PREPARED, [0, 0, 1, 1, 2, 3]),
        (INTERLEAVED, [0, 1, 0, 1]),
    ],
    ids=["one-by-one", "at-once", "deaf", "placebo", "prepared", "interleaved"],
)
def test_a_wave_is_of_turns_that_heard_none_of_each_other(transcript, waves):
    """A turn comes after all that it heard or was denied, and the open turns after the private ones."""
    assert [turn.wave for turn in show_discussion(transcript).turns] == waves


async def test_turns_of_a_wave_stand_in_one_group_in_their_order(tmp_path):
    """Private reviews are one group with words; later turns are groups of one, and headings stay in order."""
    one = told("1|2|1 2 1 1")
    await keep(tmp_path / "run", [one, replace(INTERLEAVED, id="interleaved")])
    async with browse(tmp_path / "run", tmp_path / "cache") as client:
        page = (await client.get(f"/r/{RUN[:12]}/d/{one.id}")).text
        other = (await client.get(f"/r/{RUN[:12]}/d/interleaved")).text
    groups = page.split('<li class="wave')[1:]
    assert [re.findall(r'id="t(\d+)"', group) for group in groups] == [
        ["0", "1", "2"],
        ["3"],
        ["4"],
        ["5"],
    ]
    assert page.count("3 turns at the same time") == page.count("at the same time") == 1
    assert [group.count("<h3>") for group in groups] == [3, 1, 1, 1]
    assert re.findall(r'id="t(\d+)"', other) == ["0", "2", "1", "3"]
    assert other.count("2 turns at the same time") == 2
