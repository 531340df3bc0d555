"""Desk of a run: requests to people, their drafts and answers.

It is a SQLite file (`desk_places` says where). Several processes share it: a run posts requests and takes
answers while people answer. An answer is written through to the disk before `submit` returns. It is never
changed: a later one supersedes it, until the run has taken one up.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Collection, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import field

from peerjudge.data import Expects, Message, TaskSheet, from_plain, replace, to_plain
from peerjudge.data.nouns import Noun
from peerjudge.errors import DataError, StoreError
from peerjudge.features.people.desk_file import store_errors
from peerjudge.features.people.stating import state_rating, state_text, state_verdict

DESK_FILE = "desk.db"
LOWEST, HIGHEST = 0, 10
"""Ends of a slider."""
LONGEST_FIELD = 20
"""Characters that are read of a choice, a rating, a score or a confidence."""

_OPEN = "FROM tasks WHERE NOT EXISTS (SELECT 1 FROM answers WHERE answers.task = tasks.id)"
_ENTRY = (
    "SELECT coalesce(version, 0), coalesce(drafts.body, '{}'), coalesce(seconds, 0), taken IS NOT NULL, "
    "EXISTS (SELECT 1 FROM answers WHERE answers.task = tasks.id) "
    "FROM tasks LEFT JOIN drafts ON drafts.task = tasks.id WHERE tasks.id = ?"
)
_LISTED = (
    "SELECT tasks.id, substr(json_extract(tasks.body, '$.sheet.question'), 1, 160), "
    "CASE WHEN taken IS NOT NULL THEN 'taken' "
    "WHEN EXISTS (SELECT 1 FROM answers WHERE answers.task = tasks.id) THEN 'answered' "
    "WHEN drafts.task IS NOT NULL THEN 'draft' ELSE 'open' END "
    ", json_extract(tasks.body, '$.expects'), coalesce(json_extract(tasks.body, '$.sheet.place'), '') <> '', "
    "coalesce(json_array_length(tasks.body, '$.sheet.heard'), 0) "
    "FROM tasks LEFT JOIN drafts ON drafts.task = tasks.id WHERE card = ? ORDER BY number"
)
_KEEP_DRAFT = (
    "INSERT INTO drafts (task, version, body, seconds, saved) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (task) DO UPDATE SET version = excluded.version, body = excluded.body, "
    "seconds = excluded.seconds, saved = excluded.saved"
)

_KEEP_SESSION = (
    "INSERT INTO sessions VALUES (?, ?, ?) "
    "ON CONFLICT (hash) DO UPDATE SET card = excluded.card, opened = excluded.opened"
)


class DeskTask(Noun, frozen=True, kw_only=True):
    """A request to the person of a card.

    `messages` are the words that a model would be sent in this seat: they name no author, no reviewer and
    no gold. `sheet` holds the same without the form of a model's reply. `answers` is the number of answers
    shown; `ties` and `scale` are those of the cue. For each of the `aspects`, the form has a slider.
    """

    id: str
    card: str
    messages: tuple[Message, ...]
    expects: Expects
    answers: int
    ties: bool
    scale: tuple[int, int]
    sheet: TaskSheet = TaskSheet()
    aspects: tuple[str, ...] = ()


class Draft(Noun, frozen=True, kw_only=True):
    """The fields of a form as they are, complete or not; the choice is a rating where one is asked for.

    `sliders` holds those that were moved, by the names of their fields.
    """

    choice: str = ""
    reason: str = ""
    confidence: str = ""
    sliders: Mapping[str, str] = field(default_factory=dict[str, str])


class AspectScore(Noun, frozen=True, kw_only=True):
    """A score from 0 to 10 for one aspect of an answer, which is named by its number as shown, from 1."""

    answer: int
    aspect: str
    score: int


class Slider(NamedTuple):
    """A slider: the field of the form, the number and label of the answer as shown, and the aspect."""

    field: str
    answer: int
    label: str
    aspect: str


class DeskAnswer(Noun, frozen=True, kw_only=True):
    """The answer of a person: the whole text, a confidence from 0 to 100 if given, and the time [s].

    `draft` holds the fields of the form from which the text is made, if there was one; `scores` those of
    aspects that were given.
    """

    task: str
    text: str
    confidence: int | None = None
    seconds: float = 0.0
    draft: Draft | None = None
    scores: tuple[AspectScore, ...] = ()


class DeskEntry(Noun, frozen=True, kw_only=True):
    """What the desk holds on a task: the last draft, its version, the time spent [s], and its state.

    The version is 0 before the first draft or answer, and grows with each.
    """

    draft: Draft
    version: int
    seconds: float
    answered: bool
    taken: bool


class TaskState(StrEnum):
    """State of a task; an answer can be superseded until a run has taken it up."""

    OPEN = "open"
    DRAFT = "draft"
    ANSWERED = "answered"
    TAKEN = "taken"


class ListedTask(Noun, frozen=True, kw_only=True):
    """A task in a list, with the beginning of its question.

    `private` is false for a turn of a discussion; `heard` is the number of earlier texts that it shows.
    """

    id: str
    question: str
    state: TaskState
    expects: Expects
    private: bool
    heard: int


class DeskConflictError(StoreError):
    """A draft or answer that is not based on the newest version; `entry` is the newest one."""

    def __init__(self, message: str, entry: DeskEntry) -> None:
        super().__init__(message)
        self.entry = entry


class Desk:
    """Tasks, drafts and answers of one run folder."""

    def __init__(self, connection: sqlite3.Connection, file: Path) -> None:
        self._connection = connection
        self._file = file

    def post(self, task: DeskTask) -> None:
        """Add a task, once. It need not survive a loss of power: a resumed run posts it again."""
        with store_errors(self._file):
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(
                "INSERT INTO tasks (id, card, body, posted) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (id) DO NOTHING",
                (task.id, task.card, json.dumps(to_plain(task)), time.time()),
            )

    def save_draft(self, task: str, draft: Draft, *, version: int, seconds: float = 0.0) -> int:
        """Save a draft that is based on a version, and return its own version.

        The same draft again changes nothing: its sender may have missed the reply.

        Args:
            task: The id of the task.
            draft: The fields of the form.
            version: The version on which it is based.
            seconds: Time spent since that version. [s]

        Raises:
            DeskConflictError: There is a newer version with other fields.
            StoreError: The task is unknown, a run has taken its answer up, or the file cannot be written.
        """
        with self._writing():
            entry = self._read_entry(task)
            if entry.draft == draft and entry.version:
                return entry.version
            self._require_current(task, entry, version)
            return self._keep_draft(task, entry, draft, seconds)

    def submit(self, answer: DeskAnswer, *, version: int | None = None) -> None:
        """Save an answer to a task; on return it survives a loss of power.

        Args:
            answer: The answer; its time is added to that of the drafts.
            version: The version on which it is based, and that it supersedes; `None` for the first
                answer to a task only.

        Raises:
            DeskConflictError: There is a newer version.
            StoreError: The task was answered meanwhile (that answer stays), is unknown, or the file cannot
                be written.
        """
        with self._writing():
            entry = self._read_entry(answer.task)
            self._require_admission(answer)
            if version is not None:
                self._require_current(answer.task, entry, version)
            elif entry.answered:
                msg = (
                    f"task {answer.task[:8]} was answered by another process meanwhile; "
                    "that answer stays"
                )
                raise StoreError(msg)
            now = self._keep_draft(answer.task, entry, answer.draft or Draft(), answer.seconds)
            kept = replace(answer, seconds=round(entry.seconds + answer.seconds, 1))
            row = (answer.task, now, json.dumps(to_plain(kept)), time.time())
            self._connection.execute("INSERT INTO answers VALUES (?, ?, ?, ?)", row)

    def take_answer(self, task: str) -> DeskAnswer | None:
        """Return the newest answer to a task and keep it from being superseded; `None` if there is none."""
        answer = self.find_answer(task)
        if answer is None or self.find_entry(task).taken:
            return answer
        with self._writing():
            take = "UPDATE tasks SET taken = ? WHERE id = ? AND taken IS NULL"
            self._connection.execute(take, (time.time(), task))
        return self.find_answer(task)

    def find_answer(self, task: str) -> DeskAnswer | None:
        """Return the newest answer to a task, if there is one."""
        query = "SELECT body FROM answers WHERE task = ? ORDER BY version DESC LIMIT 1"
        rows = self._fetch(query, task)
        return from_plain(DeskAnswer, json.loads(rows[0][0])) if rows else None

    def list_answered(self, tasks: Iterable[str]) -> set[str]:
        """Return those of these tasks that have an answer."""
        find = "SELECT 1 FROM answers WHERE task = ? LIMIT 1"
        return {task for task in tasks if self._fetch(find, task)}

    def read_change(self) -> int:
        """Return a number that changes when another connection has written."""
        return int(self._fetch("PRAGMA data_version")[0][0])

    def find_task(self, task: str, *, card: str) -> DeskTask | None:
        """Return a task of a card, if there is one with this id."""
        rows = self._fetch("SELECT body FROM tasks WHERE id = ? AND card = ?", task, card)
        return from_plain(DeskTask, json.loads(rows[0][0])) if rows else None

    def find_entry(self, task: str) -> DeskEntry:
        """Return the last draft of a task and its state; raises `StoreError` for an unknown task."""
        with store_errors(self._file):
            return self._read_entry(task)

    def list_tasks(self, card: str) -> list[ListedTask]:
        """Return the tasks of a card, the earliest first."""
        return [
            ListedTask(
                id=key,
                question=question or "",
                state=TaskState(state),
                expects=Expects(expects),
                private=not talks,
                heard=heard,
            )
            for key, question, state, expects, talks, heard in self._fetch(_LISTED, card)
        ]

    def next_task(self, *, card: str | None = None, skip: Collection[str] = ()) -> DeskTask | None:
        """Return the earliest open task that is not in `skip`, of one card if it is given."""
        with store_errors(self._file):
            rows = self._connection.execute(
                f"SELECT id, body {_OPEN} AND (? IS NULL OR card = ?) ORDER BY number",
                (card, card),
            )
            body = next((body for key, body in rows if key not in skip), None)
        return None if body is None else from_plain(DeskTask, json.loads(body))

    def count_open(self) -> dict[str, int]:
        """Return the number of open tasks by card; a card whose tasks all have answers counts 0."""
        cards = {card: 0 for (card,) in self._fetch("SELECT DISTINCT card FROM tasks")}
        return cards | dict(self._fetch(f"SELECT card, count(*) {_OPEN} GROUP BY card"))

    def open_session(self, digest: str, *, card: str) -> None:
        """Keep the hash of a session key, so that the session survives the server."""
        with self._writing():
            self._connection.execute(_KEEP_SESSION, (digest, card, time.time()))

    def find_session(self, digest: str, *, longest: float) -> str | None:
        """Return the card of a session that is at most `longest` seconds old, if there is one."""
        query = "SELECT card FROM sessions WHERE hash = ? AND opened > ?"
        rows = self._fetch(query, digest, time.time() - longest)
        return str(rows[0][0]) if rows else None

    def _fetch(self, query: str, *values: object) -> list[Any]:
        """Return the rows of a query."""
        with store_errors(self._file):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Generator[None]:
        """One transaction that is on the disk at its end."""
        with store_errors(self._file):
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # A full disk has ended the transaction already.
                    self._connection.execute("ROLLBACK")
                raise

    def _require_admission(self, answer: DeskAnswer) -> None:
        """Do nothing; the desk of a study refuses an answer for which others have taken the place."""

    def _read_entry(self, task: str) -> DeskEntry:
        row = self._connection.execute(_ENTRY, (task,)).fetchone()
        if row is None:
            msg = f"{self._file} has no task {task!r}"
            raise StoreError(msg)
        version, body, seconds, taken, answered = row
        return DeskEntry(
            draft=from_plain(Draft, json.loads(body)),
            version=version,
            seconds=seconds,
            answered=bool(answered),
            taken=bool(taken),
        )

    def _require_current(self, task: str, entry: DeskEntry, version: int) -> None:
        if entry.taken:
            msg = f"the run has taken up the answer to task {task[:8]}; that answer stays"
            raise DeskConflictError(msg, entry)
        if entry.version != version:
            msg = (
                f"task {task[:8]} was changed meanwhile (version {entry.version}, yours is based on "
                f"{version})"
            )
            raise DeskConflictError(msg, entry)

    def _keep_draft(self, task: str, entry: DeskEntry, draft: Draft, seconds: float) -> int:
        now = entry.version + 1
        row = (task, now, json.dumps(to_plain(draft)), entry.seconds + seconds, time.time())
        self._connection.execute(_KEEP_DRAFT, row)
        return now


def list_sliders(task: DeskTask) -> tuple[Slider, ...]:
    """Return the sliders of a task, by answer and aspect; an explanation has none."""
    if task.expects is Expects.TEXT:
        return ()
    labels = [answer.title for answer in task.sheet.answers]
    if len(labels) != task.answers:
        labels = [f"Answer {number}" for number in range(1, task.answers + 1)]
    return tuple(
        Slider(field=f"slider-{answer}-{number}", answer=answer, label=label, aspect=aspect)
        for answer, label in enumerate(labels, 1)
        for number, aspect in enumerate(task.aspects, 1)
    )


def read_scores(task: DeskTask, sliders: Mapping[str, str]) -> tuple[AspectScore, ...]:
    """Return the scores that the fields of a form state; a slider that was not moved has none.

    Raises `DataError` for a value that is no whole number from 0 to 10.
    """
    scores: list[AspectScore] = []
    for slider in list_sliders(task):
        given = sliders.get(slider.field, "").strip()
        if not given:
            continue
        if not (given.isascii() and given.isdigit() and LOWEST <= int(given) <= HIGHEST):
            msg = (
                f"score {slider.aspect!r} of {slider.label} with a whole number from {LOWEST} to {HIGHEST}, "
                f"not {given[:20]!r}"
            )
            raise DataError(msg)
        scores.append(AspectScore(answer=slider.answer, aspect=slider.aspect, score=int(given)))
    return tuple(scores)


def state_reply(task: DeskTask, *, choice: str, reason: str) -> str:
    """Return the reply that a choice, or a rating, and a reason state.

    Raises `DataError` for a choice that the task does not offer, and where the reader of replies finds
    another one in the text.
    """
    if task.expects is Expects.TEXT:
        return state_text(reason)
    if task.expects is Expects.RATING:
        low, high = sorted(task.scale)
        return state_rating(reason, choice, low=low, high=high)
    labels = [answer.title for answer in task.sheet.answers]
    return state_verdict(reason, choice, answers=task.answers, ties=task.ties, labels=labels)


def read_confidence(given: str) -> int | None:
    """Return a confidence from 0 to 100 as typed; raises `DataError` for anything else but no text."""
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and int(given) <= 100):
        msg = f"a confidence is a whole number from 0 to 100, not {given!r}"
        raise DataError(msg)
    return int(given)
