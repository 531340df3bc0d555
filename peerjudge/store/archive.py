"""Reading of a store, also while another process writes to it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Executable,
    Row,
    Select,
    case,
    cast as sql_cast,
    func,
    select,
    tuple_,
)
from sqlalchemy.ext.asyncio import AsyncEngine

from peerjudge.data import (
    Comparison,
    StopReason,
    Transcript,
    Usage,
    Utterance,
    Writing,
    from_json,
    read_manifest_text,
)
from peerjudge.data.discussion import require_fitting
from peerjudge.errors import DataError
from peerjudge.logs import get_logger
from peerjudge.store.database import Location, fetch_rows, locate, open_database
from peerjudge.store.rows import build_transcript
from peerjudge.store.schema import calls, comparisons, discussions, members, runs, turns, writings

_PAGE = 200

_log = get_logger()


class Status(StrEnum):
    """Progress of a discussion."""

    NEW = "new"
    """Not stored yet."""
    PARTIAL = "partial"
    """To be resumed from its last stored turn."""
    FAILED = "failed"
    """A turn or a rereading failed for good; another run repeats it."""
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """Run that wrote to a store; `created` is the UTC time in ISO form."""

    id: str
    created: str
    manifest: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Booked:
    """Total of the calls of one reviewer with one outcome.

    `usd` is the cost of the calls whose price was known; `unpriced` are the tokens of the others.
    """

    reviewer: str
    outcome: str
    calls: int
    usage: Usage
    usd: float
    unpriced: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class UncertainCalls:
    """Calls that were sent and brought no complete reply; tokens and USD are estimates.

    `usd` is `None` if a price is unknown.
    """

    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0


UNCERTAIN = frozenset({"open", "lost"})
"""Outcomes of calls whose bill is unknown."""
UNBILLED = "unbilled"
"""Outcome of a call whose bill was unknown until a person settled that nobody bills it."""


class Archive:
    """Discussions and runs of a store. Every method raises `StoreError` if reading fails.

    A discussion with a row that cannot be read is skipped with a warning; `unreadable` has its id and
    the cause.
    """

    def __init__(self, engine: AsyncEngine, location: Location) -> None:
        self._engine = engine
        self._location = location
        self.unreadable: dict[str, str] = {}

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
        records: list[RunRecord] = []
        for row in await self._rows(select(runs).order_by(runs.c.created, runs.c.id)):
            try:
                manifest = read_manifest_text(row.manifest)
            except DataError as cause:
                self._skip("run", row.id, cause)
                continue
            records.append(RunRecord(id=row.id, created=row.created, manifest=manifest))
        return tuple(records)

    async def count_members(self, run: str | None = None) -> int:
        """Return the number of planned discussions: of a run, or of all runs together."""
        query = select(func.count()).select_from(members)
        if run is not None:
            query = query.where(members.c.run == run)
        return (await self._rows(query))[0][0]

    async def statuses(self, ids: Iterable[str]) -> dict[str, Status]:
        """Return the progress of each of these discussions, without reading them."""
        statuses = dict.fromkeys(ids, Status.NEW)
        columns = discussions.c
        for page in _pages(list(statuses)):
            query = select(columns.id, columns.stop).where(columns.id.in_(page))
            for row in await self._rows(query):
                if row.stop is None:
                    statuses[row.id] = Status.PARTIAL
                else:
                    done = row.stop == StopReason.COMPLETE
                    statuses[row.id] = Status.DONE if done else Status.FAILED
        return statuses

    async def booked(self) -> tuple[Booked, ...]:
        """Return the totals of the calls of all runs, by reviewer and outcome."""
        columns = calls.c
        unpriced = columns.usd.is_(None)
        tokens = (columns.prompt_tokens, columns.completion_tokens)
        query = select(
            columns.reviewer,
            columns.outcome,
            func.count(),
            *(func.sum(column) for column in tokens),
            func.coalesce(func.sum(columns.usd), 0.0),
            *(func.sum(case((unpriced, column), else_=0)) for column in tokens),
        )
        query = query.group_by(columns.reviewer, columns.outcome)
        query = query.order_by(columns.reviewer, columns.outcome)
        return tuple(
            Booked(
                reviewer=row[0],
                outcome=row[1],
                calls=row[2],
                usage=Usage(prompt_tokens=int(row[3]), completion_tokens=int(row[4])),
                usd=row[5],
                unpriced=Usage(prompt_tokens=int(row[6]), completion_tokens=int(row[7])),
            )
            for row in await self._rows(query)
        )

    async def list_calls(self, run: str | None = None) -> AsyncIterator[Sequence[dict[str, Any]]]:
        """Yield the rows of the book of calls page by page: all, or those of a run and its discussions."""
        query = select(calls).order_by(calls.c.number).limit(_PAGE)
        if run is not None:
            listed = select(members.c.discussion).where(members.c.run == run)
            query = query.where((calls.c.run == run) | calls.c.discussion.in_(listed))
        rows = await self._rows(query)
        while rows:
            yield [dict(zip(calls.c.keys(), row, strict=True)) for row in rows]
            rows = await self._rows(query.where(calls.c.number > rows[-1].number))

    async def find_calls(self, numbers: Iterable[int]) -> dict[int, dict[str, Any]]:
        """Return the rows of the book with these numbers."""
        query = select(calls).where(calls.c.number.in_(list(numbers)))
        return {
            row.number: dict(zip(calls.c.keys(), row, strict=True))
            for row in await self._rows(query)
        }

    async def simulated_tokens(self) -> int:
        """Return the tokens of all simulated replies, which cost nothing and so are not booked."""
        # A rereading, which may be cached itself, comes after the review. Quotes in texts are escaped.
        body, end = turns.c.body, '"review":'
        if self._engine.dialect.name == "sqlite":
            body = func.substr(body, 1, func.instr(body, end))
        else:
            body = func.split_part(body, end, 1)
        query = select(func.sum(count_tokens(self._engine.dialect.name)))
        query = query.where(body.like('%"simulated":true%'), body.not_like('%"cached":true%'))
        columns = writings.c
        written = select(func.sum(columns.prompt_tokens + columns.completion_tokens))
        queries = (query, written.where(columns.simulated))
        return sum([int((await self._rows(each))[0][0] or 0) for each in queries])

    async def writings(self, keys: Iterable[str]) -> dict[str, Writing]:
        """Return the texts with these keys that cards wrote, by key."""
        writings_by_key: dict[str, Writing] = {}
        for page in _pages(list(keys)):
            for row in await self._rows(select(writings).where(writings.c.key.in_(page))):
                try:
                    utterance = from_json(Utterance, row.body)
                except DataError as cause:
                    self._skip("text", row.key, cause)
                    continue
                writings_by_key[row.key] = Writing(
                    key=row.key, card=row.card, task=row.task, mark=row.mark, utterance=utterance
                )
        return writings_by_key

    async def transcript(self, discussion: str) -> Transcript | None:
        """Return a discussion with its turns so far; `None` if it is not stored or unreadable."""
        query = select_heads().where(discussions.c.id == discussion)
        transcripts = await self._transcripts(await self._rows(query))
        return transcripts[0] if transcripts else None

    async def transcripts_of(self, ids: Iterable[str]) -> AsyncIterator[Transcript]:
        """Yield those of these discussions that have begun, in the order of their ids."""
        for page in _pages(sorted(set(ids))):
            query = select_heads().where(discussions.c.id.in_(page)).order_by(discussions.c.id)
            for transcript in await self._transcripts(await self._rows(query)):
                yield transcript

    async def transcripts(
        self,
        *,
        run: str | None = None,
        condition: str | None = None,
        comparison: str | None = None,
        beginning: str = "",
    ) -> AsyncIterator[Transcript]:
        """Yield every discussion that has begun, ended or not, read page by page.

        The order is by condition, comparison and discussion id, independent of the order of play.

        Args:
            run: only those of this run, under the condition's name in that run.
            condition: only those of this condition.
            comparison: only those of the comparison with this id.
            beginning: only those whose id begins so.
        """
        query = select_heads() if run is None else select_run(run)
        columns = query.selected_columns
        if condition is not None:
            query = query.where(columns.condition == condition)
        if comparison is not None:
            query = query.where(columns.comparison_id == comparison)
        if beginning:
            query = query.where(columns.id.startswith(beginning, autoescape=True))
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
        keys = sorted({row.comparison for row in rows})
        query = select(comparisons).where(comparisons.c.key.in_(keys))
        shown = {row.key: row.body for row in await self._rows(query)}
        bodies: dict[int, list[str]] = {row.number: [] for row in rows}
        query = select(turns).where(turns.c.discussion.in_(list(bodies)))
        for turn in await self._rows(query.order_by(turns.c.discussion, turns.c.index)):
            bodies[turn.discussion].append(turn.body)
        read: list[Transcript] = []
        parsed: dict[str, Comparison] = {}
        for row in rows:
            try:
                if row.comparison not in parsed:
                    parsed[row.comparison] = read_comparison(shown, row.comparison)
                transcript = build_transcript(
                    row.id,
                    condition=row.condition,
                    head=row.head,
                    comparison=parsed[row.comparison],
                    turns=bodies[row.number],
                )
                require_fitting(transcript)
            except DataError as cause:
                self._skip("discussion", row.id, cause)
            else:
                read.append(transcript)
        return read

    def _skip(self, kind: str, row_id: str, cause: DataError) -> None:
        if row_id in self.unreadable:
            return
        self.unreadable[row_id] = str(cause)
        _log.warning(
            f"a {kind} cannot be read and is skipped; `peerjudge doctor` names and repairs it",
            store=self._location.name,
            id=row_id,
            cause=str(cause),
        )


def read_comparison(bodies: Mapping[str, str], key: str) -> Comparison:
    """Return the comparison with this key; raises `DataError` if it is missing or unreadable."""
    if key not in bodies:
        msg = f"its comparison {key!r} is missing"
        raise DataError(msg)
    return from_json(Comparison, bodies[key])


def select_heads() -> Select[*tuple[Any, ...]]:
    """Return the query for the heads of all discussions, with the condition of the first run of each."""
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


def count_tokens(dialect: str) -> ColumnElement[int]:
    """Return the SQL for the tokens of a turn; 0 where its row cannot be read."""
    body = turns.c.body
    names = ("prompt_tokens", "completion_tokens")
    if dialect == "sqlite":
        values = [func.json_extract(body, f"$.data.utterance.usage.{name}") for name in names]
        return case((func.json_valid(body), values[0] + values[1]), else_=0)
    # A cast to JSONB fails on an unreadable row. In a text of a turn, quotes are escaped.
    counts = [
        sql_cast(func.substring(body, f'"{name}":(\\d{{1,9}})'), BigInteger) for name in names
    ]
    return func.coalesce(counts[0] + counts[1], 0)


def _pages(ids: Sequence[str]) -> Iterable[Sequence[str]]:
    return (ids[start : start + _PAGE] for start in range(0, len(ids), _PAGE))
