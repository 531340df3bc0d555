"""The database of a store: its location, its locks, and the engine that opens it."""

from __future__ import annotations

import asyncio
import os
import socket
import sqlite3
from collections.abc import AsyncGenerator, Callable, Collection, Generator, Iterable, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, urlencode

from sqlalchemy import (
    URL,
    BigInteger,
    Executable,
    Row,
    TextClause,
    bindparam,
    event,
    make_url,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from peerjudge.errors import StoreError
from peerjudge.shelf.card_secrets import has_secret_word
from peerjudge.store.schema import prepare_tables

STORE_FILE = "store.db"

_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}
RECOVER = "copy what can be read with `.recover` of sqlite3 (docs/running.md, Damage)"
"""What to do about a file with damaged pages."""

_REMEDIES = (
    (("disk is full", "disk i/o error"), "progress is saved: make room, then run the same again"),
    (("not a database",), "restore it from a copy, or choose another place with --out"),
    (("malformed",), f"restore it from a copy, or {RECOVER}"),
    (("readonly", "unable to open"), "make it writable, or choose another place with --out"),
    (("is locked",), "another process writes to it: wait for that to end"),
)
# A lock of the session: the key is a hash of the run.
_KEY = bindparam("key", type_=BigInteger)
_TRY_LOCK = text("SELECT pg_try_advisory_lock(:key)").bindparams(_KEY)
_UNLOCK_ALL = text("SELECT pg_advisory_unlock_all()")
_NAME_SESSION = text("SELECT set_config('application_name', :name, false)")
_LOCK_OWNER = text(
    "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid) "
    "WHERE locktype = 'advisory' AND granted AND objsubid = 1 "
    "AND ((classid::bigint << 32) | objid::bigint) = :key"
).bindparams(_KEY)
# Locks of the session for several discussions.
_KEYS = bindparam("keys", type_=ARRAY(BigInteger))
_TRY_KEYS = text("SELECT key FROM unnest(:keys) AS key WHERE pg_try_advisory_lock(key)").bindparams(
    _KEYS
)
_RELEASE_KEYS = text(
    "SELECT key FROM unnest(:keys) AS key WHERE pg_advisory_unlock(key)"
).bindparams(_KEYS)

_MASK = "***"
"""Stands for a password, as in SQLAlchemy."""

