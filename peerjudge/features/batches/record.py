"""Requests that were sent to a batch API, kept beside the cached replies so that none is paid twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

from peerjudge.store.replies import open_file, store_errors

_TABLES = """
CREATE TABLE IF NOT EXISTS batches (
    intent TEXT PRIMARY KEY, place TEXT NOT NULL, state TEXT NOT NULL, batch TEXT, created REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS batch_requests (
    key TEXT PRIMARY KEY, intent TEXT NOT NULL, response TEXT
);
CREATE INDEX IF NOT EXISTS requests_of_batch ON batch_requests (intent);
"""


class BatchState(StrEnum):
    """How far a batch has come."""

    INTENDED = "intended"
    """Recorded; the server has no batch."""
    CREATING = "creating"
    """The server may have the batch, under an unknown id."""
    SENT = "sent"
    """The server has the batch under its id."""
    ENDED = "ended"
    """All responses are stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBatch:
    """A batch: its name here (`intent`), its address, its id at the server, its time of creation."""

    intent: str
    place: str
    state: BatchState
    batch: str | None
    created: float


class Batches:
    """Table of batches and their requests in the file of cached replies.

    Every change is written through to the disk before the method returns: a batch lasts up to a day,
    and its record must survive a loss of power as well.
    """

    def __init__(self, connection: sqlite3.Connection, file: Path) -> None:
        self._connection = connection
        self._file = file

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Generator[Self]:
        """Open the tables in the file of cached replies (of a folder: its `replies.db`).

        Raises:
            StoreError: The file belongs to another program or cannot be written.
        """
        connection, file = open_file(path)
        try:
            with store_errors(file):
                connection.execute("PRAGMA synchronous=FULL")
                connection.executescript(_TABLES)
            yield cls(connection, file)
        finally:
            connection.close()

    def intend(self, intent: str, keys: Iterable[str], *, place: str, created: float) -> None:
        """Record a batch of the requests with these keys, before anything is sent."""
        with self._write() as connection:
            row = (intent, place, BatchState.INTENDED, None, created)
            connection.execute("INSERT INTO batches VALUES (?, ?, ?, ?, ?)", row)
            connection.executemany(
                "INSERT OR REPLACE INTO batch_requests VALUES (?, ?, NULL)",
                [(key, intent) for key in keys],
            )

    def advance(self, intent: str, state: BatchState, *, batch: str | None = None) -> None:
        """Record the state of a batch, and its id once it is known."""
        with self._write() as connection:
            connection.execute(
                "UPDATE batches SET state = ?, batch = coalesce(?, batch) WHERE intent = ?",
                (state, batch, intent),
            )

    def end(self, intent: str, responses: Mapping[str, str]) -> None:
        """Store the responses of a batch that has ended; forget its requests without any."""
        with self._write() as connection:
            connection.executemany(
                "UPDATE batch_requests SET response = ? WHERE key = ? AND intent = ?",
                [(text, key, intent) for key, text in responses.items()],
            )
            connection.execute(
                "DELETE FROM batch_requests WHERE intent = ? AND response IS NULL", (intent,)
            )
            connection.execute(
                "UPDATE batches SET state = ? WHERE intent = ?", (BatchState.ENDED, intent)
            )

    def drop(self, intent: str) -> None:
        """Forget a batch that the server does not have."""
        with self._write() as connection:
            connection.execute("DELETE FROM batch_requests WHERE intent = ?", (intent,))
            connection.execute("DELETE FROM batches WHERE intent = ?", (intent,))

    def forget(self, key: str) -> None:
        """Forget the response of a request that is sent again."""
        with self._write() as connection:
            connection.execute("DELETE FROM batch_requests WHERE key = ?", (key,))

    def find(self, key: str) -> tuple[StoredBatch, str | None] | None:
        """Return the batch of a request, and its response if the batch has ended; else `None`."""
        with store_errors(self._file):
            row = self._connection.execute(
                "SELECT intent, place, state, batch, created, response FROM batch_requests "
                "JOIN batches USING (intent) WHERE key = ?",
                (key,),
            ).fetchone()
        if row is None:
            return None
        intent, place, state, batch, created, response = row
        stored = StoredBatch(
            intent=intent, place=place, state=BatchState(state), batch=batch, created=created
        )
        return stored, response

    def count(self, intent: str) -> int:
        """Return the number of requests of a batch that has not ended."""
        with store_errors(self._file):
            (number,) = self._connection.execute(
                "SELECT count(*) FROM batch_requests WHERE intent = ?", (intent,)
            ).fetchone()
        return number

    def list_ids(self, place: str) -> frozenset[str]:
        """Return the known ids of the batches at an address."""
        with store_errors(self._file):
            rows = self._connection.execute(
                "SELECT batch FROM batches WHERE place = ? AND batch IS NOT NULL", (place,)
            ).fetchall()
        return frozenset(batch for (batch,) in rows)

    @contextmanager
    def _write(self) -> Generator[sqlite3.Connection]:
        with store_errors(self._file), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection
