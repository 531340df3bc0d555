"""Place of a desk: beside the file of a store, or in the database of the store on a server."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from peerjudge.store.database import STORE_FILE, Location, locate
from peerjudge.store.desk import DESK_FILE, Desk


def open_desk(place: str | Path, *, create: bool = True) -> AbstractContextManager[Desk]:
    """Open the desk of the runs at a place.

    Args:
        place: A run folder, a file of a store, or the URL of one on SQLite or Postgres.
        create: Make the desk if there is none.

    Raises:
        StoreError: There is none and `create` is `False`, another program or version wrote it, or it
            cannot be used.
    """
    location = locate(place)
    if location.file is None:
        from peerjudge.store.desk_server import ServerDesk

        return ServerDesk.open_at(location, create=create)
    file = locate_desk(location)
    return Desk.open_file(file, create=create, name=location.name)


def locate_desk(location: Location) -> Path:
    """Return the file of the desk beside a store: `desk.db` in a run folder, else `NAME.desk.db`."""
    if location.file is None:
        msg = f"the desk of {location.name} is in the database"
        raise ValueError(msg)
    name = location.file.name
    return location.file.with_name(
        DESK_FILE if name == STORE_FILE else f"{location.file.stem}.{DESK_FILE}"
    )
