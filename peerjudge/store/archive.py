"""What a store holds, for reading: also beside a process that is writing to it."""

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
from peerjudge.store.engine import database, fetched
from peerjudge.store.location import Location, locate
from peerjudge.store.rows import transcript_from
from peerjudge.store.schema import comparisons, discussions, members, runs, turns

__all__ = ["Archive", "RunRecord", "Status"]

_PAGE = 200


class Status(StrEnum):
    """How far a discussion is."""

    NEW = "new"
    """Nothing of it is stored."""
    PARTIAL = "partial"
    """It can go on from its last stored turn."""
    FAILED = "failed"
    """A turn failed for good; playing it again takes up that turn."""
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run that wrote to a store; `created` is the UTC time in ISO form."""

    id: str
    created: str
    manifest: Mapping[str, object]


class Archive:
    """The discussions and runs of a store. Every method raises `StoreError` if reading fails."""

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
        async with database(location, writable=False) as engine:
            yield cls(engine, location)

    async def runs(self) -> tuple[RunRecord, ...]:
        """The runs that wrote here, oldest first."""
        rows = await self._rows(select(runs).order_by(runs.c.created, runs.c.id))
        return tuple(
            RunRecord(id=row.id, created=row.created, manifest=json.loads(row.manifest))
            for row in rows
        )

    async def statuses(self, ids: Iterable[str]) -> dict[str, Status]:
        """How far each of these discussions is, without reading them."""
        found = dict.fromkeys(ids, Status.NEW)
        columns = discussions.c
        for page in _pages(list(found)):
            query = select(columns.id, columns.stop).where(columns.id.in_(page))
            found.update({row.id: _status(row.stop) for row in await self._rows(query)})
        return found

    async def counts(self, run: str | None = None) -> dict[Status, int]:
        """How many discussions are how far: those of a run, or all that have begun."""
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
        """The discussion with the turns it has so far; `None` if nothing of it is stored."""
        query = _of_all().where(discussions.c.id == discussion)
        found = await self._transcripts(await self._rows(query))
        return found[0] if found else None

    async def transcripts(
        self, *, run: str | None = None, condition: str | None = None
    ) -> AsyncIterator[Transcript]:
        """Every discussion that has begun, ended or not, a page at a time.

        The order is by condition, comparison and discussion id, and so the same whatever the order
        in which they were played.

        Args:
            run: Only those of this run, under the condition's name in that run.
            condition: Only those of this condition.
        """
        query = _of_all() if run is None else _of_run(run)
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
        return await fetched(self._engine, query, self._location)

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
            transcript_from(
                row.id,
                condition=row.condition,
                head=row.head,
                comparison=shown[row.comparison],
                turns=said[row.number],
            )
            for row in rows
        ]


def _of_all() -> Select[*tuple[Any, ...]]:
    columns = discussions.c
    return select(
        columns.condition,
        columns.comparison_id,
        columns.id,
        columns.number,
        columns.comparison,
        columns.head,
    )


def _of_run(run: str) -> Select[*tuple[Any, ...]]:
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
