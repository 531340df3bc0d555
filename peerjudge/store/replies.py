"""Cache of model replies in a small SQLite file, so that a crash repeats no call."""

from __future__ import annotations

import asyncio
import os
import socket
import sqlite3
import time
from collections.abc import AsyncGenerator, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Literal, NamedTuple, Self
from uuid import uuid4

from peerjudge.engine.barrier import parked
from peerjudge.errors import StoreError
from peerjudge.store.database import connect_file

REPLIES_FILE = "replies.db"

_SCHEMA = 1
_APPLICATION = 0x504A5250  # "PJRP", to recognise files of other programs

# NORMAL: writes survive the end of the process, which protects a reply until its turn is stored. A
# stored turn also survives a loss of power.
_SETTINGS = ("PRAGMA busy_timeout=30000", "PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL")

_LEASE = 30.0
"""Time after which the claim of a process that does not renew it is void. [s]"""
_FIRST_LOOK, _LONGEST_LOOK = 0.05, 1.0
"""Shortest and longest time between two looks at a key that another process has claimed. [s]"""


class _Held(Enum):
    HELD = "held"
    """The key is claimed by another process."""


class _Task(NamedTuple):
    """A text to write (`put`), a key to claim or release, or all own claims to renew."""

    action: Literal["put", "claim", "release", "renew"]
    key: str
    text: str | None
    done: asyncio.Future[str | _Held | None]


class Replies:
    """Texts by key in one file, which several processes may share.

    A process claims a key before it makes the call; others wait for its text. A claim ends with the
    text, when it is released, when its process is gone, or half a minute after it was last renewed.

    One thread reads and writes. Requests that arrive while it is busy share the next transaction, so
    two thousand concurrent calls wait no longer than two.
    """

    def __init__(
        self, connection: sqlite3.Connection, path: Path, thread: ThreadPoolExecutor
    ) -> None:
        self._connection = connection
        self._path = path
        self._thread = thread
        self._owner = f"{_host()} {os.getpid()} {uuid4().hex[:8]}"
        self._waiting: list[_Task] = []
        self._worker: asyncio.Task[None] | None = None

    @classmethod
    @asynccontextmanager
    async def open(cls, path: str | Path) -> AsyncGenerator[Self]:
        """Open the file (of a folder: its `replies.db`); create it where there is none.

        Raises:
            StoreError: it belongs to another program, another version wrote it, or it cannot be written.
        """
        file = _choose_file(path)
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="replies") as thread:
            connection = await loop.run_in_executor(thread, store_errors(file)(_open), file)
            replies = cls(connection, file, thread)
            renewing = asyncio.create_task(replies._renew(), name="claims")
            try:
                yield replies
            finally:
                renewing.cancel()
                await asyncio.wait({renewing})
                if replies._worker is not None:
                    await asyncio.wait({replies._worker})
                await loop.run_in_executor(thread, _close, connection, replies._owner)

    async def claim(self, key: str, *, instead_of: str | None = None) -> str | None:
        """Return the text of this key, unless it is `instead_of`; or claim the key.

        Waits while another process has claimed it.
        """
        pause = _FIRST_LOOK
        try:
            while isinstance(text := await self._request("claim", key, instead_of), _Held):
                with parked():
                    await asyncio.sleep(pause)
                pause = min(_LONGEST_LOOK, 1.5 * pause)
        except asyncio.CancelledError:
            # It may have been claimed at this moment.
            self.release(key)
            raise
        return text

    async def put(self, key: str, text: str) -> None:
        """Write this text and end the claim; on return it survives the end of the process."""
        await self._request("put", key, text)

    def release(self, key: str) -> None:
        """End the claim of this key."""
        # Marked as retrieved: a claim that cannot be released ends by itself.
        self._request("release", key, None).add_done_callback(
            lambda done: None if done.cancelled() else done.exception()
        )

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(_LEASE / 3)
            with suppress(StoreError):
                await self._request("renew", "", None)

    def _request(
        self, action: Literal["put", "claim", "release", "renew"], key: str, text: str | None
    ) -> asyncio.Future[str | _Held | None]:
        done: asyncio.Future[str | _Held | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Task(action, key, text, done))
        if self._worker is None:
            self._worker = asyncio.create_task(self._work(), name="replies")
        return done

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting, []
            serve = store_errors(self._path)(_serve)
            try:
                texts = await loop.run_in_executor(
                    self._thread, serve, self._connection, batch, self._owner
                )
            except StoreError as cause:
                for task in batch:
                    if not task.done.done():
                        task.done.set_exception(StoreError(str(cause)))
            else:
                for task, text in zip(batch, texts, strict=True):
                    if not task.done.done():  # else the caller was cancelled
                        task.done.set_result(text)
        self._worker = None


