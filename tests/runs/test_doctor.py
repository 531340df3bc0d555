"""A row that cannot be read is skipped and named; the rest stays readable, and a repair mends it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import structlog.testing

from peerjudge.cli import build_app
from peerjudge.data import Condition, Experiment, Leader, Orders
from peerjudge.runs import load, run, run_sync
from peerjudge.runs.frames import battles_df, calls_df, discussions_df, events_df, turns_df
from peerjudge.shelf import Shelf
from peerjudge.store import Archive, Store, examine_store
from peerjudge.store.doctor import LostCalls

POISONS = {
    "a log-probability of null": (
        (
            "UPDATE turns SET body = replace(body, '\"logprobs\":null', "
            '\'"logprobs":[{"token":"1","logprob":null,"top":[]}]\') WHERE number_of_turn'
        ),
        "replaced",
    ),
    "tokens of another type": (
        (
            "UPDATE turns SET body = replace(body, '\"prompt_tokens\":', "
            '\'"prompt_tokens":"x","was":\') WHERE number_of_turn'
        ),
        "replaced",
    ),
    "a latency of null": (
        (
            'UPDATE turns SET body = replace(body, \'"latency":\', \'"latency":null,"was":\') '
            "WHERE number_of_turn"
        ),
        "replaced",
    ),
    "half a row": ("UPDATE turns SET body = substr(body, 1, 90) WHERE number_of_turn", "removed"),
    "a missing turn": ("DELETE FROM turns WHERE number_of_turn", "removed"),
    "a broken head": ("UPDATE discussions SET head = '{}' WHERE number = 1", "removed"),
    "a broken comparison": (
        (
            "UPDATE comparisons SET body = 'x' WHERE key = "
            "(SELECT comparison FROM discussions WHERE number = 1)"
        ),
        "removed",
    ),
    "a broken manifest": ("UPDATE runs SET manifest = '{'", "removed"),
}


@pytest.fixture(scope="module")
def played(small, tmp_path_factory):
    """The folder of a small run, which tests copy before they damage it."""
    return run_sync(small, out=tmp_path_factory.mktemp("played") / "run", limit=3).folder


def poison(folder, statement):
    """Damage one row of the store in this folder."""
    changed = statement.replace("number_of_turn", 'discussion = 1 AND "index" = 0')
    with closing(sqlite3.connect(folder / "store.db")) as connection, connection:
        assert connection.execute(changed).rowcount >= 1


def command(capsys, *words):
    """Run a command and return its exit code and output."""
    code = build_app()(words, exit_on_error=False, print_error=True)
    return code, capsys.readouterr().out


@pytest.mark.parametrize("case", POISONS)
async def test_one_damaged_row_leaves_the_rest_readable(small, played, tmp_path, case):
    """Reading, resuming and frames skip it with its id; a repair and the same run restore all."""
    statement, repair = POISONS[case]
    out = shutil.copytree(played, tmp_path / "out")
    whole = {one.id: one for one in await load(out)}
    poison(out, statement)
    async with Archive.open(out) as archive:
        kept = {one.id: one async for one in archive.transcripts()}
        await archive.runs()
        assert archive.unreadable
    assert kept.items() <= whole.items()
    if case == "a broken manifest":
        assert kept == whole
    else:
        lost = whole.keys() - kept.keys()
        assert lost == archive.unreadable.keys()
        assert 1 <= len(lost) <= 8
        assert {one.id for one in await load(out)} == kept.keys()
        with structlog.testing.capture_logs() as logs:
            frames = [discussions_df(out), turns_df(out), calls_df(out), events_df(out)]
        assert {event["id"] for event in logs} == lost
        assert all(set(frame["discussion"]) == kept.keys() for frame in frames[:3])
        talks = {each for each, one in kept.items() if one.condition == "talk"}
        assert set(frames[3]["discussion"]) == talks
        assert battles_df(out).equals(battles_df(await load(out)))
    found = await examine_store(out)
    assert not found.repaired
    assert all(repair in each.repair for each in found.damage)
    mended = await examine_store(out, repair=True)
    assert mended == found.__class__(rows=found.rows, damage=found.damage, repaired=True)
    assert not (await examine_store(out)).damage
    await run(small, out=out, limit=3)
    again = {one.id: one for one in await load(out)}
    assert again.keys() == whole.keys()
    assert {key: str(one.verdict) for key, one in again.items()} == {
        key: str(one.verdict) for key, one in whole.items()
    }


async def test_a_run_resumes_beside_an_unreadable_discussion(small, kept, tmp_path):
    """A partial discussion that cannot be read is left out; the others are played."""
    out = shutil.copytree(kept.folder, tmp_path / "out")
    poison(out, POISONS["half a row"][0])
    with closing(sqlite3.connect(out / "store.db")) as connection, connection:
        connection.execute("UPDATE discussions SET stop = NULL WHERE number = 1")
    summary = await run(small, out=out, limit=3)
    assert summary.discussions.failed == 0
    assert summary.discussions.done > 0


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_doctor_names_and_repairs(kept, tmp_path, capsys, form):
    """It exits with 1 on damage and with 0 on a store that is whole or was repaired."""
    out = shutil.copytree(kept.folder, tmp_path / "out")
    poison(out, POISONS["a log-probability of null"][0])
    options = ["--json"] if form == "json" else []

    def doctor(*more):
        return command(capsys, "doctor", str(out), *more, *options)

    code, text = doctor()
    assert code == 1
    assert "turn 0" in text
    if form == "json":
        (damage,) = json.loads(text)["damage"]
        assert damage["row"] == "turn 0"
    code, text = doctor("--repair")
    assert code == 0
    with closing(sqlite3.connect(out / "store.db")) as connection:
        ((body,),) = connection.execute("SELECT body FROM damaged").fetchall()
    assert '"logprob":null' in body
    code, text = doctor()
    assert code == 0
    assert '"damage": []' in text or "0 of them damaged" in text


async def test_a_repair_waits_for_no_writer(kept, tmp_path):
    """A store that a run writes to is not repaired."""
    out = shutil.copytree(kept.folder, tmp_path / "out")
    async with Store.open(out):
        with pytest.raises(Exception, match="in use by process"):
            await examine_store(out, repair=True)
        assert not (await examine_store(out)).damage


@pytest.mark.parametrize(
    "change", ["outcome = 'x'", "usd = 'many'", "usd = -1", "prompt_tokens = 'x'"]
)
async def test_a_call_that_cannot_be_read_becomes_one_whose_bill_is_unknown(kept, tmp_path, change):
    """The doctor names it, and a repair keeps the values of its row that are numbers."""
    out = shutil.copytree(kept.folder, tmp_path / "out")
    call = {"number": 7, "run": "r", "reviewer": "ann", "model": "m", "discussion": "d", "turn": 0}
    bill = {"outcome": "paid", "prompt_tokens": 40, "completion_tokens": 2, "usd": 0.5}
    async with Store.open(out) as store:
        await store.book({**call, **bill, "estimated": False, "error": ""})
    assert not (await examine_store(out)).damage
    with closing(sqlite3.connect(out / "store.db")) as connection, connection:
        connection.execute(f"UPDATE calls SET {change}")
    (damage,) = (await examine_store(out)).damage
    assert (damage.row, damage.id) == ("call of ann", "7")
    assert (await examine_store(out, repair=True)).repaired
    mended = await examine_store(out)
    tokens = 2 if "tokens" in change else 42
    assert (mended.damage, mended.lost) == ((), LostCalls(calls=1, tokens=tokens, usd=None))


MUTE = """
import asyncio


