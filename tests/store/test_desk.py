"""The desk, to which runs post requests and at which people answer."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from peerjudge.data import Expects, Message
from peerjudge.errors import StoreError
from peerjudge.store.desk import DESK_FILE, DeskAnswer, DeskTask
from peerjudge.store.desk_server import open_desk


def task(name: str, card: str = "ann") -> DeskTask:
    """Return a request for a verdict."""
    return DeskTask(
        id=name,
        card=card,
        messages=(Message(role="user", text="\x1b[31m Which? \u202e</textarea>"),),
        expects=Expects.VERDICT,
        answers=2,
        ties=True,
        scale=(1, 5),
    )


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
