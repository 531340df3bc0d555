"""Reading a store by columns gives what reading its transcripts gives, without the texts."""

from __future__ import annotations

import asyncio

import pandas as pd
import pytest

import peerjudge as pj
from peerjudge.data import Transcript, replace
from peerjudge.errors import StoreError
from peerjudge.runs import open_run
from peerjudge.store import Columns, Store
from peerjudge.testing import comparison_of, transcript_of
from peerjudge.tracker import opinion_events

RUN = "0123456789abcdef"
FRAMES = ("discussions", "turns", "calls", "events", "battles")


def discussions() -> list[Transcript]:
    """Return discussions of every kind: readable or not, three answers, two conditions, unfinished."""
    told = [
        transcript_of(line, comparison=comparison_of(3, gold=1, name=f"c{k}"), condition=condition)
        for condition in ("one", "two")
        for k, line in enumerate(("2|1 2 1 1", "?|3 ! =", "1|1", "2|1|3 1 2 - 1"))
    ]
    told[2] = replace(told[2], stop=None)
    return told


async def keep(place, told: list[Transcript], *, twice: bool = False) -> None:
    """Write a store with these discussions as one run (and again under another condition)."""
    async with Store.open(place) as store:
        await store.record_run(RUN, {"run": RUN})
        heads = [replace(one, turns=(), stop=None) for one in told]
        await store.enlist(RUN, heads)
        if twice:
            await store.enlist(RUN, [replace(head, condition="again") for head in heads])
        for one in told:
            for turn in one.turns:
                await store.turn(replace(one, turns=one.turns[: turn.index], stop=None), turn)
            if one.stop is not None:
                await store.end(one)


async def stored(place) -> list[Transcript]:
    """Return the discussions as the archive reads them."""
    async with open_run(f"{place / 'store.db'}") as opened:
        return [transcript async for transcript in opened.transcripts()]


@pytest.mark.parametrize("twice", [False, True])
async def test_frames_of_a_store_are_frames_of_its_transcripts(tmp_path, twice):
    """Values extracted by the database equal those of the nouns, row by row."""
    await keep(tmp_path, discussions(), twice=twice)
    known = await stored(tmp_path)
    assert len(known) == len(discussions()) * (2 if twice else 1)
    for name in FRAMES:
        read = getattr(pj, f"{name}_df")
        from_store = await asyncio.to_thread(read, f"{tmp_path / 'store.db'}")
        expected = read(known)
        assert list(from_store.columns) == list(expected.columns)
        for column in expected:
            # The names of a category come in another order, and that means nothing.
            both = [frame[column].astype(object) for frame in (from_store, expected)]
            pd.testing.assert_series_equal(*both)


async def test_a_frame_can_be_read_where_a_loop_is_running(tmp_path):
    """In a notebook the caller's thread already runs an event loop."""
    await keep(tmp_path, discussions())
    assert len(pj.discussions_df(tmp_path / "store.db")) == len(discussions())


async def test_discussions_that_went_alike_share_their_turns(tmp_path):
    """Two repetitions with equal verdicts have one tuple of turns, a third with others its own."""
    told = [
        replace(transcript_of(moves), id=name, condition=name)
        for name, moves in (("a", "1|2 1 2"), ("b", "1|2 1 2"), ("c", "1|2 1 1"))
    ]
    await keep(tmp_path, told)
    async with Columns.open(tmp_path) as columns:
        heads, _ = await columns.heads(RUN)
        read = {one.id: one.turns async for one in columns.transcripts_without_texts(heads)}
    assert read["a"] is read["b"]
    assert read["a"] != read["c"]


async def test_transcripts_without_texts_have_the_same_events(tmp_path):
    """Opinion events do not depend on the texts."""
    await keep(tmp_path, discussions())
    async with Columns.open(tmp_path) as columns:
        heads, counts = await columns.heads(RUN)
        bare = [one async for one in columns.transcripts_without_texts(heads)]
    whole = await stored(tmp_path)
    assert [one.id for one in bare] == [one.id for one in whole]
    assert counts == [len(one.turns) for one in whole]
    assert all(turn.utterance.text == "" for one in bare for turn in one.turns)
    assert [opinion_events(one) for one in bare] == [opinion_events(one) for one in whole]


async def test_only_the_named_run_is_read(tmp_path):
    """Turns of other runs in the same store are left out."""
    told = discussions()
    await keep(tmp_path, told)
    async with Store.open(tmp_path) as store:
        await store.record_run("fedcba", {"run": "fedcba"})
        await store.enlist("fedcba", [replace(told[0], turns=(), stop=None)])
    frame = pj.turns_df(f"{tmp_path / 'store.db'}#fedc")
    assert frame["discussion"].unique().tolist() == [told[0].id]
    assert len(frame) == len(told[0].turns)


def test_a_missing_run_is_an_error():
    """The error passes from the reading thread to the caller."""
    with pytest.raises(StoreError, match="there is no run folder"):
        pj.turns_df("nowhere")
