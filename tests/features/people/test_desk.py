"""The desk, to which runs post requests and at which people draft, answer and change their answers."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from peerjudge.data import TaskSheet, to_plain
from peerjudge.errors import StoreError
from peerjudge.features.people.desk import (
    DESK_FILE,
    DeskAnswer,
    DeskConflictError,
    Draft,
    TaskState,
)
from peerjudge.features.people.desk_places import open_desk
from peerjudge.features.people.desk_records import count_requests, list_people_answers
from peerjudge.store.database import locate
from tests.features.people.desk_kit import answer, task


def test_of_two_people_on_one_task_the_first_answer_stays(tmp_path: Path):
    """A second answer to a task is refused with a sentence, and never replaces the first."""
    with open_desk(tmp_path) as run, open_desk(tmp_path) as one, open_desk(tmp_path) as two:
        run.post(task("t"))
        assert one.next_task() == two.next_task() == task("t")
        one.submit(DeskAnswer(task="t", text="Verdict: 1", confidence=90, seconds=1.5))
        with pytest.raises(StoreError, match="answered by another process"):
            two.submit(DeskAnswer(task="t", text="Verdict: 2"))
        found = run.find_answer("t")
        assert found == DeskAnswer(task="t", text="Verdict: 1", confidence=90, seconds=1.5)
        assert two.next_task() is None


def test_a_request_is_posted_once_and_keeps_its_place(tmp_path: Path):
    """Posting again, as a resumed run does, neither asks twice nor asks again after the answer."""
    with open_desk(tmp_path) as desk:
        for name in ("first", "second", "first"):
            desk.post(task(name))
        desk.post(task("other", card="bob"))
        assert desk.count_open() == {"ann": 2, "bob": 1}
        desk.submit(DeskAnswer(task="first", text="Verdict: 1"))
        desk.post(task("first"))
        assert desk.count_open() == {"ann": 1, "bob": 1}
        assert desk.next_task(card="ann") == task("second")
        assert desk.next_task(card="ann", skip={"second"}) is None


def test_unknown_tasks_and_files_of_others_are_refused(tmp_path: Path):
    """A desk takes answers to its own tasks only and touches no other database."""
    with pytest.raises(StoreError, match="kind = 'human' first"), open_desk(tmp_path, create=False):
        pass
    with open_desk(tmp_path / "run") as desk, pytest.raises(StoreError, match="no task 'x'"):
        desk.submit(DeskAnswer(task="x", text="Verdict: 1"))
    connection = sqlite3.connect(tmp_path / "run" / DESK_FILE)
    connection.execute("PRAGMA user_version=9")
    connection.close()
    with pytest.raises(StoreError, match="schema 9"), open_desk(tmp_path / "run"):
        pass
    connection = sqlite3.connect(tmp_path / DESK_FILE)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(StoreError, match="another program"), open_desk(tmp_path):
        pass


def test_a_draft_never_replaces_one_that_its_writer_has_not_seen(tmp_path: Path):
    """Of two tabs, the later save is refused with the newest text; the same text again is no conflict."""
    with open_desk(tmp_path) as one, open_desk(tmp_path) as two:
        one.post(task("t"))
        first = one.save_draft("t", Draft(reason="mine"), version=0, seconds=2)
        assert two.save_draft("t", Draft(reason="mine"), version=0, seconds=2) == first
        with pytest.raises(DeskConflictError, match="changed meanwhile") as refused:
            two.save_draft("t", Draft(reason="yours"), version=0)
        newest = refused.value.entry
        assert (newest.draft, newest.version, newest.seconds) == (Draft(reason="mine"), first, 2)
        assert two.save_draft("t", Draft(reason="yours"), version=newest.version) == first + 1
        assert one.find_entry("t").draft.reason == "yours"
        with pytest.raises(DeskConflictError):
            one.submit(answer("1"), version=first)
        assert one.find_answer("t") is None


def test_an_answer_is_superseded_until_a_run_takes_it_up(tmp_path: Path):
    """Every answer stays in the file; the newest counts, and none follows the one that a run took."""
    with open_desk(tmp_path) as page, open_desk(tmp_path) as run:
        page.post(task("t"))
        assert run.take_answer("t") is None
        before = run.read_change()
        page.submit(answer("1", seconds=4), version=0)
        assert run.read_change() != before
        page.submit(answer("2", seconds=3), version=1)
        assert [one.text for one in list_people_answers(tmp_path)] == ["Verdict: 1", "Verdict: 2"]
        taken = run.take_answer("t")
        assert taken == run.take_answer("t") == page.find_answer("t")
        assert taken is not None
        assert (taken.text, taken.seconds) == ("Verdict: 2", 7.0)
        with pytest.raises(DeskConflictError, match="taken up") as refused:
            page.submit(answer("1"), version=2)
        assert refused.value.entry.taken
        assert len(list_people_answers(tmp_path)) == 2
        assert [one.state for one in page.list_tasks("ann")] == [TaskState.TAKEN]


def test_every_answer_is_a_record_also_a_superseded_one(tmp_path: Path):
    """Records name the answer that counts and the one the run took up; reading them writes nothing."""
    with pytest.raises(StoreError, match="no request to people"):
        list_people_answers(tmp_path)
    assert count_requests(locate(tmp_path)) == {}
    with open_desk(tmp_path) as desk:
        for one in (task("t"), task("u", card="bob")):
            desk.post(one)
        desk.submit(answer("1", seconds=2), version=0)
        desk.submit(answer("2", seconds=1), version=1)
        assert count_requests(locate(tmp_path)) == {"bob": 1}
        desk.take_answer("t")
    before = (tmp_path / DESK_FILE).read_bytes()
    first, second = list_people_answers(tmp_path)
    assert (first.choice, first.superseded, first.taken, first.seconds) == ("1", True, False, 2)
    assert (second.choice, second.superseded, second.taken, second.seconds) == ("2", False, True, 3)
    assert (second.card, second.text, second.version) == ("ann", "Verdict: 2", 2)
    assert first.posted <= first.saved <= second.saved
    assert (tmp_path / DESK_FILE).read_bytes() == before


def test_a_list_holds_the_tasks_of_one_person_with_their_states(tmp_path: Path):
    """Tasks come in the order in which they were posted, and nobody sees those of another card."""
    with open_desk(tmp_path) as desk:
        for name in ("c", "b", "t"):
            desk.post(task(name))
        desk.post(task("x", card="bob"))
        desk.save_draft("b", Draft(reason="so"), version=0)
        desk.submit(answer("1"))
        listed = [(one.id, one.state) for one in desk.list_tasks("ann")]
        assert listed == [
            ("c", TaskState.OPEN),
            ("b", TaskState.DRAFT),
            ("t", TaskState.ANSWERED),
        ]
        assert desk.find_task("x", card="ann") is None
        assert desk.list_answered(["c", "t", "x"]) == {"t"}


def test_a_desk_of_the_first_schema_keeps_its_answers(tmp_path: Path):
    """An older file is brought up to date: its answer is there, and can be superseded."""
    connection = sqlite3.connect(tmp_path / DESK_FILE)
    for statement in (
        (
            "CREATE TABLE tasks (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, card TEXT NOT NULL, "
            "body TEXT NOT NULL, posted REAL NOT NULL)"
        ),
        (
            "CREATE TABLE answers (task TEXT PRIMARY KEY REFERENCES tasks (id), body TEXT NOT NULL, "
            "saved REAL NOT NULL)"
        ),
        f"PRAGMA application_id={0x504A4450}",
        "PRAGMA user_version=1",
    ):
        connection.execute(statement)
    plain = to_plain(task("t"))
    assert isinstance(plain, dict)
    del plain["sheet"]
    connection.execute("INSERT INTO tasks VALUES (1, 't', 'ann', ?, 0)", (json.dumps(plain),))
    old = json.dumps({"task": "t", "text": "Verdict: 1", "seconds": 3.0})
    connection.execute("INSERT INTO answers VALUES ('t', ?, 0)", (old,))
    connection.commit()
    connection.close()
    with open_desk(tmp_path) as desk:
        assert desk.find_task("t", card="ann") == task("t", sheet=TaskSheet())
        found = desk.find_answer("t")
        assert found is not None
        assert found.text == "Verdict: 1"
        desk.submit(answer("2"), version=desk.find_entry("t").version)
        assert [one.text for one in list_people_answers(tmp_path)] == ["Verdict: 1", "Verdict: 2"]


def test_a_session_belongs_to_one_card_and_ends(tmp_path: Path):
    """A session is found in a later process by its hash, for its card, until it is too old."""
    with open_desk(tmp_path) as desk:
        desk.open_session("digest", card="ann")
    with open_desk(tmp_path) as desk:
        assert desk.find_session("digest", longest=60) == "ann"
        assert desk.find_session("digest", longest=-1) is None
        desk.open_session("digest", card="bob")
        assert desk.find_session("digest", longest=60) == "bob"
        assert desk.find_session("other", longest=60) is None
        with pytest.raises(StoreError, match="no task 'x'"):
            desk.find_entry("x")