_PATIENT = "PRAGMA busy_timeout=30000"
_READ_ONLY = "PRAGMA query_only=ON"


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Place of a store. `file` is `None` for a database server; `name` has no password."""

    url: URL
    file: Path | None
    name: str

    def for_reading(self) -> Location:
        """Return the same place with options that forbid changes."""
        if self.file is None:
            return self
        # A reader cannot remove the files that SQLite keeps beside an open store, so it opens the
        # store for writing where it may; the engine forbids changes.
        query = {"mode": "rw" if os.access(self.file, os.W_OK) else "ro", "uri": "true"}
        alone = not self.file.with_name(f"{self.file.name}-wal").exists()
        if alone and not os.access(self.file.parent, os.W_OK):
            # SQLite cannot make its shared-memory file here, and no process can be writing.
            query |= {"mode": "ro", "immutable": "1"}
        database = f"file:{quote(str(self.file.resolve()))}"
        url = URL.create("sqlite+aiosqlite", database=database, query=query)
        return Location(url=url, file=self.file, name=self.name)


def locate(place: str | Path) -> Location:
    """Return the location of a folder (its `store.db`), a `.db` file, or an SQLAlchemy URL.

    Raises `StoreError` for a URL of another kind of database.
    """
    if isinstance(place, str) and "://" in place:
        return _locate_url(place)
    path = Path(place)
    return _locate_file(path if path.suffix in {".db", ".sqlite"} else path / STORE_FILE)


def exists(place: str | Path) -> bool:
    """Return whether there is a store at a place; true for a database server.

    A file without tables is none: the process that created it was killed before it made them.
    """
    file = locate(place).file
    if file is None or not file.exists():
        return file is None
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as opened:
            return opened.execute("SELECT 1 FROM sqlite_master").fetchone() is not None
    except sqlite3.Error:
        return True  # Opening it says what is wrong.


def describe_error(cause: BaseException, location: Location) -> StoreError:
    """Return an error of the database as a `StoreError` with the way out."""
    if isinstance(cause, StoreError):
        return StoreError(str(cause))
    if isinstance(cause, IntegrityError | sqlite3.IntegrityError):
        return StoreError(
            f"store {location.name} already has the turn to be written: another process "
            "plays the same discussions; let only one of them run"
        )
    what = str(cause.orig if isinstance(cause, DBAPIError) else cause) or type(cause).__name__
    for secret in _find_secrets(location.url):
        what = what.replace(secret, _MASK)
    for signs, remedy in _REMEDIES:
        if any(sign in what.lower() for sign in signs):
            return StoreError(f"store {location.name}: {what}; {remedy}")
    return StoreError(f"store {location.name}: {what}")


@asynccontextmanager
async def open_database(location: Location, *, writable: bool) -> AsyncGenerator[AsyncEngine]:
    """Open the engine of the store at this location; create its tables where it is new.

    Raises `StoreError` if there is no store, it is something else, or another version wrote it.
    """
    if not writable and location.file is not None and not location.file.exists():
        msg = f"there is no store at {location.name}; name a place to which `peerjudge run` wrote"
        raise StoreError(msg)
    place = location if writable else location.for_reading()
    _probe(place, writable=writable)
    settings = () if location.file is None else (_PATIENT, *(() if writable else (_READ_ONLY,)))
    engine = create_engine(place, settings)
    try:
        try:
            async with engine.begin() as connection:
                await connection.run_sync(prepare_tables, location.name, writable=writable)
        except (SQLAlchemyError, OSError) as cause:
            raise describe_error(cause, location) from cause
        except (TypeError, ValueError, OverflowError) as cause:
            if location.file is not None:
                raise
            # The driver takes the parameters of the URL as arguments.
            raise describe_error(cause, location) from cause
        yield engine
    finally:
        await _dispose(engine)


async def fetch_rows(
    engine: AsyncEngine, query: Executable, location: Location
) -> Sequence[Row[*tuple[Any, ...]]]:
    """Return all rows of a query; raise `StoreError` where the database fails."""
    try:
        async with engine.connect() as connection:
            return (await connection.execute(query)).all()
    except (SQLAlchemyError, OSError) as cause:
        raise describe_error(cause, location) from cause


def connect_file(
    file: Path,
    *,
    settings: Iterable[str],
    prepare: Callable[[sqlite3.Connection, Path], None] | None = None,
    check_same_thread: bool = True,
) -> sqlite3.Connection:
    """Open a SQLite file in a folder that is made where needed; it is closed if anything fails.

    `settings` are `PRAGMA` statements. `prepare` makes or checks the tables, in a transaction that no other
    process can interleave.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(file, isolation_level=None, check_same_thread=check_same_thread)
    try:
        for setting in settings:
            connection.execute(setting)
        if prepare is not None:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                prepare(connection, file)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def lock_file(file: Path) -> Generator[None]:
    """Hold the write lock of a store in a file.

    The lock is a reserved transaction on a small database beside the store: the operating system
    releases it however the process ends, and other processes can read its owner.

    Raises `StoreError` naming the process that has the lock.
    """
    path = file.with_name(f"{file.name}.lock")
    try:
        connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    except sqlite3.Error as cause:
        raise _lock_error(file, cause) from cause
    with closing(connection):
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("CREATE TABLE IF NOT EXISTS owner (pid INTEGER, host TEXT)")
            connection.execute("DELETE FROM owner")
            here = (os.getpid(), socket.gethostname())
            connection.execute("INSERT INTO owner VALUES (?, ?)", here)
            connection.execute("COMMIT")
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as cause:
            if "locked" not in str(cause):
                raise _lock_error(file, cause) from cause
            raise StoreError(_describe_owner(connection, file)) from None
        yield


def _describe_owner(connection: sqlite3.Connection, file: Path) -> str:
    try:
        owner = connection.execute("SELECT pid, host FROM owner").fetchone()
    except sqlite3.Error:
        # The other process is writing its name at this moment.
        owner = None
    who = "another process" if owner is None else f"process {owner[0]} on {owner[1]}"
    return f"store {file} is in use by {who}; wait for it to end, or choose another with --out"


def _lock_error(file: Path, cause: sqlite3.Error) -> StoreError:
    if "full" in str(cause):
        remedy = "make room, then run the same again"
    elif "not a database" in str(cause):
        remedy = f"delete {file.name}.lock, which holds only the name of the writing process"
    else:
        remedy = "make its folder writable, or choose another with --out"
    return StoreError(f"cannot lock store {file}: {cause}; {remedy}")


@asynccontextmanager
async def lock_run(
    engine: AsyncEngine, location: Location, run: str
) -> AsyncGenerator[AsyncConnection]:
    """Hold the lock of a run on a database server, which the server releases with the connection.

    Yields the connection, which may hold more locks until the end of the block.

    Raises `StoreError` naming the process that has the lock.
    """
    key = {"key": _derive_key(run)}
    name = {"name": f"peerjudge, process {os.getpid()} on {socket.gethostname()}"}
    async with engine.connect() as opened:
        # Without a transaction, which a server may end when nothing happens for long.
        connection = await opened.execution_options(isolation_level="AUTOCOMMIT")
        try:
            await connection.execute(_NAME_SESSION, name)
            acquired = (await connection.execute(_TRY_LOCK, key)).scalar_one()
            owner = None if acquired else (await connection.execute(_LOCK_OWNER, key)).scalar()
        except (SQLAlchemyError, OSError) as cause:
            raise describe_error(cause, location) from cause
        if not acquired:
            msg = (
                f"run {run[:8]} in store {location.name} is in use by {owner or 'another process'}; "
                "wait for it to end, or choose another place with --store or --out"
            )
            raise StoreError(msg)
        try:
            yield connection
        finally:
            with suppress(SQLAlchemyError, OSError):
                await connection.execute(_UNLOCK_ALL)


