"""Place of a desk: a file beside that of a store, or in the working directory for a store on a server."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import text

from peerjudge.errors import StoreError
from peerjudge.features.people.desk import DESK_FILE, Desk
from peerjudge.features.people.desk_file import connect_desk
from peerjudge.store.database import STORE_FILE, Location, create_engine, fetch_rows, locate

_FIND_EARLIER = text("SELECT 1 FROM pg_namespace WHERE nspname = 'peerjudge_desk'")


@contextmanager
def open_desk(place: str | Path, *, create: bool = True) -> Generator[Desk]:
    """Open the desk of the runs at a place.

    Args:
        place: A run folder, a file of a store, or the URL of one on SQLite or Postgres.
        create: Make the desk if there is none.

    Raises:
        StoreError: There is none and `create` is `False`, another program or version wrote it, or it
            cannot be used.
    """
    location = locate(place)
    file = locate_desk(location) if create else find_desk(location)
    connection = connect_desk(file)
    try:
        yield Desk(connection, file)
    finally:
        connection.close()


def locate_desk(location: Location) -> Path:
    """Return the file of the desk of a store: `desk.db` in a run folder, else `NAME.desk.db`.

    It is beside the file of the store. For a database on a server, it is in the working directory and
    has the name of the database.
    """
    if location.file is None:
        name = (location.url.database or "postgres").replace("/", "_")
        return Path(f"{name}.{DESK_FILE}")
    name = location.file.name
    return location.file.with_name(
        DESK_FILE if name == STORE_FILE else f"{location.file.stem}.{DESK_FILE}"
    )


def find_desk(location: Location) -> Path:
    """Return the file of the desk of a store; raises `StoreError` if there is none."""
    file = locate_desk(location)
    if file.is_file():
        return file
    if location.file is None:
        msg = (
            f"there is no file {file} here, the desk of {location.name}; change to the directory in which "
            "`peerjudge run` seated a card with kind = 'human'"
        )
    else:
        msg = (
            f"{location.name} has no request to people; run an experiment there that seats a card with "
            "kind = 'human' first"
        )
    raise StoreError(msg)


async def refuse_earlier_desk(place: str | Path) -> None:
    """Raise `StoreError` for a database on a server that holds a desk of an earlier version."""
    location = locate(place)
    if location.file is not None:
        return
    engine = create_engine(location, ())
    try:
        found = await fetch_rows(engine, _FIND_EARLIER, location)
    finally:
        await engine.dispose()
    if found:
        msg = (
            f"{location.name} holds answers of people from an earlier version; peerjudge 0.2.0 exports them "
            "(`peerjudge export URL --people`); then drop the schema peerjudge_desk, or name another database"
        )
        raise StoreError(msg)
