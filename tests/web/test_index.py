"""The index of a store: its lists hold what the discussions of the store say."""

import asyncio

import pytest

from peerjudge.analysis.listing import Against, list_discussion
from peerjudge.data import replace
from peerjudge.store import Store
from peerjudge.store.browsing import EVENTS, FACETS, SORTS, Filter, IndexReader, build_search
from peerjudge.store.index import IndexWriter
from peerjudge.store.numbered import NumberedArchive

from .conftest import RUN, keep, list_discussions, tell


async def fill(place, cache) -> tuple[IndexWriter, IndexReader]:
    """Fill the index of a store."""
    writer = IndexWriter.open(cache, str(place))
    await follow(writer, place)
    return writer, IndexReader(writer.file)


async def follow(writer, place) -> None:
    """Bring an index up to date."""
    async with NumberedArchive.open(place) as store:
        while await writer.refresh(store, {}):
            pass


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """Return the index of discussions of every kind."""
    folder = tmp_path_factory.mktemp("index")
    asyncio.run(keep(folder / "run", list_discussions()))
    writer, reader = asyncio.run(fill(folder / "run", folder / "cache"))
    yield reader
    writer.close()


def test_each_filter_passes_what_the_transcripts_say(reader):
    """A filter in SQL passes the discussions that the tracker and the verdicts name."""
    rows = {one.id: list_discussion(one, {}) for one in list_discussions()}

    def passing(**chosen) -> set[str]:
        return {row.id for row in reader.page(RUN, Filter(**chosen))}

    assert passing() == set(rows)
    for event, bit in EVENTS.items():
        assert passing(event=event) == {id_ for id_, row in rows.items() if row.kinds & bit}
    assert passing(event="altered"), "the filter is tried on something"
    assert passing(gold="wrong") == {i for i, r in rows.items() if r.against is Against.WRONG}
    assert passing(state="failed") == {i for i, r in rows.items() if r.failure}
    assert passing(state="open") == {one.id for one in list_discussions() if one.stop is None}
    assert passing(condition="other", state="done") == {list_discussions()[3].id}
    assert passing(reviewer="nobody at all") == passing(condition="none") == set()
    assert passing(event="no such") == passing(gold="x") == passing(state="x") == set()
    assert passing(least={"turns": 6}) == {i for i, r in rows.items() if r.turns >= 6}
    assert passing(words="token3") == {list_discussions()[2].id}


def test_counts_of_a_filter_are_the_rows_that_it_would_show(reader):
    """Choosing a value of a filter shows as many discussions as stood beside it."""
    for chosen in (Filter(), Filter(condition="talk"), Filter(event="held", words="token1")):
        total, counts = reader.counts(RUN, chosen)
        assert total == len(reader.page(RUN, chosen))
        for facet in FACETS:
            for value, count in counts[facet].items():
                changed = Filter(
                    **{**{f: chosen.get(f) for f in FACETS}, facet: value}, words=chosen.words
                )
                assert count == len(reader.page(RUN, changed)), (facet, value)


@pytest.mark.parametrize("sort", SORTS)
def test_pages_join_without_gaps_in_both_directions(reader, sort):
    """Pages by place list every discussion once, forwards and backwards, in the same order."""
    whole = reader.page(RUN, Filter(), sort=sort)
    found, after = [], None
    while page := reader.page(RUN, Filter(), sort=sort, after=after, limit=2):
        found += page
        after = page[-1].key
    assert [row.id for row in found] == [row.id for row in whole]
    back = reader.page(RUN, Filter(), sort=sort, after=whole[-1].key, before=True)
    assert [row.id for row in reversed(back)] == [row.id for row in whole[:-1]]
    if sort != "number":
        values = [getattr(row, sort) or 0 for row in whole]
        assert values == sorted(values, reverse=True)


async def test_the_index_follows_a_discussion_that_goes_on(tmp_path):
    """A turn and the end of an open discussion reach its row and the search."""
    place = tmp_path / "run"
    whole = tell("2|1 1 1 1", 8)
    await keep(place, [replace(whole, turns=whole.turns[:3], stop=None)])
    writer, reader = await fill(place, tmp_path / "cache")
    assert [row.turns for row in reader.page(RUN, Filter(state="open"))] == [3]
    said = replace(whole.turns[3].utterance, text="Quite unexpected words")
    turns = (*whole.turns[:3], replace(whole.turns[3], utterance=said), *whole.turns[4:])
    async with Store.open(place) as store:
        for turn in turns[3:]:
            await store.turn(replace(whole, turns=turns[: turn.index], stop=None), turn)
        await store.end(replace(whole, turns=turns))
    await follow(writer, place)
    (row,) = reader.page(RUN, Filter(words="unexpected"))
    assert (row.turns, row.state.name) == (len(turns), "DONE")
    assert reader.counts(RUN, Filter(state="done"))[0] == 1
    writer.close()


