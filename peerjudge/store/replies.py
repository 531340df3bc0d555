"""Keeps the replies of models in a small SQLite file, so that a crash asks for none of them again."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self, TypeVar

from peerjudge.errors import StoreError

__all__ = ["REPLIES_FILE", "Replies"]

REPLIES_FILE = "replies.db"

_SCHEMA = 1
_APPLICATION = 0x504A5250  # "PJRP", so that no other program's file is taken for one of ours

# NORMAL: what was written survives the death of the process, which is what a reply between its
# arrival and its turn needs. Against a loss of power the store has the turn.
_SETTINGS = ("PRAGMA busy_timeout=30000", "PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL")

T = TypeVar("T")
_Task = tuple[str, str | None, "asyncio.Future[str | None]"]


class Replies:
    """Texts by key in one file, which several processes may share.

    A thread of its own reads and writes. Whatever has gathered while it was busy is done in one
    transaction, so that two thousand calls at once wait no longer than two.
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
        """Open the file (of a folder: its `replies.db`), and make it if there is none.

        Raises:
            StoreError: It is something else, was written by another version, or cannot be written.
        """
        file = Path(path)
        if file.suffix not in {".db", ".sqlite"}:
            file = file / REPLIES_FILE
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="replies") as thread:
            connection = await loop.run_in_executor(thread, _telling(file, lambda: _open(file)))
            replies = cls(connection, file, thread)
            try:
                yield replies
            finally:
                if replies._worker is not None:
                    await asyncio.wait({replies._worker})
                await loop.run_in_executor(thread, connection.close)

    async def get(self, key: str) -> str | None:
        """The text under this key, if there is one."""
        return await self._ask(key, None)

    async def put(self, key: str, text: str) -> None:
        """Keep this text; returns when it would survive the death of the process."""
        await self._ask(key, text)

    async def _ask(self, key: str, text: str | None) -> str | None:
        done: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((key, text, done))
        if self._worker is None:
            self._worker = asyncio.create_task(self._work(), name="replies")
        return await done

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting, []
            asked = [(key, text) for key, text, _ in batch]
            try:
                found = await loop.run_in_executor(
                    self._thread,
                    _telling(self._path, lambda asked=asked: _serve(self._connection, asked)),
                )
            except StoreError as trouble:
                for _, _, done in batch:
                    if not done.done():
                        done.set_exception(StoreError(str(trouble)))
            else:
                for (_, _, done), text in zip(batch, found, strict=True):
                    if not done.done():  # else whoever waited was cancelled
                        done.set_result(text)
        self._worker = None


def _serve(
    connection: sqlite3.Connection, asked: Sequence[tuple[str, str | None]]
) -> list[str | None]:
    kept = [(key, text) for key, text in asked if text is not None]
    if kept:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT OR REPLACE INTO replies VALUES (?, ?)", kept)
    found: list[str | None] = []
    for key, text in asked:
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
            f"the replies in {file} were kept by another version of PeerJudge (schema {version}, "
            f"this is {_SCHEMA}); delete the file, or name another with --cache"
        )
        raise StoreError(msg)


def _telling(file: Path, work: Callable[[], T]) -> Callable[[], T]:
    """The work, with the database's troubles told in a sentence."""

    def told() -> T:
        try:
            return work()
        except (sqlite3.Error, OSError) as cause:
            msg = (
                f"cannot keep replies in {file}: {cause}; make room or make it writable, name "
                "another place with --cache, or delete it if it is damaged"
            )
            raise StoreError(msg) from cause

    return told
