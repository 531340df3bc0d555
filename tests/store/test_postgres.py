"""The same store on Postgres."""

from __future__ import annotations

import asyncio
import os

import pytest

from peerjudge.data import Condition, Experiment, Message, Question, StopReason, replace
from peerjudge.errors import StoreError
from peerjudge.runs import load, run
from peerjudge.runs.bounds import Place
from peerjudge.runs.texts import WritingTask
from peerjudge.runs.writing import write_texts
from peerjudge.store import Archive, Status, Store, examine_store
from peerjudge.testing import transcript_of

from .played import Drawn, play_unfinished


async def _count(archive: Archive, status: Status) -> int:
    ids = [transcript.id async for transcript in archive.transcripts()]
    return list((await archive.statuses(ids)).values()).count(status)


async def test_a_run_is_the_same_on_either_database(url, tmp_path):
    """A run that fails and is resumed ends like an undisturbed one on SQLite."""
    first, second, undisturbed = Drawn(fails_at=2), Drawn(), Drawn()
    async with Store.open(url) as store:
        await play_unfinished(store, first, 20)
        assert await _count(store, Status.FAILED) == 20
    async with Store.open(url) as store:
        await play_unfinished(store, second, 30)
        assert await _count(store, Status.DONE) == 30
    assert len(second.calls) == 20 * 3 + 10 * 5
    async with Store.open(tmp_path) as store:
        await play_unfinished(store, undisturbed, 30)
        expected = [transcript async for transcript in store.transcripts(run="run")]
    async with Archive.open(url) as archive:
        assert [each async for each in archive.transcripts(run="run")] == expected


async def test_manifests_and_outcomes_survive_the_server(url):
    """Ties, refusals, explanations and a replaced manifest are read as written."""
    transcript = transcript_of("=|? ! -", gold=1)
    async with Store.open(url) as store:
        await store.record_run("r1", {"name": "first"})
        await store.record_run("r1", {"name": "second"})
        await store.end(transcript)
    async with Archive.open(url) as archive:
        assert await archive.transcript(transcript.id) == transcript
        assert [run.manifest for run in await archive.runs()] == [{"name": "second"}]


async def test_the_book_and_the_doctor_work_on_a_server(url):
    """Calls are summed, and a damaged row is repaired."""
    import asyncpg

    call = {
        "number": 7 << 32,
        "run": "run",
        "reviewer": "ann",
        "model": "m",
        "discussion": "d",
        "turn": 0,
        "outcome": "open",
        "prompt_tokens": 40,
        "completion_tokens": 2,
        "estimated": True,
        "usd": None,
        "error": "",
    }
    spoken = Drawn()
    async with Store.open(url) as store:
        await play_unfinished(store, spoken, 3)
        await store.book(call)
        await store.book({**call, "outcome": "paid", "usd": 0.5})
        await store.book({**call, "number": (7 << 32) + 1})
        assert [(one.outcome, one.calls, one.usd) for one in await store.booked()] == [
            ("open", 1, 0.0),
            ("paid", 1, 0.5),
        ]
    connection = await asyncpg.connect(url)
    tokens = '"prompt_tokens":30,"completion_tokens":4,'
    await connection.execute(
        'UPDATE turns SET body = replace(body, \'"prompt_tokens":0,"completion_tokens":0,\', $1)',
        tokens,
    )
    async with Store.open(url) as store:
        assert await store.simulated_tokens() == 34 * len(spoken.calls)
    await connection.execute("UPDATE turns SET body = '{oops' WHERE discussion = 1 AND index = 1")
    assert len((await examine_store(url)).damage) == 1
    assert (await examine_store(url, repair=True)).repaired
    assert not (await examine_store(url)).damage
    assert await connection.fetchval("SELECT count(*) FROM damaged") == 1 + 4
    async with Store.open(url) as store:
        await play_unfinished(store, spoken, 3)
        assert await _count(store, Status.DONE) == 3
    await connection.close()


async def test_two_writers_of_one_discussion_get_an_error(url):
    """A turn of another process is not written again."""
    transcript = transcript_of("2|1 2")
    opened = replace(transcript, turns=(), stop=None)
    async with Store.open(url) as one:
        await one.turn(opened, transcript.turns[0])
        with pytest.raises(StoreError, match="another process plays the same discussions"):
            async with Store.open(url) as other:
                await other.turn(opened, transcript.turns[0])


async def test_a_run_on_a_server_has_one_process(url):
    """A second process is refused at the start with the name of the first; other runs are free."""
    played = await run("quickstart", store=url, limit=1, environ={})
    async with Store.open(url) as one, Store.open(url) as two:
        async with one.hold(played.run):
            with pytest.raises(StoreError, match=rf"in use by .*process {os.getpid()} on"):
                await run("quickstart", store=url, limit=1, environ={})
            async with two.hold("another run"):
                pass
        async with two.hold(played.run):
            pass
    again = await run("quickstart", store=url, limit=1, environ={})
    assert again.discussions.skipped == played.discussions.done


