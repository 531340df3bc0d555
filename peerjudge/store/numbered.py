"""Discussions of a store by their numbers, for an index that follows a running experiment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, func, select

from peerjudge.data import Transcript
from peerjudge.store.archive import Archive, select_heads
from peerjudge.store.database import Location
from peerjudge.store.schema import discussions, members, turns

_PAGE = 500

Mark = tuple[int, ...]
"""State of the files of a store; a commit changes it."""


class State(NamedTuple):
    """Progress of a stored discussion: its number, id, stop and number of turns."""

    number: int
    id: str
    stop: str | None
    turns: int


class Membership(NamedTuple):
    """A discussion as a run lists it: under a condition of that run."""

    run: str
    condition: str
    number: int


class NumberedArchive(Archive):
    """Store whose discussions are read by number, in the order in which they began."""

    def mark(self) -> Mark | None:
        """Return a value that changes with each commit; `None` where a database server has no files."""
        file = self._location.file
        if file is None:
            return None
        stamps: list[int] = []
        for path in (file, file.with_name(f"{file.name}-wal")):
            try:
                stat = path.stat()
            except OSError:
                stamps += [0, 0]
            else:
                stamps += [stat.st_mtime_ns, stat.st_size]
        return tuple(stamps)

    @property
    def is_file(self) -> bool:
        """True for SQLite, which numbers discussions in the order of their commits."""
        return self._location.file is not None

    async def states_above(self, number: int, *, limit: int) -> list[State]:
        """Return the state of the next discussions with a higher number, in their order."""
        return await self._states(discussions.c.number > number, limit=limit)

    async def states_of(self, numbers: Iterable[int]) -> list[State]:
        """Return the state of the discussions with these numbers, in their order."""
        ordered = sorted(numbers)
        states: list[State] = []
        for start in range(0, len(ordered), _PAGE):
            page = ordered[start : start + _PAGE]
            states += await self._states(discussions.c.number.in_(page), limit=_PAGE)
        return states

    async def _states(self, chosen: ColumnElement[bool], *, limit: int) -> list[State]:
        columns = discussions.c
        counted = select(func.count()).where(turns.c.discussion == columns.number)
        query = select(columns.number, columns.id, columns.stop, counted.scalar_subquery())
        rows = await self._rows(query.where(chosen).order_by(columns.number).limit(limit))
        return [State(*row) for row in rows]

    async def read_numbers(self, numbers: Sequence[int]) -> dict[int, Transcript]:
        """Return the discussions with these numbers; one that cannot be read is left out."""
        query = select_heads().where(discussions.c.number.in_(numbers))
        rows = await self._rows(query.order_by(discussions.c.number))
        by_id = {row.id: row.number for row in rows}
        return {by_id[each.id]: each for each in await self._transcripts(rows)}

    async def memberships(self, *, first: int, last: int) -> list[Membership]:
        """Return how the runs list the discussions with numbers from `first` to `last`."""
        columns = discussions.c
        together = discussions.join(members, members.c.discussion == columns.id)
        query = select(members.c.run, members.c.condition, columns.number)
        query = query.select_from(together).where(columns.number.between(first, last))
        return [Membership(*row) for row in await self._rows(query)]

    async def count_discussions(self) -> int:
        """Return the number of discussions that have begun."""
        return (await self._rows(select(func.count()).select_from(discussions)))[0][0]

    @property
    def location(self) -> Location:
        """The place of the store."""
        return self._location
