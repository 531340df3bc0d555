"""Discussions that were held elsewhere become transcripts."""

from __future__ import annotations

import json

import pytest

from peerjudge.data import TIE, EventKind, Role, Verdict
from peerjudge.datasets import load
from peerjudge.datasets.source import Options, Request
from peerjudge.datasets.sources.discussions import read_discussions
from peerjudge.errors import DataError
from peerjudge.tracker import track


def turn(speaker, text="Because.", **more):
    """Return a turn."""
    return {"speaker": speaker, "text": text, **more}


def row(*turns, **more):
    """Return a discussion of two answers."""
    return {
        "question": "Why?",
        "answers": ["x", {"text": "y", "author": "m2"}],
        "turns": list(turns),
        **more,
    }


@pytest.fixture
def read(write):
    """Read rows of discussions."""

    def from_rows(*rows, skip_bad=0):
        path = write("talks.jsonl", list(rows))
        return read_discussions(Request(path=path, options=Options(skip_bad=skip_bad))).transcripts

    return from_rows


def test_stated_verdicts_make_opinion_events(read):
    """The first appendix discussion of PRD: reviews 2 and 1, then 2 1 1 1 1 in turn."""
    said = [turn(who, verdict=one, private=True) for who, one in (("leader", "2"), ("other", "1"))]
    speakers = ("leader", "other") * 3
    said += [turn(who, verdict=one) for who, one in zip(speakers, "21111", strict=False)]
    (found,) = read(row(*said))
    assert [seat.role for seat in found.seats] == [Role.LEADER, Role.FOLLOWER]
    kinds = [(event.seat, event.kind) for event in track(found).events]
    assert kinds == [
        ("leader", EventKind.HELD),
        ("other", EventKind.HELD),
        ("leader", EventKind.ALTERED),
        ("other", EventKind.AGREED),
        ("leader", EventKind.AGREED),
    ]
    assert found.verdict == Verdict.of("a")


def test_what_a_turn_hears(read):
    """All before it, nothing in private, or the turns that are named."""
    (found,) = read(
        row(
            turn("a", private=True),
            turn("b", private=True),
            turn("a"),
            turn("b", hears=[2]),
            turn("c"),
        )
    )
    assert [one.cue.hears for one in found.turns] == [(), (), (0, 1), (2,), (0, 1, 2, 3)]
    assert {seat.role for seat in found.seats} == {Role.PANELIST}


def test_a_text_without_a_verdict_is_read(read):
    """The reader finds the choice in the words; `none` says that there is none to find."""
    (found,) = read(
        row(
            turn("a", "Both are short.\nChoice: 2"),
            turn("a", "Good morning."),
            turn("a", "Choice: 1", verdict="none"),
            turn("a", "Choice: 1", verdict="tie"),
        )
    )
    verdicts = [one.review.verdict for one in found.turns]
    assert verdicts[0] == Verdict.of("b")
    assert verdicts[1] is not None
    assert not verdicts[1].readable
    assert verdicts[2:] == [None, TIE]
    assert found.seats[0].role == Role.JUDGE


def test_the_conclusion_is_stated_or_that_of_the_speakers(read):
    """The last verdict of two, the majority of three, or what the row says."""
    two = [turn("a", verdict="a"), turn("b", verdict="b")]
    three = [*two, turn("c", verdict="b"), turn("a", verdict="a")]
    found = read(row(*two), row(*three), row(*three, verdict="tie"))
    assert [one.verdict for one in found] == [Verdict.of("b"), Verdict.of("b"), TIE]


def test_the_same_discussion_again_is_a_repetition(read):
    """Equal words twice are two discussions of one comparison."""
    one, two = read(row(turn("a", verdict="a")), row(turn("a", verdict="a")))
    assert one.id != two.id
    assert one.comparison == two.comparison
    assert (one.repetition, two.repetition) == (0, 1)


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (row(turn("")), r"line 1, turns\[0\]: no 'speaker'"),
        (
            row(turn("a"), turn("b", hears=[1])),
            r"turns\[1\]: 'hears' lists numbers .* 0 to 0, not \[1\]",
        ),
        (
            row(turn("a", verdict="c")),
            r"turns\[0\]: 'verdict' must be one of a, b, .*tie.*, not 'c'",
        ),
        (row(turn("a", private="yes")), r"turns\[0\]: 'private' must be true or false, not 'yes'"),
        (row(turn("a"), {"speaker": "b"}), r"turns\[1\]: no 'text'; give a string"),
        (row(), r"line 1: 'turns' must be a list with an object in it"),
        (row(turn("a"), leader="z"), r"'leader' is 'z', who says nothing; speakers are a"),
        (row(turn("a"), golden="a"), r"column 'golden' looks like 'gold' misspelt"),
    ],
)
def test_a_bad_discussion_is_named_by_its_place(read, bad, complaint):
    """File, line and path of keys; `skip_bad` leaves it out."""
    with pytest.raises(DataError, match=complaint):
        read(bad)
    assert len(read(bad, row(turn("a", verdict="a")), skip_bad=1)) == 1


def test_a_discussion_in_a_list_is_named_by_its_item(write):
    """A JSON list has items, not lines, also where an answer in one of them is wrong."""
    rows = [row(turn("a")), row(turn("a")) | {"answers": ["x", {"author": "m2"}]}]
    path = write("talks.json", json.dumps(rows))
    with pytest.raises(DataError, match=r"talks.json, item 2: no 'text'; give a string"):
        read_discussions(Request(path=path))


def test_one_id_is_one_comparison(read):
    """Another question under the same id is refused, and named with its first row."""
    other = {**row(turn("a"), id="c1"), "question": "How?"}
    with pytest.raises(DataError, match="id 'c1' has another question or other answers on line 1"):
        read(row(turn("a"), id="c1"), other)


def test_discussed_comparisons_are_data_for_a_run(write):
    """`discussions:FILE` has each comparison once, without what was said."""
    path = write("talks.jsonl", [row(turn("a"), gold="b")] * 2)
    data = load(f"discussions:{path}")
    assert len(data.comparisons) == 1
    assert data.comparisons[0].gold == Verdict.of("b")