OVERLAP = Experiment(
    name="overlap",
    data="sample",
    conditions=tuple(
        Condition(name=name, protocol="pairwise", seats=(f"sim_{name}",))
        for name in ("plain", "solid", "strong")
    ),
)
SLOW = {"latency": "0.02"}


async def test_runs_with_common_discussions_share_them_at_the_same_time(url):
    """Each discussion is played once, by the run that begins it; the other run has it as well."""
    first = replace(OVERLAP, conditions=OVERLAP.conditions[:2])
    second = replace(OVERLAP, conditions=OVERLAP.conditions[1:])
    runs = [
        run(study, store=url, limit=8, seed=seed, settings=SLOW, max_connections=3, environ={})
        for study, seed in ((first, 0), (second, 0), (first, 5))
    ]
    one, two, other_seed = await asyncio.gather(*runs)
    each = len(OVERLAP.conditions[0].seats) * 2 * 8
    assert one.discussions.failed + two.discussions.failed + other_seed.discussions.failed == 0
    assert one.discussions.done + two.discussions.done == 3 * each
    assert one.discussions.skipped + two.discussions.skipped == each
    assert other_seed.discussions.done == 2 * each
    for summary in (one, two, other_seed):
        played = await load(f"{url}#{summary.run[:8]}")
        assert len(played) == 2 * each
        assert {transcript.stop for transcript in played} == {StopReason.COMPLETE}


async def test_a_run_takes_over_the_discussions_of_one_that_stops(url):
    """A run that reaches its limit gives up its claims, and the waiting run plays the rest."""
    stopping = run(
        OVERLAP,
        store=url,
        limit=8,
        settings=SLOW,
        token_limit=9000,
        max_connections=1,
        environ={},
    )
    waiting = run(
        replace(OVERLAP, conditions=OVERLAP.conditions[:1]),
        store=url,
        limit=8,
        settings=SLOW,
        environ={},
    )
    stopped, complete = await asyncio.gather(stopping, waiting)
    assert stopped.stopped == "token limit"
    assert complete.stopped is None
    assert complete.discussions.done + complete.discussions.skipped == 2 * 8
    assert len(await load(f"{url}#{complete.run[:8]}")) == 2 * 8


async def test_two_writers_may_create_the_store_at_once(url):
    """One of them creates the tables, the others wait."""

    async def keep(moves):
        async with Store.open(url) as store:
            await store.end(transcript_of(moves))

    await asyncio.gather(*(keep(moves) for moves in ("1", "2", "1|2 1", "2|2 2")))
    async with Archive.open(url) as archive:
        assert await _count(archive, Status.DONE) == 4


async def test_a_store_of_another_version_on_a_server_is_refused(url):
    """Nothing is read or changed; the message says what to do."""
    import asyncpg

    transcript = transcript_of("2|1 2 1")
    async with Store.open(url) as store:
        await store.end(transcript)
    connection = await asyncpg.connect(url)
    await connection.execute("UPDATE peerjudge_schema SET number = 9999")
    for kind in (Store, Archive):
        with pytest.raises(StoreError, match=r"store schema 9999, this is .*start a new store"):
            async with kind.open(url):
                pass
    assert await connection.fetchval("SELECT count(*) FROM turns") == len(transcript.turns)
    await connection.close()


async def test_texts_of_cards_are_kept_on_a_server(url):
    """A simulated answer is written once, is found again by its request, and its tokens are counted."""
    import asyncpg

    ask = WritingTask(
        id="one",
        card="sim_strong",
        task="answer",
        messages=(Message(role="user", text="What is rain?"),),
        question=Question(id="q", text="What is rain?"),
    )
    first = await write_texts([ask], place=Place(store=url))
    again = await write_texts([ask], place=Place(store=url))
    assert (first.calls.simulated, again.calls.simulated, again.kept) == (1, 0, 1)
    assert first.texts[0].text == again.texts[0].text
    async with Archive.open(url) as archive:
        assert await archive.simulated_tokens() == first.tokens == again.spent_before.tokens > 0
    connection = await asyncpg.connect(url)
    await connection.execute("UPDATE writings SET body = substr(body, 1, 40)")
    await connection.close()
    assert (await examine_store(url, repair=True)).repaired
    assert (await write_texts([ask], place=Place(store=url))).texts == first.texts


async def test_a_database_of_something_else_on_a_server_is_refused(url):
    """No store is created among the tables of another program."""
    import asyncpg

    connection = await asyncpg.connect(url)
    await connection.execute("CREATE TABLE recipes (name TEXT)")
    await connection.close()
    for kind in (Store, Archive):
        with pytest.raises(StoreError, match="something else: it has a table 'recipes'"):
            async with kind.open(url):
                pass


async def test_a_server_that_is_not_there_is_named_without_its_password():
    """The message names the store without its password."""
    url = "postgresql://peer:hunter2@127.0.0.1:9/study"
    pytest.importorskip("asyncpg", reason="asyncpg is not installed")
    with pytest.raises(StoreError, match=r"127\.0\.0\.1") as caught:
        async with Store.open(url):
            pass
    assert "hunter2" not in str(caught.value)
