"""Small SQLite files beside a store: opened with their settings, and prepared in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path


def connect_prepared(
    file: Path,
    prepare: Callable[[sqlite3.Connection, Path], None],
    *,
    settings: Iterable[str],
    check_same_thread: bool = True,
) -> sqlite3.Connection:
    """Open a file, apply its settings, and prepare its tables; it is closed if one of these fails.

    Args:
        file: The file; its folder is made.
        prepare: Makes or checks the tables, in a transaction that no other process can interleave.
        settings: The `PRAGMA` statements.
        check_same_thread: As for `sqlite3.connect`.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=check_same_thread)
    try:
        for setting in settings:
            connection.execute(setting)
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            prepare(connection, file)
    except BaseException:
        connection.close()
        raise
    return connection
