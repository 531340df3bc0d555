"""Drafts and later answers at the desk: nothing is overwritten unseen, and a run settles an answer."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from peerjudge.data import Expects, Message, to_plain
from peerjudge.errors import StoreError
from peerjudge.store.database import locate
from peerjudge.store.desk import (
    DESK_FILE,
    DeskAnswer,
    DeskConflictError,
    DeskTask,
    Draft,
    TaskState,
)
from peerjudge.store.desk_records import count_requests, list_people_answers
from peerjudge.store.desk_server import open_desk


def task(name: str, card: str = "ann") -> DeskTask:
    """Return a request for a verdict."""
    return DeskTask(
        id=name,
        card=card,
        messages=(Message(role="user", text="Which?"),),
        expects=Expects.VERDICT,
        answers=2,
        ties=False,
        scale=(1, 5),
    )


def answer(choice: str, seconds: float = 0.0) -> DeskAnswer:
    """Return an answer that was made in a form."""
    return DeskAnswer(
        task="t", text=f"Verdict: {choice}", seconds=seconds, draft=Draft(choice=choice)
    )


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
        page.submit(answer("1", seconds=4), version=0)
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
    with pytest.raises(StoreError, match="has no desk"):
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
        assert desk.find_task("t", card="ann") == task("t")
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
        assert desk.find_session("other", longest=60) is None
        with pytest.raises(StoreError, match="no task 'x'"):
            desk.find_entry("x")