class Claims:
    """Discussions that one run has claimed on a server, so that runs with common discussions play each once.

    A claim is a lock of the database session: the server releases it if the process dies. A file needs
    none, as it has one writer.
    """

    def __init__(self, session: AsyncConnection, location: Location) -> None:
        self._session = session
        self._location = location
        self._keys: dict[str, int] = {}

    async def claim(self, ids: Iterable[str], *, keep: Collection[str]) -> set[str]:
        """Return those of these discussions that no other run has claimed; they are claimed now.

        Earlier claims are released, except of the discussions in `keep`.
        """
        over = [self._keys.pop(each) for each in set(self._keys).difference(keep)]
        if over:
            await self._execute(_RELEASE_KEYS, over)
        wanted = {each: _derive_key(f"discussion {each}") for each in ids}
        new = {each: key for each, key in wanted.items() if each not in self._keys}
        locked = await self._execute(_TRY_KEYS, list(new.values())) if new else set[int]()
        self._keys.update({each: key for each, key in new.items() if key in locked})
        return set(wanted).intersection(self._keys)

    async def _execute(self, query: TextClause, keys: list[int]) -> set[int]:
        try:
            return set((await self._session.execute(query, {"keys": keys})).scalars())
        except (SQLAlchemyError, OSError) as cause:
            raise describe_error(cause, self._location) from cause


def _derive_key(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:8], signed=True)


async def _dispose(engine: AsyncEngine) -> None:
    # Shielded: a Ctrl-C must not leave connections half closed.
    disposing = asyncio.ensure_future(engine.dispose())
    try:
        await asyncio.shield(disposing)
    except asyncio.CancelledError:
        await disposing
        raise


def create_engine(location: Location, settings: Sequence[str]) -> AsyncEngine:
    """Return an engine that applies the settings to each connection."""
    try:
        engine = create_async_engine(location.url)
    except ModuleNotFoundError as cause:
        msg = f"store {location.name} needs the package {cause.name!r}: pip install {cause.name}"
        raise StoreError(msg) from cause

    @event.listens_for(engine.sync_engine, "connect")
    def connected(connection: Any, _record: object) -> None:  # noqa: ANN401  a DB-API connection
        cursor = connection.cursor()
        for setting in settings:
            cursor.execute(setting)
        cursor.close()
        connection.commit()

    _ = connected
    return engine


def _probe(place: Location, *, writable: bool) -> None:
    # The asynchronous driver would fail as well, but leaves a thread that may outlive the loop.
    if place.file is None:
        return
    options = urlencode({name: str(value) for name, value in place.url.query.items()})
    target = f"{place.url.database}?{options}" if options else str(place.url.database)
    try:
        with closing(sqlite3.connect(target, timeout=30, uri=bool(options))) as connection:
            # WAL is a property of the file: readers and the writer do not wait for each other.
            connection.execute("PRAGMA journal_mode=WAL" if writable else "PRAGMA schema_version")
    except sqlite3.Error as cause:
        raise describe_error(cause, place) from cause


def _locate_file(file: Path) -> Location:
    url = URL.create("sqlite+aiosqlite", database=str(file))
    return Location(url=url, file=file, name=str(file))


def _locate_url(place: str) -> Location:
    try:
        url = make_url(place)
    except ArgumentError as cause:
        msg = f"{place.partition(':')[0]!r} does not begin a database URL that can be read"
        raise StoreError(msg) from cause
    except ValueError as cause:
        msg = f"the {place.partition(':')[0]} URL has a port that is no number"
        raise StoreError(msg) from cause
    driver = _DRIVERS.get(url.drivername)
    if driver is None:
        msg = f"a store is on sqlite or postgresql, not {url.drivername!r}"
        raise StoreError(msg)
    if driver.startswith("sqlite"):
        if not url.database or url.database == ":memory:":
            msg = "a store must outlive the process: give a file, as in sqlite:///study.db"
            raise StoreError(msg)
        return _locate_file(Path(url.database))
    return Location(url=url.set(drivername=driver), file=None, name=_hide_secrets(url))


def _hide_secrets(url: URL) -> str:
    """Return a URL for display: its password, also one in the query, is masked."""
    masked = {name: _MASK for name in url.query if has_secret_word(name)}
    shown = url.update_query_dict(masked).render_as_string(hide_password=True)
    return shown.replace(quote_plus(_MASK), _MASK)


def _find_secrets(url: URL) -> list[str]:
    """Return the passwords of a URL."""
    values = [url.password, *(url.query[name] for name in url.query if has_secret_word(name))]
    texts = [value if isinstance(value, str) else "".join(value or ()) for value in values]
    return [text for text in texts if text]