def _serve(
    connection: sqlite3.Connection, batch: Sequence[_Task], owner: str
) -> list[str | _Held | None]:
    """Do what the tasks ask for, in one transaction if anything is written."""
    if all(task.action == "claim" for task in batch):
        # Most claims of a resumed run find a text, and waiting ones a claim: nothing is written.
        texts = [_look(connection, task, owner) for task in batch]
        if all(text is not None for text in texts):
            return texts
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        return [_do(connection, task, owner) for task in batch]


def _do(connection: sqlite3.Connection, task: _Task, owner: str) -> str | _Held | None:
    expires = time.time() + _LEASE
    if task.action == "renew":
        connection.execute("UPDATE claims SET expires = ? WHERE owner = ?", (expires, owner))
    elif task.action == "claim":
        if (text := _look(connection, task, owner)) is not None:
            return text
        row = (task.key, owner, expires)
        connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", row)
    else:
        if task.action == "put":
            row = (task.key, task.text)
            connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", row)
        mine = (task.key, owner)
        connection.execute("DELETE FROM claims WHERE key = ? AND owner = ?", mine)
    return None


def _look(connection: sqlite3.Connection, task: _Task, owner: str) -> str | _Held | None:
    """Return the text of a key, or that it is held; `None` if it can be claimed."""
    row = connection.execute("SELECT body FROM replies WHERE key = ?", (task.key,)).fetchone()
    if row is not None and row[0] != task.text:
        return row[0]
    claim = connection.execute(
        "SELECT owner, expires FROM claims WHERE key = ?", (task.key,)
    ).fetchone()
    if claim is None or claim[0] == owner or claim[1] < time.time() or _has_ended(claim[0]):
        return None
    return _Held.HELD


def _host() -> str:
    """Return the name of this machine, with the process namespace where there are several."""
    with suppress(OSError):
        return f"{socket.gethostname()}/{Path('/proc/self/ns/pid').stat().st_ino}"
    return socket.gethostname()


def _has_ended(owner: str) -> bool:
    """Return whether the process of an owner on this machine is gone."""
    host, pid, _ = owner.rsplit(" ", 2)
    if host != _host() or os.name != "posix":
        return False
    try:
        os.kill(int(pid), 0)  # sends nothing
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _close(connection: sqlite3.Connection, owner: str) -> None:
    with suppress(sqlite3.Error):
        connection.execute("DELETE FROM claims WHERE owner = ?", (owner,))
    connection.close()


def open_file(path: str | Path) -> tuple[sqlite3.Connection, Path]:
    """Open the file of replies (of a folder: its `replies.db`) and return it with its path."""
    file = _choose_file(path)
    with store_errors(file):
        return _open(file), file


def copy_replies(source: Path, target: Path) -> None:
    """Copy the replies of one folder to another that has none; nothing without replies."""
    ours, theirs = source / REPLIES_FILE, target / REPLIES_FILE
    if not ours.exists() or theirs.exists():
        return
    with store_errors(theirs):
        target.mkdir(parents=True, exist_ok=True)
        draft = theirs.with_suffix(".new")
        draft.unlink(missing_ok=True)
        reading = sqlite3.connect(f"{ours.resolve().as_uri()}?mode=ro", uri=True)
        with closing(reading), closing(sqlite3.connect(draft)) as writing:
            reading.backup(writing)
            writing.execute("DELETE FROM claims")
            writing.commit()
        draft.replace(theirs)


def _choose_file(path: str | Path) -> Path:
    file = Path(path)
    return file if file.suffix in {".db", ".sqlite"} else file / REPLIES_FILE


def _open(file: Path) -> sqlite3.Connection:
    return connect_file(file, settings=_SETTINGS, prepare=_prepare, check_same_thread=False)


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
    # Versions without claims wrote the same schema.
    connection.execute(
        "CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, owner TEXT, expires REAL)"
    )


@contextmanager
def store_errors(file: Path) -> Generator[None]:
    """Raise errors of the database as `StoreError`."""
    try:
        yield
    except (sqlite3.Error, OSError) as cause:
        msg = (
            f"cannot keep replies in {file}: {cause}; make room or make it writable, name "
            "another place with --cache, or delete it if it is damaged"
        )
        raise StoreError(msg) from cause