async def test_a_discussion_that_a_later_run_lists_too_is_in_both(tmp_path):
    """A second run with the same discussion plays nothing, but its list has the discussion."""
    place = tmp_path / "run"
    told = list_discussions()[0]
    await keep(place, [told])
    writer, reader = await fill(place, tmp_path / "cache")
    async with Store.open(place) as store:
        await store.record_run("second", {"run": "second"})
        await store.enlist("second", [replace(told, turns=(), condition="again")])
    await follow(writer, place)
    assert [row.condition for row in reader.page("second", Filter())] == ["again"]
    assert [row.condition for row in reader.page(RUN, Filter())] == ["talk"]
    writer.close()


async def test_an_index_of_a_deleted_store_is_not_used_for_its_successor(tmp_path):
    """A store that takes the place of another gets a new index."""
    place = tmp_path / "run"
    await keep(place, list_discussions())
    (await fill(place, tmp_path / "cache"))[0].close()
    for file in place.iterdir():
        file.unlink()
    await keep(place, [tell("1|1 1", 9)])
    writer, reader = await fill(place, tmp_path / "cache")
    assert [row.comparison for row in reader.page(RUN, Filter())] == ["c9"]
    writer.close()


async def test_two_viewers_of_a_store_do_not_share_an_index(tmp_path):
    """The second viewer fills an index of its own, so that neither waits for the other."""
    place = tmp_path / "run"
    await keep(place, list_discussions())
    first, _ = await fill(place, tmp_path / "cache")
    second, reader = await fill(place, tmp_path / "cache")
    assert first.file != second.file
    assert reader.count() == len(list_discussions())
    second.close()
    first.close()
    assert not second.file.exists()


async def test_a_damaged_index_is_made_anew(tmp_path):
    """An index is disposable: a file that is no database is replaced."""
    place = tmp_path / "run"
    await keep(place, list_discussions())
    writer, _ = await fill(place, tmp_path / "cache")
    writer.close()
    writer.file.write_bytes(b"no database" * 1000)
    again, reader = await fill(place, tmp_path / "cache")
    assert reader.count() == len(list_discussions())
    again.close()


@pytest.mark.parametrize(
    "text", ['"', "AND", "NEAR(a b)", "a*", "-x", "said:x", "'", "(", '"a b', "é"]
)
def test_no_search_is_an_error(reader, text):
    """Operators of the search engine in a search are words or nothing."""
    assert isinstance(reader.page(RUN, Filter(words=text)), list)


def test_a_search_takes_words_phrases_and_a_beginning():
    """All words must occur; the last one may be begun; quotes keep a phrase together."""
    assert build_search("two wor") == '"two" "wor"*'
    assert build_search('"two words"') == '"two words"'
    assert build_search(" ! ") is None


def test_a_cost_is_that_of_the_paid_replies():
    """Cost is tokens times price, unknown where a price is, and nothing for cached replies."""
    told = tell("1|1 1", 3)
    paid = [
        replace(turn, utterance=replace(turn.utterance, simulated=False)) for turn in told.turns
    ]
    assert list_discussion(told, {"reviewer-1": (2.0, 10.0)}).cost == 0, (
        "simulated replies are free"
    )
    told = replace(told, turns=tuple(paid))
    names = {seat.reviewer for seat in told.seats}
    prices = dict.fromkeys(names, (2.0, 10.0))
    usages = [turn.utterance.usage for turn in told.turns]
    wanted = sum(2 * one.prompt_tokens + 10 * one.completion_tokens for one in usages)
    assert list_discussion(told, prices).cost == round(wanted)
    assert list_discussion(told, dict.fromkeys(names)).cost is None
    cached = [replace(t, utterance=replace(t.utterance, cached=True)) for t in told.turns]
    assert list_discussion(replace(told, turns=tuple(cached)), prices).cost == 0
