"""Cache of model replies in a small SQLite file, so that a crash repeats no call."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Self

from peerjudge.errors import StoreError

REPLIES_FILE = "replies.db"

_SCHEMA = 1
_APPLICATION = 0x504A5250  # "PJRP", to recognise files of other programs

# NORMAL: writes survive the end of the process, which protects a reply until its turn is stored. A
# stored turn also survives a loss of power.
_SETTINGS = ("PRAGMA busy_timeout=30000", "PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL")

_Task = tuple[str, str | None, "asyncio.Future[str | None]"]


class Replies:
    """Texts by key in one file, which several processes may share.

    One thread reads and writes. Requests that arrive while it is busy share the next transaction, so
    two thousand concurrent calls wait no longer than two.
    """

    def __init__(
        self, connection: sqlite3.Connection, path: Path, thread: ThreadPoolExecutor
    ) -> None:
        self._connection = connection
        self._path = path
        self._thread = thread
        self._waiting: list[_Task] = []
        self._worker: asyncio.Task[None] | None = None

    @classmethod
    @asynccontextmanager
    async def open(cls, path: str | Path) -> AsyncGenerator[Self]:
        """Open the file (of a folder: its `replies.db`); create it where there is none.

        Raises:
            StoreError: it belongs to another program, another version wrote it, or it cannot be written.
        """
        file = Path(path)
        if file.suffix not in {".db", ".sqlite"}:
            file = file / REPLIES_FILE
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="replies") as thread:
            connection = await loop.run_in_executor(thread, _store_errors(file)(_open), file)
            replies = cls(connection, file, thread)
            try:
                yield replies
            finally:
                if replies._worker is not None:
                    await asyncio.wait({replies._worker})
                await loop.run_in_executor(thread, connection.close)

    async def get(self, key: str) -> str | None:
        """Return the text of this key, if there is one."""
        return await self._request(key, None)

    async def put(self, key: str, text: str) -> None:
        """Write this text; on return it survives the end of the process."""
        await self._request(key, text)

    async def _request(self, key: str, text: str | None) -> str | None:
        done: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((key, text, done))
        if self._worker is None:
            self._worker = asyncio.create_task(self._work(), name="replies")
        return await done

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting, []
            requested = [(key, text) for key, text, _ in batch]
            try:
                found = await loop.run_in_executor(
                    self._thread, _store_errors(self._path)(_serve), self._connection, requested
                )
            except StoreError as cause:
                for _, _, done in batch:
                    if not done.done():
                        done.set_exception(StoreError(str(cause)))
            else:
                for (_, _, done), text in zip(batch, found, strict=True):
                    if not done.done():  # else the caller was cancelled
                        done.set_result(text)
        self._worker = None


def _serve(
    connection: sqlite3.Connection, requested: Sequence[tuple[str, str | None]]
) -> list[str | None]:
    kept = [(key, text) for key, text in requested if text is not None]
    if kept:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT OR REPLACE INTO replies VALUES (?, ?)", kept)
    found: list[str | None] = []
    for key, text in requested:
        if text is None:
            row = connection.execute("SELECT body FROM replies WHERE key = ?", (key,)).fetchone()
            found.append(None if row is None else row[0])
        else:
            found.append(None)
    return found


def _open(file: Path) -> sqlite3.Connection:
    file.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    try:
        for setting in _SETTINGS:
            connection.execute(setting)
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            _prepare(connection, file)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, file: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application == 0 and not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        connection.execute(f"PRAGMA application_id={_APPLICATION}")
        connection.execute(f"PRAGMA user_version={_SCHEMA}")
        connection.execute("CREATE TABLE replies (key TEXT PRIMARY KEY, body TEXT NOT NULL)")
    elif application != _APPLICATION:
        msg = f"{file} is the database of something else; name another place with --cache"
        raise StoreError(msg)
    elif version != _SCHEMA:
        msg = (
            f"the replies in {file} were written by another version of PeerJudge (schema {version}, "
            f"this is {_SCHEMA}); delete the file, or name another with --cache"
        )
        raise StoreError(msg)


@contextmanager
def _store_errors(file: Path) -> Generator[None]:
    """Raise errors of the database as `StoreError`."""
    try:
        yield
    except (sqlite3.Error, OSError) as cause:
        msg = (
            f"cannot keep replies in {file}: {cause}; make room or make it writable, name "
            "another place with --cache, or delete it if it is damaged"
        )
        raise StoreError(msg) from cause
