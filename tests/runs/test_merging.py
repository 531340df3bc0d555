"""`peerjudge merge`: several runs as one, with every discussion and every paid call once."""

from __future__ import annotations

import asyncio
import json

import pytest

import peerjudge as pj
from peerjudge.data import (
    Answer,
    Comparison,
    Experiment,
    Question,
    Role,
    Seat,
    StopReason,
    Verdict,
    replace,
)
from peerjudge.errors import DataError, StoreError
from peerjudge.runs.manifest import read_manifest, require_own, write_manifest
from peerjudge.runs.merging import merge_runs
from peerjudge.store import Archive, Store
from peerjudge.testing import transcript_of

SEATS = (
    Seat(id="reviewer_1", reviewer="ann", role=Role.LEADER),
    Seat(id="reviewer_2", reviewer="bob", role=Role.FOLLOWER),
)
CARDS = {"ann": {"name": "ann", "model": "m1"}, "bob": {"name": "bob", "model": "m2"}}


def talk(number, *, moves="1|2 1 1", text="", condition="both"):
    """Return a discussion of comparison `number`, ended and conclusive."""
    comparison = Comparison(
        id=f"c{number}",
        question=Question(id=f"q{number}", text=text or f"Question {number}?"),
        answers=(Answer(id="good", text="yes"), Answer(id="poor", text="no")),
        gold=Verdict.of("good"),
    )
    found = transcript_of(moves, comparison=comparison, seats=SEATS, condition=condition)
    return replace(found, id=f"{condition}-{number}", protocol="leader_follower")


def call(number, discussion, *, outcome="paid", usd=0.5, reviewer="ann"):
    """Return a row of the book of calls."""
    return {
        "number": number,
        "run": "r",
        "reviewer": reviewer,
        "model": "m1",
        "discussion": discussion,
        "turn": 0,
        "outcome": outcome,
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "estimated": False,
        "usd": usd,
        "error": "",
    }


@pytest.fixture
def write(tmp_path):
    """Write a run folder with these discussions and calls."""

    def write_run(name, talks, calls=(), *, cards=CARDS, protocol="leader_follower", seed=0):
        async def store():
            folder = tmp_path / name
            declared = [{"name": "both", "protocol": protocol, "seats": ["ann", "bob"]}]
            manifest = {
                "run": f"{name:0<8}",
                "experiment": {"name": "study", "conditions": declared, "seed": seed},
                "cards": cards,
            }
            async with Store.open(folder) as opened:
                await opened.record_run(manifest["run"], manifest)
                await opened.enlist(manifest["run"], talks)
                for one in talks:
                    await opened.end(one)
                for row in calls:
                    await opened.book(row)
            write_manifest(folder, manifest)
            return str(folder)

        return asyncio.run(store())

    return write_run


def merge(*sources, out):
    """Merge runs."""
    return asyncio.run(merge_runs(*sources, out=out))


def read_book(place):
    """Return the calls and the cost of a place, by outcome."""

    async def read():
        async with Archive.open(place) as store:
            return {one.outcome: (one.calls, one.usd) for one in await store.booked()}

    return asyncio.run(read())


def test_parts_of_a_run_merge_into_the_whole(write, tmp_path):
    """Discussions keep their identities and content, those of both parts are there once."""
    talks = [talk(number) for number in range(7)]
    found = merge(write("a", talks[:4]), write("b", talks[2:]), out=tmp_path / "m")
    assert [(one.discussions, one.new) for one in found.sources] == [(4, 4), (5, 3)]
    assert (found.discussions, found.comparisons) == (7, 7)
    assert asyncio.run(pj.load(tmp_path / "m")) == tuple(talks)
    whole, parts = pj.score(write("whole", talks)), pj.score(tmp_path / "m")
    assert parts.document()["rows"] == whole.document()["rows"]


@pytest.mark.parametrize(("seeds", "kept"), [((7, 7), 7), ((0, 7), None)])
def test_runs_with_other_seeds_merge_into_a_run_that_is_read(write, tmp_path, seeds, kept):
    """The merge has the seed that all its sources have, and none where they differ."""
    sources = [write(f"run{at}", [talk(at)], seed=seed) for at, seed in enumerate(seeds)]
    merge(*sources, out=tmp_path / "m")
    assert read_manifest(tmp_path / "m")["experiment"]["seed"] == kept
    assert len(asyncio.run(pj.load(tmp_path / "m"))) == 2


def test_a_call_is_paid_once_however_many_books_have_it(write, tmp_path):
    """A copied folder repeats its calls; an open call is settled by the book that has its outcome."""
    first = write("a", [talk(1)], [call(1, "both-1"), call(2, "both-1", outcome="open", usd=2.0)])
    more = [call(1, "both-1"), call(2, "both-1", usd=0.25), call(9, "both-2")]
    copied = write("b", [talk(1), talk(2)], more)
    for name, order in (("m", (first, copied)), ("n", (copied, first))):
        merge(*order, out=tmp_path / name)
        assert read_book(tmp_path / name) == {"paid": (3, 1.25)}


def test_other_calls_of_the_same_number_are_added(write, tmp_path):
    """Stores of the first schema number their calls from 1, so the number alone is no identity."""
    one = write("a", [talk(1)], [call(1, "both-1")])
    other = write("b", [talk(2)], [call(1, "both-2", usd=0.75)])
    found = merge(one, other, out=tmp_path / "m")
    assert read_book(tmp_path / "m") == {"paid": (2, 1.25)}
    assert [(each.calls, each.repeated) for each in found.sources] == [(1, 0), (1, 0)]
    merge(str(tmp_path / "m"), other, one, out=tmp_path / "again")
    assert read_book(tmp_path / "again") == {"paid": (2, 1.25)}


def test_the_longer_part_of_a_discussion_stays(write, tmp_path):
    """Where one run stopped and the other went on, in either order."""
    whole = talk(1)
    begun = replace(whole, turns=whole.turns[:1], stop=None)
    parts = write("begun", [begun]), write("whole", [whole])
    for name, order in (("m", parts), ("n", parts[::-1])):
        merge(*order, out=tmp_path / name)
        (kept,) = asyncio.run(pj.load(tmp_path / name))
        assert kept == whole
        assert kept.stop is StopReason.COMPLETE


def test_turns_after_a_missing_one_count_in_a_merge(write, tmp_path):
    """Of two interrupted parts, each lacking another private review, the merge has both reviews."""
    whole = talk(1)
    first = replace(whole, turns=whole.turns[:1], stop=None)
    second = replace(whole, turns=(), ahead=whole.turns[1:2], stop=None)
    merge(write("first", [first]), write("second", [second]), out=tmp_path / "m")
    (kept,) = asyncio.run(pj.load(tmp_path / "m"))
    assert (kept.turns, kept.ahead) == (whole.turns[:2], ())
    other = replace(second.ahead[0], utterance=replace(second.ahead[0].utterance, text="Else."))
    sources = write("a", [second]), write("b", [replace(second, ahead=(other,))])
    with pytest.raises(DataError, match="something else in turn 1"):
        merge(*sources, out=tmp_path / "n")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"talks": [talk(1, moves="2|1 2 2")]}, "it was played twice"),
        ({"talks": [talk(1, text="Another?")]}, "comparison 'c1' has another content"),
        (
            {"cards": {**CARDS, "ann": {"name": "ann", "model": "m9"}}},
            "card 'ann' differs in model",
        ),
        ({"protocol": "vote"}, "condition 'both' differs in protocol"),
    ],
)
def test_runs_that_contradict_each_other_are_refused(write, tmp_path, changes, said):
    """The sentence names what differs, and nothing is left in the new folder."""
    more = {"talks": [talk(2)], **changes}
    if "content" in said:
        more["talks"] = [replace(one, id="other") for one in more["talks"]]
    sources = write("a", [talk(1)]), write("b", **more)
    with pytest.raises(DataError) as caught:
        merge(*sources, out=tmp_path / "m")
    assert said in str(caught.value)
    assert not (tmp_path / "m").exists()


def test_the_manifest_tells_where_discussions_came_from(write, tmp_path):
    """Each source is kept with its whole manifest; resuming into the merge is refused."""
    merge(write("a", [talk(1)]), write("b", [talk(2)]), out=tmp_path / "m")
    manifest = read_manifest(tmp_path / "m")
    sources = manifest["merged"]
    assert [(one["name"], one["new"]) for one in sources] == [("a", 1), ("b", 1)]
    assert sources[1]["manifest"]["run"] == "b0000000"
    assert str(tmp_path) not in json.dumps(manifest)
    with pytest.raises(StoreError, match="is a merge of runs, to which nothing can be added"):
        require_own(
            tmp_path / "m", Experiment(name="study", question="?", data="sample", conditions=())
        )


def test_what_cannot_be_merged_is_refused(write, tmp_path):
    """One run alone, the same twice, a folder in use, and a database as the target."""
    one, other = write("a", [talk(1)]), write("b", [talk(2)])
    for sources in ((one,), (one, one)):
        with pytest.raises(StoreError, match="two or more different runs"):
            merge(*sources, out=tmp_path / "m")
    with pytest.raises(StoreError, match="holds other files"):
        merge(one, other, out=tmp_path / "a")
