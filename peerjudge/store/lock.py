"""One process at a time writes to a store in a file; the second is told who the first is."""

from __future__ import annotations

import os
import socket
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from peerjudge.errors import StoreError

__all__ = ["sole_writer"]


@contextmanager
def sole_writer(file: Path) -> Generator[None]:
    """Hold the lock of this store; raises `StoreError` naming the process that has it.

    The lock is a reserved transaction on a small database beside the store: the operating system
    releases it however the process ends, and others can still read who holds it.
    """
    path = file.with_name(f"{file.name}.lock")
    try:
        connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    except sqlite3.Error as cause:
        raise _unwritable(file, cause) from cause
    with closing(connection):
        _acquire(connection, file)
        yield


def _acquire(connection: sqlite3.Connection, file: Path) -> None:
    here = (os.getpid(), socket.gethostname())
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("CREATE TABLE IF NOT EXISTS owner (pid INTEGER, host TEXT)")
        connection.execute("DELETE FROM owner")
        connection.execute("INSERT INTO owner VALUES (?, ?)", here)
        connection.execute("COMMIT")
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as cause:
        if "locked" not in str(cause):
            raise _unwritable(file, cause) from cause
        raise StoreError(_taken(connection, file)) from None
    except sqlite3.Error as cause:
        raise _unwritable(file, cause) from cause


def _taken(connection: sqlite3.Connection, file: Path) -> str:
    try:
        owner = connection.execute("SELECT pid, host FROM owner").fetchone()
    except sqlite3.Error:
        # The other process is just now writing its name.
        owner = None
    who = "another process" if owner is None else f"process {owner[0]} on {owner[1]}"
    return f"store {file} is in use by {who}; wait for it to end, or choose another with --out"


def _unwritable(file: Path, cause: sqlite3.Error) -> StoreError:
    if "full" in str(cause):
        remedy = "make room, then run the same again"
    elif "not a database" in str(cause):
        remedy = f"delete {file.name}.lock, which holds nothing but who writes"
    else:
        remedy = "make its folder writable, or choose another with --out"
    return StoreError(f"cannot lock store {file}: {cause}; {remedy}")