async def judge(request):
    for _ in range(50):
        await asyncio.sleep(0)
    raise OSError


def reviewer():
    return judge
"""
"""A reviewer that fails once other calls of its wave are under way."""


@pytest.fixture
def interrupted(tmp_path):
    """The folder of a vote of three that failed in its second seat, while the others were under way."""
    card = tmp_path / "agents" / "mute.py"
    card.parent.mkdir()
    card.write_text(MUTE)
    seats = ("sim_strong", "mute", "sim_weak")
    vote = Condition(
        name="vote", protocol="vote", seats=seats, orders=Orders.GIVEN, leader=Leader.FIRST
    )
    study = Experiment(data="sample", conditions=(vote,))
    found = run_sync(study, out=tmp_path / "out", limit=2, shelf=Shelf(tmp_path))
    assert found.discussions.failed == 2
    return Path(found.folder)


async def test_a_missing_turn_that_no_later_one_hears_is_no_damage(interrupted):
    """Turns after a failed one of its wave are kept: they are read, listed and not repaired away."""
    kept = await load(interrupted)
    assert [[turn.index for turn in one.turns] for one in kept] == [[0], [0]]
    assert [[turn.index for turn in one.ahead] for one in kept] == [[2], [2]]
    assert len(turns_df(interrupted)) == 4
    found = await examine_store(interrupted, repair=True)
    assert found.damage == ()
    assert await load(interrupted) == kept


async def test_a_turn_that_hears_a_missing_one_is_damage(small, played, tmp_path):
    """Of an open discussion, a turn cannot have heard what is not there; a repair removes it."""
    out = shutil.copytree(played, tmp_path / "out")
    with closing(sqlite3.connect(out / "store.db")) as store, store:
        talk = '(SELECT discussion FROM turns WHERE "index" = 3 ORDER BY discussion LIMIT 1)'
        store.execute(f"UPDATE discussions SET stop = NULL WHERE number = {talk}")
        change = 'replace(head, \'"stop":"complete"\', \'"stop":null\')'
        store.execute(f"UPDATE discussions SET head = {change} WHERE number = {talk}")
        store.execute(f'DELETE FROM turns WHERE "index" = 1 AND discussion = {talk}')
    (damage,) = (await examine_store(out)).damage
    assert damage.row == "turn 2"
    assert "hears turn 1, which is missing" in damage.cause
    await examine_store(out, repair=True)
    assert not (await examine_store(out)).damage
    whole = {one.id: one.verdict for one in await load(played)}
    await run(small, out=out, limit=3)
    assert {one.id: one.verdict for one in await load(out)} == whole
