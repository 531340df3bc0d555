"""Reading of a store, also while another process writes to it."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Executable, Row, Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from peerjudge.data import Comparison, StopReason, Transcript, from_json
from peerjudge.errors import DataError, StoreError
from peerjudge.store.database import Location, fetch_rows, locate, open_database
from peerjudge.store.rows import build_transcript
from peerjudge.store.schema import comparisons, discussions, members, runs, turns

_PAGE = 200


class Status(StrEnum):
    """Progress of a discussion."""

    NEW = "new"
    """Not stored yet."""
    PARTIAL = "partial"
    """To be resumed from its last stored turn."""
    FAILED = "failed"
    """A turn failed for good; another run repeats that turn."""
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """Run that wrote to a store; `created` is the UTC time in ISO form."""

    id: str
    created: str
    manifest: Mapping[str, object]


class Archive:
    """Discussions and runs of a store. Every method raises `StoreError` if reading fails."""

    def __init__(self, engine: AsyncEngine, location: Location) -> None:
        self._engine = engine
        self._location = location

    @classmethod
    @asynccontextmanager
    async def open(cls, place: str | Path) -> AsyncGenerator[Self]:
        """Open the store at a place for reading: a folder, a `.db` file, or an SQLAlchemy URL.

        Raises `StoreError` if there is none, it is not a store, or another version wrote it.
        """
        location = locate(place)
        async with open_database(location, writable=False) as engine:
            yield cls(engine, location)

    async def runs(self) -> tuple[RunRecord, ...]:
        """Return the runs that wrote here, oldest first."""
        rows = await self._rows(select(runs).order_by(runs.c.created, runs.c.id))
        return tuple(
            RunRecord(id=row.id, created=row.created, manifest=json.loads(row.manifest))
            for row in rows
        )

    async def statuses(self, ids: Iterable[str]) -> dict[str, Status]:
        """Return the progress of each of these discussions, without reading them."""
        found = dict.fromkeys(ids, Status.NEW)
        columns = discussions.c
        for page in _pages(list(found)):
            query = select(columns.id, columns.stop).where(columns.id.in_(page))
            found.update({row.id: _status(row.stop) for row in await self._rows(query)})
        return found

    async def counts(self, run: str | None = None) -> dict[Status, int]:
        """Return the number of discussions by progress: of a run, or of all that have begun."""
        stop = discussions.c.stop
        query = select(stop, func.count()).group_by(stop)
        if run is not None:
            query = query.where(discussions.c.id.in_(_enlisted(run)))
        found = dict.fromkeys(Status, 0)
        found.update({_status(row[0]): row[1] for row in await self._rows(query)})
        if run is not None:
            planned = _enlisted(run).subquery()
            rows = await self._rows(select(func.count()).select_from(planned))
            found[Status.NEW] = rows[0][0] - sum(found.values())
        return found

    async def transcript(self, discussion: str) -> Transcript | None:
        """Return a discussion with its turns so far, or `None` if it is not stored."""
        query = _select_all().where(discussions.c.id == discussion)
        found = await self._transcripts(await self._rows(query))
        return found[0] if found else None

    async def transcripts(
        self, *, run: str | None = None, condition: str | None = None
    ) -> AsyncIterator[Transcript]:
        """Yield every discussion that has begun, ended or not, read page by page.

        The order is by condition, comparison and discussion id, independent of the order of play.

        Args:
            run: only those of this run, under the condition's name in that run.
            condition: only those of this condition.
        """
        query = _select_all() if run is None else select_run(run)
        columns = query.selected_columns
        if condition is not None:
            query = query.where(columns.condition == condition)
        place = tuple_(columns.condition, columns.comparison_id, columns.id)
        query = query.order_by(columns.condition, columns.comparison_id, columns.id).limit(_PAGE)
        rows = await self._rows(query)
        while rows:
            for transcript in await self._transcripts(rows):
                yield transcript
            last = rows[-1]
            after = tuple_(last.condition, last.comparison_id, last.id)
            rows = await self._rows(query.where(place > after))

    async def _rows(self, query: Executable) -> Sequence[Row[*tuple[Any, ...]]]:
        return await fetch_rows(self._engine, query, self._location)

    async def _transcripts(self, rows: Sequence[Row[*tuple[Any, ...]]]) -> list[Transcript]:
        try:
            return await self._read(rows)
        except DataError as cause:
            msg = (
                f"store {self._location.name} holds what cannot be read: {cause}; restore it from "
                "a copy, or choose another place with --out"
            )
            raise StoreError(msg) from cause

    async def _read(self, rows: Sequence[Row[*tuple[Any, ...]]]) -> list[Transcript]:
        keys = sorted({row.comparison for row in rows})
        query = select(comparisons).where(comparisons.c.key.in_(keys))
        shown = {row.key: from_json(Comparison, row.body) for row in await self._rows(query)}
        said: dict[int, list[str]] = {row.number: [] for row in rows}
        query = select(turns).where(turns.c.discussion.in_(list(said)))
        for turn in await self._rows(query.order_by(turns.c.discussion, turns.c.index)):
            said[turn.discussion].append(turn.body)
        return [
            build_transcript(
                row.id,
                condition=row.condition,
                head=row.head,
                comparison=shown[row.comparison],
                turns=said[row.number],
            )
            for row in rows
        ]


def _select_all() -> Select[*tuple[Any, ...]]:
    columns = discussions.c
    return select(
        columns.condition,
        columns.comparison_id,
        columns.id,
        columns.number,
        columns.comparison,
        columns.head,
    )


def select_run(run: str) -> Select[*tuple[Any, ...]]:
    """Return the query for the heads of a run, with the conditions of that run."""
    columns = discussions.c
    together = members.join(discussions, members.c.discussion == columns.id)
    return (
        select(
            members.c.condition,
            members.c.comparison_id,
            columns.id,
            columns.number,
            columns.comparison,
            columns.head,
        )
        .select_from(together)
        .where(members.c.run == run)
    )


def _enlisted(run: str) -> Select[*tuple[Any, ...]]:
    return select(members.c.discussion).where(members.c.run == run).distinct()


def _status(stop: str | None) -> Status:
    if stop is None:
        return Status.PARTIAL
    return Status.DONE if stop == StopReason.COMPLETE else Status.FAILED


def _pages(ids: Sequence[str]) -> Iterable[Sequence[str]]:
    return (ids[start : start + _PAGE] for start in range(0, len(ids), _PAGE))
