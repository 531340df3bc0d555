"""File of a desk: its tables, the step from the first schema, and its errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from peerjudge.errors import StoreError
from peerjudge.store.database import connect_file

SCHEMA = 2
_APPLICATION = 0x504A4450  # "PJDP", to recognise files of other programs
_SETTINGS = ("PRAGMA busy_timeout=30000", "PRAGMA journal_mode=WAL")
_ANSWERS = (
    "CREATE TABLE answers (task TEXT NOT NULL REFERENCES tasks (id), version INTEGER NOT NULL, "
    "body TEXT NOT NULL, saved REAL NOT NULL, PRIMARY KEY (task, version))"
)
_DRAFTS = (
    "CREATE TABLE drafts (task TEXT PRIMARY KEY REFERENCES tasks (id), version INTEGER NOT NULL, "
    "body TEXT NOT NULL, seconds REAL NOT NULL, saved REAL NOT NULL)"
)
_SESSIONS = (
    "CREATE TABLE sessions (hash TEXT PRIMARY KEY, card TEXT NOT NULL, opened REAL NOT NULL)"
)
_TASKS = (
    "CREATE TABLE tasks (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, card TEXT NOT NULL, "
    "body TEXT NOT NULL, posted REAL NOT NULL, taken REAL)"
)
_TABLES = (_TASKS, _ANSWERS, _DRAFTS, _SESSIONS)
_FROM_1 = (
    "ALTER TABLE tasks ADD COLUMN taken REAL",
    "ALTER TABLE answers RENAME TO first_answers",
    _ANSWERS,
    "INSERT INTO answers SELECT task, 1, body, saved FROM first_answers",
    "DROP TABLE first_answers",
    _DRAFTS,
    _SESSIONS,
    "INSERT INTO drafts SELECT task, 1, '{}', 0, saved FROM answers",
)


def connect_desk(file: Path) -> sqlite3.Connection:
    """Open the file of a desk, make its tables, or bring those of an earlier version up to date.

    Raises:
        StoreError: Another program or a later version wrote it, or it cannot be written.
    """
    with store_errors(file):
        return connect_file(file, settings=_SETTINGS, prepare=_prepare)


def _prepare(connection: sqlite3.Connection, file: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application == 0 and not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        statements = (f"PRAGMA application_id={_APPLICATION}", *_TABLES)
    elif application != _APPLICATION:
        msg = (
            f"{file} is the database of another program; move it, or name another folder with --out"
        )
        raise StoreError(msg)
    elif version == 1:
        statements = _FROM_1
    elif version != SCHEMA:
        msg = (
            f"{file} was written by another version of PeerJudge (schema {version}, this is {SCHEMA}); "
            "use that version"
        )
        raise StoreError(msg)
    else:
        return
    for statement in (*statements, f"PRAGMA user_version={SCHEMA}"):
        connection.execute(statement)


@contextmanager
def store_errors(file: Path | str) -> Generator[None]:
    """Raise errors of the database as `StoreError`."""
    try:
        yield
    except (sqlite3.Error, OSError) as cause:
        msg = f"cannot use the desk {file}: {cause}; make room or make it writable"
        raise StoreError(msg) from cause
