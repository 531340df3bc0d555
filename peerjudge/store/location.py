"""Where a store is: a folder, a file or a database URL, and how its troubles are told."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError

from peerjudge.errors import StoreError

__all__ = ["Location", "locate", "trouble"]

STORE_FILE = "store.db"

_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}

_REMEDIES = (
    (
        ("disk is full", "disk i/o error"),
        "what was kept is kept: make room, then run the same again",
    ),
    (("not a database", "malformed"), "restore it from a copy, or choose another place with --out"),
    (("readonly", "unable to open"), "make it writable, or choose another place with --out"),
    (("is locked",), "another process writes to it: wait for that to end"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A store's place. `file` is `None` for a database server; `name` is fit for messages."""

    url: URL
    file: Path | None
    name: str

    def for_reading(self) -> Location:
        """The same place, opened so that it is not changed."""
        if self.file is None:
            return self
        # Who only reads cannot clear away the files that SQLite keeps beside an open store, so
        # where that is allowed it is opened for writing; the engine forbids changes all the same.
        query = {"mode": "rw" if os.access(self.file, os.W_OK) else "ro", "uri": "true"}
        alone = not self.file.with_name(f"{self.file.name}-wal").exists()
        if alone and not os.access(self.file.parent, os.W_OK):
            # SQLite cannot make its shared-memory file here, and nobody can be writing either.
            query |= {"mode": "ro", "immutable": "1"}
        database = f"file:{quote(str(self.file.resolve()))}"
        url = URL.create("sqlite+aiosqlite", database=database, query=query)
        return Location(url=url, file=self.file, name=self.name)


def locate(place: str | Path) -> Location:
    """The place of a store: `FOLDER` (its `store.db`), a `.db` file, or an SQLAlchemy URL.

    Raises `StoreError` for a URL of another kind of database.
    """
    if isinstance(place, str) and "://" in place:
        return _at_url(place)
    path = Path(place)
    file = path if path.suffix in {".db", ".sqlite"} else path / STORE_FILE
    return _at_file(file)


def trouble(cause: BaseException, location: Location) -> StoreError:
    """What went wrong with the database, in a sentence with a remedy."""
    if isinstance(cause, StoreError):
        return StoreError(str(cause))
    if isinstance(cause, IntegrityError | sqlite3.IntegrityError):
        return StoreError(
            f"store {location.name} already holds a turn that was to be written: another process "
            "plays the same discussions; let only one of them run"
        )
    what = str(cause.orig if isinstance(cause, DBAPIError) else cause) or type(cause).__name__
    for signs, remedy in _REMEDIES:
        if any(sign in what.lower() for sign in signs):
            return StoreError(f"store {location.name}: {what}; {remedy}")
    return StoreError(f"store {location.name}: {what}")


def _at_file(file: Path) -> Location:
    url = URL.create("sqlite+aiosqlite", database=str(file))
    return Location(url=url, file=file, name=str(file))


def _at_url(place: str) -> Location:
    try:
        url = make_url(place)
    except ArgumentError as cause:
        msg = f"{place.partition(':')[0]!r} does not begin a database URL that can be read"
        raise StoreError(msg) from cause
    driver = _DRIVERS.get(url.drivername)
    if driver is None:
        msg = f"a store is on sqlite or postgresql, not {url.drivername!r}"
        raise StoreError(msg)
    if driver.startswith("sqlite"):
        if not url.database or url.database == ":memory:":
            msg = "a store must outlive the process: give a file, as in sqlite:///study.db"
            raise StoreError(msg)
        return _at_file(Path(url.database))
    return Location(
        url=url.set(drivername=driver), file=None, name=url.render_as_string(hide_password=True)
    )
