"""Desk of runs, read without writing: open requests by card, and every answer that was given."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from peerjudge.data import Expects, from_plain
from peerjudge.data.nouns import Noun
from peerjudge.errors import StoreError
from peerjudge.features.people.desk import AspectScore, DeskAnswer, DeskTask
from peerjudge.features.people.desk_file import SCHEMA, store_errors
from peerjudge.features.people.desk_places import find_desk
from peerjudge.store.database import Location, locate

_COUNT = (
    "SELECT card, count(*) FROM tasks "
    "WHERE NOT EXISTS (SELECT 1 FROM answers WHERE answers.task = tasks.id) GROUP BY card"
)
_ANSWERS = (
    "SELECT tasks.body, posted, taken, version, answers.body, saved FROM answers "
    "JOIN tasks ON tasks.id = answers.task ORDER BY number, version"
)


class PersonAnswer(Noun, frozen=True, kw_only=True):
    """An answer of a person, also one that was superseded.

    `task` is the id of the request; equal words are one request. `private` is false for a turn of a
    discussion, `heard` the number of earlier texts that the request showed. `version` grows with each save of
    a draft or answer. `choice` is the number of the answer as shown, a rating, `tie` or `none`, and empty for
    an explanation. `confidence` is from 0 to 100, where it was given; `scores` are those given for aspects,
    from 0 to 10. `seconds` is the active time up to this answer, `text` the reply made of it. `posted` and
    `saved` are in UTC.
    """

    card: str
    task: str
    expects: Expects
    private: bool
    heard: int
    question: str
    version: int
    superseded: bool
    taken: bool
    choice: str
    reason: str
    confidence: int | None
    scores: tuple[AspectScore, ...]
    seconds: float
    text: str
    posted: str
    saved: str


def count_requests(location: Location) -> dict[str, int]:
    """Return the number of open requests by card; empty where there is no desk to read."""
    try:
        with _reading(location) as connection:
            return dict(connection.execute(_COUNT).fetchall())
    except (sqlite3.Error, StoreError):
        return {}


def list_people_answers(place: str | Path) -> list[PersonAnswer]:
    """Return every answer at the desk of a run folder or a database, by request and version.

    Raises `StoreError` if there is no desk or it cannot be read.
    """
    location = locate(place)
    with store_errors(location.name), _reading(location) as connection:
        rows = connection.execute(_ANSWERS).fetchall()
    newest = {json.loads(row[0])["id"]: row[3] for row in rows}
    return [_read_answer(row, newest) for row in rows]


def _read_answer(
    row: tuple[str, float, float | None, int, str, float], newest: dict[str, int]
) -> PersonAnswer:
    task = from_plain(DeskTask, json.loads(row[0]))
    answer = from_plain(DeskAnswer, json.loads(row[4]))
    is_newest = newest[task.id] == row[3]
    return PersonAnswer(
        card=task.card,
        task=task.id,
        expects=task.expects,
        private=not task.sheet.place,
        heard=len(task.sheet.heard),
        question=task.sheet.question,
        version=row[3],
        superseded=not is_newest,
        taken=is_newest and row[2] is not None,
        choice="" if answer.draft is None else answer.draft.choice,
        reason="" if answer.draft is None else answer.draft.reason,
        confidence=answer.confidence,
        scores=answer.scores,
        seconds=answer.seconds,
        text=answer.text,
        posted=_name_time(row[1]),
        saved=_name_time(row[5]),
    )


def _name_time(stamp: float) -> str:
    return datetime.fromtimestamp(stamp, UTC).isoformat(timespec="seconds")


@contextmanager
def _reading(location: Location) -> Generator[sqlite3.Connection]:
    """Open a desk without changing it; raises `StoreError` if there is none of this version."""
    file = find_desk(location)
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != SCHEMA:
            msg = f"{file} has schema {version}, this is {SCHEMA}; run the experiment again to update it"
            raise StoreError(msg)
        yield connection
