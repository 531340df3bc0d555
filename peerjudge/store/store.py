"""The store: the engine's journal, and the bookkeeping of resumed runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Container,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Executable, Row
from sqlalchemy.ext.asyncio import AsyncEngine

from peerjudge.data import Transcript, Turn, Writing, replace
from peerjudge.engine import comparison_key
from peerjudge.errors import StoreError
from peerjudge.store.archive import Archive, Status
from peerjudge.store.database import Claims, Location, locate, lock_file, lock_run, open_database
from peerjudge.store.rows import comparison_row, compile_statements, head_row, turn_row, writing_row
from peerjudge.store.writer import Row as Write, Writer

_REMEMBERED = 10_000
_CHUNK = 200
"""Number of discussions that are looked up at a time."""
_POLL = 0.5
"""Time between two looks at discussions that another run plays. [s]"""


class Store(Archive):
    """A store open for reading and writing; a `peerjudge.engine.Journal`.

    A write is durable when it returns, also against a loss of power (WAL with `synchronous=FULL`).
    All waiting writes share one transaction, so that costs little. After a failed write, every other
    write fails with the same `StoreError`: the run stops, and earlier writes are kept.
    """

    def __init__(self, engine: AsyncEngine, location: Location, writer: Writer) -> None:
        super().__init__(engine, location)
        self._writer = writer
        self._statements = compile_statements(engine.dialect)
        self._claims: Claims | None = None
        self._open: set[str] = set()
        # Discussions whose first rows are written, with the key of their comparison.
        self._begun: dict[str, str] = {}
        self._shown: set[str] = set()

    @classmethod
    @asynccontextmanager
    async def open(cls, place: str | Path) -> AsyncGenerator[Self]:
        """Open the store at a place, as `locate` takes it; create it where there is none.

        Raises:
            StoreError: another process writes to it, another version wrote it, it is not a store, or
                it cannot be written.
        """
        location = locate(place)
        async with AsyncExitStack() as stack:
            if location.file is not None:
                _make_folder(location.file.parent)
                stack.enter_context(lock_file(location.file))
            engine = await stack.enter_async_context(open_database(location, writable=True))
            writer = await stack.enter_async_context(Writer(engine, location).running())
            yield cls(engine, location, writer)

    @asynccontextmanager
    async def hold(self, run: str) -> AsyncGenerator[None]:
        """Keep other processes from playing this run, and its discussions, while the block lasts.

        Only a database server needs it: a file has one writer.

        Raises:
            StoreError: another process plays this run.
        """
        if self._location.file is not None:
            yield
            return
        async with lock_run(self._engine, self._location, run) as session:
            self._claims = Claims(session, self._location)
            try:
                yield
            finally:
                self._claims = None

    async def turn(self, transcript: Transcript, turn: Turn) -> None:
        """Write a turn durably. The first turn also writes the discussion."""
        rows = self._beginning(transcript)
        rows.append((self._statements["new_turn"], turn_row(transcript.id, turn)))
        await self._writer.write(rows)

    async def reread(self, transcript: Transcript, turn: Turn) -> None:
        """Replace a turn whose reply was reread, durably."""
        rows = self._beginning(transcript)
        rows.append((self._statements["reread_turn"], turn_row(transcript.id, turn)))
        await self._writer.write(rows)

    async def wait(self, transcript: Transcript) -> None:
        """Write a discussion that waits for a person before its first turn; a later one is there already."""
        if rows := self._beginning(transcript):
            await self._writer.write(rows)

    async def end(self, transcript: Transcript) -> None:
        """Write the end of a discussion durably."""
        rows = self._beginning(transcript)
        key = self._begun[transcript.id]
        rows.append((self._statements["head"], head_row(transcript, comparison=key)))
        await self._writer.write(rows)
        self._begun.pop(transcript.id, None)
        self._open.discard(transcript.id)

    def book(self, row: Mapping[str, object]) -> Awaitable[None]:
        """Write an open call or its outcome into the book; the row is durable when the result is awaited.

        The row has the columns of the table `calls`. It is also written if the result is not awaited.
        """
        return self._writer.write([(self._statements["call"], row)])

    async def keep(self, writing: Writing) -> None:
        """Write a text durably; a text with this key that is there already stays."""
        await self._writer.write([(self._statements["writing"], writing_row(writing))])

    async def record_run(self, run: str, manifest: Mapping[str, object]) -> None:
        """Write the manifest of a run. A second call replaces the manifest, but not the time."""
        created = datetime.now(UTC).isoformat(timespec="seconds")
        row = {"id": run, "created": created, "manifest": json.dumps(manifest, ensure_ascii=False)}
        await self._writer.write([(self._statements["run"], row)])

    async def list_chunks(self, heads: Iterable[Transcript]) -> AsyncIterator[Sequence[Transcript]]:
        """Yield planned discussions a few hundred at a time, to be enlisted before the next ones.

        Discussions that another run plays come last, as soon as it has ended them or stopped.
        """
        planned, elsewhere = iter(heads), list[Transcript]()
        while chunk := list(islice(planned, _CHUNK)):
            mine = await self._claim(chunk)
            elsewhere += [head for head in chunk if head.id not in mine]
            yield [head for head in chunk if head.id in mine]
        while elsewhere:
            chunk, elsewhere = elsewhere[:_CHUNK], elsewhere[_CHUNK:]
            mine = await self._claim(chunk)
            elsewhere += [head for head in chunk if head.id not in mine]
            if mine:
                yield [head for head in chunk if head.id in mine]
            else:
                await asyncio.sleep(_POLL)

    async def _claim(self, heads: Sequence[Transcript]) -> Container[str]:
        """Return the ids of the discussions that this process may play."""
        ids = {head.id for head in heads}
        if self._claims is None:
            return ids
        return await self._claims.claim(ids, keep=self._open)

    async def enlist(self, run: str, heads: Sequence[Transcript]) -> list[Transcript]:
        """Add planned discussions to a run, and return those that are not done.

        Partial and failed ones are returned with their stored turns; one that cannot be read is left
        out with a warning. A discussion that was returned before and has not ended is left out, so the
        same discussion under two conditions is played once. Meant for a few hundred at a time.
        """
        await self._writer.write(
            [(self._statements["member"], _member(run, head)) for head in heads]
        )
        statuses = await self.statuses(head.id for head in heads)
        to_play: list[Transcript] = []
        for head in heads:
            if statuses[head.id] is Status.DONE or head.id in self._open:
                continue
            self._open.add(head.id)
            if statuses[head.id] is Status.NEW:
                to_play.append(head)
            elif (kept := await self.transcript(head.id)) is not None:
                to_play.append(replace(kept, condition=head.condition))
        return to_play

    async def add(self, run: str, transcripts: Iterable[Transcript]) -> None:
        """Write whole discussions as those of a run, a few hundred at a time."""
        waiting = iter(transcripts)
        while chunk := list(islice(waiting, _CHUNK)):
            await self.enlist(run, chunk)
            await asyncio.gather(*map(self.end, chunk))

    def release(self, discussion: str) -> None:
        """Let `enlist` return a discussion again that it returned before and that was not played."""
        self._open.discard(discussion)
        self._begun.pop(discussion, None)

    def _beginning(self, transcript: Transcript) -> list[Write]:
        """Return the rows to be written before a turn: none after the discussion's first one."""
        if transcript.id in self._begun:
            return []
        statements = self._statements
        rows: list[Write] = []
        key = self._begun[transcript.id] = comparison_key(transcript.comparison)
        if key not in self._shown:
            if len(self._shown) >= _REMEMBERED:
                self._shown.clear()
            self._shown.add(key)
            rows.append((statements["comparison"], comparison_row(transcript.comparison, key=key)))
        rows.append((statements["head"], head_row(transcript, comparison=key)))
        rows += [
            (statements["old_turn"], turn_row(transcript.id, turn))
            for turn in (*transcript.turns, *transcript.ahead)
        ]
        return rows

    async def _rows(self, query: Executable) -> Sequence[Row[*tuple[Any, ...]]]:
        await self._writer.flush()
        return await super()._rows(query)


def _member(run: str, head: Transcript) -> dict[str, object]:
    return {
        "run": run,
        "condition": head.condition,
        "comparison_id": head.comparison.id,
        "discussion": head.id,
    }


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as cause:
        msg = f"cannot make the folder {folder}: {cause.strerror}; choose another with --out"
        raise StoreError(msg) from cause
