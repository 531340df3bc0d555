"""Desks of runs in a database: beside the file of a SQLite URL, in the working directory for Postgres."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time

import pytest

from peerjudge.data import content_hash
from peerjudge.errors import StoreError
from peerjudge.features.people.annotate_command import annotate_command
from peerjudge.features.people.desk import DESK_FILE, DeskAnswer, DeskConflictError, Draft
from peerjudge.features.people.desk_places import open_desk
from peerjudge.features.people.desk_records import (
    count_requests as find_requests,
    list_people_answers,
)
from peerjudge.features.people.exporting import check_people_export, read_people
from peerjudge.features.people.stating import state_verdict
from peerjudge.results.summaries import list_next_steps
from peerjudge.runs import load, run
from peerjudge.shelf import Shelf
from peerjudge.store.numbered import NumberedArchive
from tests.features.people.desk_kit import task

STUDY = '''"""A person beside models."""

from peerjudge.data import Condition, Experiment, Leader

EXPERIMENT = Experiment(
    name="seated",
    data="sample",
    conditions=(
        Condition(name="talk", protocol="leader_follower", seats=("sim_strong", "ann"), leader=Leader.BOTH,
                  options={"turns": 3}),
        Condition(name="alone", protocol="pairwise", seats=("ann",)),
    ),
)
'''


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path, monkeypatch):
    """URL of an empty store; the project is the working directory."""
    monkeypatch.chdir(tmp_path)
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/study.db"
    return request.getfixturevalue("url")


def test_of_people_who_answer_at_once_one_is_saved_and_the_others_are_told(tmp_path):
    """Four writers on ten requests: every request gets one answer, and each refusal names the winner."""
    names = [f"t{number}" for number in range(10)]
    with open_desk(tmp_path) as desk:
        for name in names:
            desk.post(task(name))
    won, lost = [], []

    def write(person):
        with open_desk(tmp_path) as desk:
            for name in names:
                answer = DeskAnswer(task=name, text=person, draft=Draft(reason=person))
                try:
                    desk.submit(answer, version=0)
                except DeskConflictError as cause:
                    lost.append((name, cause.entry.draft.reason))
                else:
                    won.append((name, person))

    writers = [threading.Thread(target=write, args=(f"p{number}",)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(name for name, _ in won) == names
    assert len(lost) == 3 * len(names)
    assert set(lost) == set(won)


def answer_all(place, asked, *, most=1000):
    """Answer open requests as a steady person does, note their ids, and return how many there were."""
    with open_desk(place, create=False) as desk:
        for count in range(most):
            if (found := desk.next_task()) is None:
                return count
            draw = int(content_hash([message.text for message in found.messages]), 16)
            text = state_verdict("So.", str(1 + draw % 2), answers=2, ties=found.ties)
            desk.submit(DeskAnswer(task=found.id, text=text))
            asked.append(found.id)
    return most


def read(place):
    """Return what was said in each discussion of a place."""
    return {
        one.id: (one.verdict, [turn.utterance.text for turn in one.turns])
        for one in asyncio.run(load(place))
    }


@pytest.fixture
def project(tmp_path):
    """A project with one person, and an experiment that seats it."""
    for folder, name, text in (
        ("agents", "ann.toml", 'kind = "human"\n'),
        ("experiments", "seated.py", STUDY),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text, "utf-8")
    return tmp_path


def play(place, project):
    """Play as far as the answers reach, and return the summary."""
    playing = run("seated", shelf=Shelf(project), limit=1, progress=False, **place)
    return asyncio.run(playing)


def test_a_run_in_a_database_waits_is_killed_and_ends_as_one_in_a_folder(
    place, project, commands, capsys
):
    """SIGKILL while the run waits loses no answer, no request is asked twice, and the ends are equal."""
    whole = []
    while play({"out": project / "whole"}, project).stopped:
        answer_all(project / "whole", whole)
    asked = []
    first = play({"store": place}, project)
    assert (first.stopped, first.discussions.failed) == ("waiting for people", 0)
    assert place.removeprefix("sqlite:///") in list_next_steps(first)[0]
    assert asyncio.run(count_requests(place)) == {"ann": 4}
    waiting = ("run", "seated", "--limit", "1", "--display", "none", "--store", place, "--wait")
    pid = commands.start(project, *waiting)
    answer_all(place, asked, most=2)
    wait_until_taken(place, asked)
    os.kill(pid, signal.SIGKILL)
    assert commands.code() != 0
    while play({"store": place}, project).stopped:
        answer_all(place, asked)
    assert len(asked) == len(set(asked))
    assert sorted(asked) == sorted(whole)
    assert read(place) == read(project / "whole")
    check_people_export(place, "jsonl", frame=False)
    rows = asyncio.run(read_people(place))
    assert {(row["card"], row["taken"]) for row in rows} == {("ann", True)}
    assert annotate_command(f"{place}#abc") == 0
    assert "0 open" in capsys.readouterr().err
    name = "study" if place.startswith("sqlite") else place.rpartition("/")[2]
    assert (project / f"{name}.{DESK_FILE}").is_file()


def test_a_desk_of_an_earlier_version_in_a_database_is_refused(url, project, monkeypatch):
    """Every command for people names the database, and the version that exports the answers."""
    import asyncpg

    async def begin_earlier_desk():
        connection = await asyncpg.connect(url)
        await connection.execute("CREATE SCHEMA peerjudge_desk")
        await connection.close()

    monkeypatch.chdir(project)
    asyncio.run(begin_earlier_desk())
    refused = rf"{url} holds answers of people .* peerjudge 0\.2\.0 exports them"
    with pytest.raises(StoreError, match=refused):
        play({"store": url}, project)
    with pytest.raises(StoreError, match=refused):
        annotate_command(url)
    with pytest.raises(StoreError, match=refused):
        asyncio.run(read_people(url))


def test_a_desk_is_looked_for_in_the_working_directory(url, project, tmp_path_factory, monkeypatch):
    """In another directory than that of the run, a sentence says which file is missing."""
    monkeypatch.chdir(project)
    play({"store": url}, project)
    assert asyncio.run(count_requests(url)) == {"ann": 4}
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    with pytest.raises(StoreError, match=r"no file t\d+\.desk\.db here.*; change to the directory"):
        annotate_command(url)
    assert asyncio.run(count_requests(url)) == {}


def wait_until_taken(place, asked):
    """Wait until the run has taken up these answers; none of them can be superseded then."""
    for _ in range(400):
        if {one.task for one in list_people_answers(place) if one.taken} >= set(asked):
            return
        time.sleep(0.02)
    pytest.fail("the run took no answers up")


async def count_requests(place):
    """Return the open requests by card as the viewer counts them."""
    async with NumberedArchive.open(place) as archive:
        return find_requests(archive.location)
