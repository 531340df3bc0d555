"""Turns are stored before the next one is played, and read as they were."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given, settings, strategies as st

from peerjudge.data import replace
from peerjudge.engine import discuss, play_all
from peerjudge.store import Archive, Status, Store
from peerjudge.testing import PLAIN_PACK, ScriptedReviewer, comparison_of, transcript_of

from .played import PROTOCOL, Drawn, head_of, staged


async def played(transcript, reviewer, journal=None):
    """Play the discussion to its end."""
    setup = staged(transcript, reviewer)
    return await discuss(
        transcript,
        protocol=PROTOCOL,
        reviewers=setup.reviewers,
        pack=PLAIN_PACK,
        roles={},
        journal=journal,
    )


async def all_of(archive, **chosen):
    """Return all transcripts of an archive."""
    return [transcript async for transcript in archive.transcripts(**chosen)]


async def test_a_discussion_is_read_as_it_was_played(tmp_path):
    """The stored transcript equals the one the engine returned, also after reopening."""
    async with Store.open(tmp_path / "run") as store:
        ended = await played(head_of(), Drawn(), store)
        assert await store.transcript(ended.id) == ended
    async with Archive.open(tmp_path / "run") as archive:
        assert await archive.transcript(ended.id) == ended
        assert await archive.transcript("unheard-of") is None
    assert (tmp_path / "run" / "store.db").exists()


@pytest.mark.parametrize("moves", ["2|1 2 1 1 1", "=|? ! -", "1", "1|2|3 3 3 1"])
async def test_every_outcome_survives_the_store(tmp_path, moves):
    """Ties, refusals, unreadable replies and explanations are read as written."""
    transcript = transcript_of(moves, gold=1)
    async with Store.open(tmp_path) as store:
        for turn in transcript.turns:
            await store.turn(replace(transcript, turns=(), stop=None), turn)
        await store.end(transcript)
        assert await store.transcript(transcript.id) == transcript


async def test_a_turn_is_durable_when_the_journal_returns(tmp_path):
    """Another reader of the file sees each turn before a turn that hears it is requested."""
    seen = []

    class Looking(Drawn):
        async def speak(self, request):
            async with Archive.open(tmp_path) as archive:
                found = await archive.transcript(request.discussion)
            seen.append(0 if found is None else len(found.turns))
            return await super().speak(request)

    async with Store.open(tmp_path) as store:
        await played(head_of(), Looking(), store)
    # Both private reviews are asked for at once, so that the second may come after the first is written.
    assert seen in ([0, 0, 2, 3, 4], [0, 1, 2, 3, 4])


@given(cut=st.integers(0, 5), fails=st.booleans())
@settings(max_examples=12, deadline=None)
def test_a_discussion_resumed_at_any_turn_ends_the_same(tmp_path_factory, cut, fails):
    """After a failure or a cancellation at any turn, it ends like an undisturbed one."""
    place = tmp_path_factory.mktemp("run")

    async def both_ways():
        whole = await played(head_of(), Drawn())
        first = Drawn(fails_at=cut) if fails else CutOff(cut)
        async with Store.open(place) as store:
            await played_or_cut(store, first)
            left = await store.transcript(whole.id) or head_of()
        stored = {turn.index for turn in (*left.turns, *left.ahead)}
        second = Drawn()
        async with Store.open(place) as store:
            (begun,) = await store.enlist("run", [head_of()]) or [whole]
            again = await played(begun, second, store)
            kept = await store.transcript(whole.id)
        return whole, again, kept, [turn for _, turn in second.calls], stored

    whole, again, kept, calls, stored = asyncio.run(both_ways())
    assert again == kept == whole
    assert stored >= set(range(cut))
    assert calls == [turn for turn in range(5) if turn not in stored]


class CutOff(Drawn):
    """Cancels the discussion when asked for a certain turn."""

    def __init__(self, turn):
        super().__init__()
        self.turn = turn

    async def speak(self, request):
        if request.turn == self.turn:
            asyncio.current_task().cancel()
            await asyncio.Event().wait()
        return await super().speak(request)


async def played_or_cut(store, reviewer):
    """Play in a separate task, which may be cancelled."""
    task = asyncio.create_task(played(head_of(), reviewer, store))
    await asyncio.wait([task])


async def test_a_repeated_run_plays_only_unfinished_discussions(tmp_path):
    """Enlisting distinguishes new, partial, failed and done discussions."""
    heads = [head_of(number) for number in range(4)]
    async with Store.open(tmp_path) as store:
        await played(heads[0], Drawn(), store)
        await played(heads[1], Drawn(fails_at=3), store)
        begun = await played(heads[2], Drawn())
        await store.turn(heads[2], begun.turns[0])
        statuses = await store.statuses(head.id for head in heads)
        assert list(statuses.values()) == [Status.DONE, Status.FAILED, Status.PARTIAL, Status.NEW]
    async with Store.open(tmp_path) as store:
        to_play = await store.enlist("run", heads)
        assert [(each.id, len(each.turns)) for each in to_play] == [
            (heads[1].id, 3),
            (heads[2].id, 1),
            (heads[3].id, 0),
        ]
        reviewer = Drawn()
        await play_all((staged(e, reviewer) for e in to_play), max_connections=2, journal=store)
        assert len(reviewer.calls) == len(set(reviewer.calls)) == 2 + 4 + 5
        assert set((await store.statuses(head.id for head in heads)).values()) == {Status.DONE}
        assert await store.enlist("run", heads) == []


async def test_the_same_discussion_under_two_conditions_is_played_once(tmp_path):
    """A run lists it under both conditions; a later run under a new one finds it done."""
    async with Store.open(tmp_path) as store:
        heads = [head_of(condition="a"), head_of(condition="b")]
        to_play = await store.enlist("run", heads)
        assert [each.condition for each in to_play] == ["a"]
        await played(to_play[0], Drawn(), store)
        found = await all_of(store, run="run")
        assert [each.condition for each in found] == ["a", "b"]
        assert found[0].turns == found[1].turns
        assert await store.enlist("renamed", [head_of(condition="c")]) == []
        assert [each.condition for each in await all_of(store, run="renamed")] == ["c"]
        assert len(await all_of(store)) == 1


async def test_a_run_holds_only_its_own_discussions(tmp_path):
    """Discussions of another run in the same store are not read."""
    async with Store.open(tmp_path) as store:
        for run, number in (("old", 0), ("new", 1)):
            (each,) = await store.enlist(run, [head_of(number)])
            await played(each, Drawn(), store)
        assert [each.comparison.id for each in await all_of(store, run="new")] == ["c001"]
        assert len(await all_of(store)) == 2


async def test_the_order_of_reading_does_not_depend_on_the_order_of_playing(tmp_path):
    """Transcripts are ordered by condition, comparison and id, across pages."""
    heads = [head_of(n, condition=condition) for n in range(120) for condition in ("a", "b", "c")]
    heads = [replace(head, id=f"{head.condition}{head.comparison.id}-{head.id}") for head in heads]
    orders = []
    for seed in (1, 2):
        shuffled = random.Random(seed).sample(heads, k=len(heads))
        async with Store.open(tmp_path / str(seed)) as store:
            await store.enlist("run", shuffled)
            await asyncio.gather(*(store.end(head) for head in shuffled))
            orders.append([each.id for each in await all_of(store, run="run")])
            assert orders[-1] == [each.id for each in await all_of(store)]
            of_b = await all_of(store, run="run", condition="b")
            assert [each.id for each in of_b] == orders[-1][120:240]
    assert orders[0] == orders[1] == sorted(orders[0])


async def test_manifests_of_runs_are_kept(tmp_path):
    """Recording a run again replaces its manifest and keeps its time."""
    async with Store.open(tmp_path) as store:
        await store.record_run("r1", {"experiment": {"name": "quickstart"}, "comparisons": 10})
        (before,) = await store.runs()
        await store.record_run("r1", {"experiment": {"name": "quickstart"}, "comparisons": 20})
        (after,) = await store.runs()
    assert before.manifest["comparisons"] == 10
    assert (after.id, after.created, after.manifest["comparisons"]) == ("r1", before.created, 20)


async def test_a_forked_discussion_is_stored_with_its_turns(tmp_path):
    """A discussion resumed under a new id stores the turns it began with."""
    whole = await played(head_of(), Drawn())
    fork = replace(whole, id="fork", turns=whole.turns[:3], stop=None)
    async with Store.open(tmp_path) as store:
        ended = await played(fork, ScriptedReviewer("other", ["2", "2"]), store)
        assert await store.transcript("fork") == ended
    assert ended.turns[:3] == whole.turns[:3]


async def test_a_shared_comparison_is_stored_once(tmp_path):
    """The texts of a comparison are not repeated with every discussion of it."""
    long_text = "word " * 50_000
    comparison = comparison_of(2)
    first = replace(comparison.answers[0], text=long_text)
    comparison = replace(comparison, answers=(first, comparison.answers[1]))
    async with Store.open(tmp_path) as store:
        for number in range(40):
            head = replace(head_of(), id=f"d{number}", comparison=comparison)
            await store.end(head)
    assert (tmp_path / "store.db").stat().st_size < 4 * len(long_text)
