"""Which revision a store's tables have, and how they are made and brought up to date."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from peerjudge.errors import StoreError
from peerjudge.store.location import Location
from peerjudge.store.schema import REVISION, tables

if TYPE_CHECKING:
    from alembic.config import Config

__all__ = ["prepare"]

_BEFORE_VERSIONS = "0001"
"""The revision of stores that name theirs in a table `meta`."""

_LOCK = 7_230_197_511
"""Whoever holds this lock of a Postgres database makes or changes the tables."""


def prepare(connection: Connection, location: Location, *, writable: bool) -> None:
    """Make the tables or bring them up to date, in the transaction that is open or begins.

    Raises `StoreError` if this is the database of something else, the tables are not whole, or
    another version wrote them that cannot be brought up to date here and now.
    """
    if writable:
        _lock(connection)
    found = set(inspect(connection).get_table_names())
    if not found and writable:
        _migrate(connection)
        return
    revision = _revision(connection, found)
    if revision is None:
        _refuse_foreign(found, location)
    elif revision != REVISION:
        _bring_up_to_date(connection, revision, location, writable=writable)
    elif lacking := set(tables.tables) - found:
        msg = f"{location.name} is not a store: it has no table {min(lacking)!r}"
        raise StoreError(msg)


def _lock(connection: Connection) -> None:
    """From here on nobody else changes the tables, and what is changed is changed as a whole."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})


def _revision(connection: Connection, found: set[str]) -> str | None:
    if "alembic_version" in found:
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if "meta" in found and "discussions" in found:
        written = connection.execute(text("SELECT value FROM meta WHERE key = 'schema'")).scalar()
        return _BEFORE_VERSIONS if written == "1" else written
    return None


def _refuse_foreign(found: set[str], location: Location) -> None:
    if found:
        msg = f"{location.name} is the database of something else: it has a table {min(found)!r}"
    else:
        msg = f"{location.name} is not a store: it has no table {min(tables.tables)!r}"
    raise StoreError(msg)


def _bring_up_to_date(
    connection: Connection, revision: str, location: Location, *, writable: bool
) -> None:
    from alembic.script import ScriptDirectory

    script = ScriptDirectory.from_config(_config(connection))
    known = {each.revision for each in script.walk_revisions()}
    if revision not in known:
        msg = (
            f"store {location.name} was written by another version of PeerJudge (store schema "
            f"{revision}, this is {REVISION}); use that version, or start a new store"
        )
        raise StoreError(msg)
    if not writable:
        msg = (
            f"store {location.name} was written by an earlier version of PeerJudge (store schema "
            f"{revision}, this is {REVISION}); run its experiment again to bring it up to date"
        )
        raise StoreError(msg)
    _migrate(connection, since=revision)


def _migrate(connection: Connection, *, since: str | None = None) -> None:
    from alembic import command

    config = _config(connection)
    if since == _BEFORE_VERSIONS:
        command.stamp(config, since)
    command.upgrade(config, "head")


def _config(connection: Connection) -> Config:
    # Imported when tables are made or changed, which is seldom, and takes a third of a second.
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    return config
