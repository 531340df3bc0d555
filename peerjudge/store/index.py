"""Index of the discussions of a store: a disposable SQLite file for lists, filters and search.

The store itself stays as it is. The index is filled in the order in which discussions began, so that
its beginning is of use at once, and follows a running experiment.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from peerjudge.analysis.listing import ListedDiscussion, list_discussion
from peerjudge.analysis.pricing import Prices
from peerjudge.data import Transcript
from peerjudge.errors import StoreError
from peerjudge.store.database import lock_file
from peerjudge.store.numbered import Membership, NumberedArchive

VERSION = 2
"""Number of the tables and of the values in them. A change of either needs the next number."""

_BATCH = 200
"""Discussions that are read at a time."""
SEGMENT = 10
"""Bits of a row of searched texts that hold its first turn; the others hold the discussion."""

_TABLES = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE names (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (kind, name));
CREATE TABLE comparisons (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, question TEXT NOT NULL);
CREATE TABLE rows (
    run INTEGER NOT NULL, number INTEGER NOT NULL, condition INTEGER NOT NULL,
    comparison INTEGER NOT NULL, protocol INTEGER NOT NULL, seating INTEGER NOT NULL,
    subset INTEGER NOT NULL, state INTEGER NOT NULL, flags INTEGER NOT NULL, kinds INTEGER NOT NULL,
    moved INTEGER NOT NULL, against INTEGER NOT NULL, choice INTEGER NOT NULL, shown INTEGER NOT NULL,
    turns INTEGER NOT NULL, tokens INTEGER NOT NULL, latency INTEGER NOT NULL, cost INTEGER,
    combo INTEGER NOT NULL,
    PRIMARY KEY (run, number, condition)) WITHOUT ROWID;
CREATE INDEX rows_by_comparison ON rows (run, comparison);
CREATE INDEX rows_by_combo ON rows (run, combo);
CREATE TABLE previews (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, stop TEXT, turns INTEGER NOT NULL,
    moves TEXT NOT NULL, verdict TEXT NOT NULL, gold TEXT NOT NULL, failure TEXT NOT NULL);
CREATE INDEX unfinished ON previews (number) WHERE stop IS NOT 'complete';
CREATE VIRTUAL TABLE said USING fts5 (
    text, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE asked USING fts5 (
    text, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2');
INSERT INTO meta VALUES ('version', '{VERSION}'), ('last', '0'), ('members', '-1'), ('changes', '0');
"""


class IndexWriter:
    """The one writer of an index. Use it in the thread that opened it."""

    def __init__(self, connection: sqlite3.Connection, file: Path, stack: ExitStack) -> None:
        self.file = file
        self._db = connection
        self._stack = stack
        self._names: dict[tuple[str, str], int] = {}
        self._comparisons: dict[str, int] = {}

    @classmethod
    def open(cls, folder: Path, place: str) -> Self:
        """Open the index of the store at a place, empty where there is none of this version.

        Another process that keeps the same index has its lock: this one then fills an index of its own
        in a temporary folder.
        """
        with ExitStack() as stack:
            name = sha256(f"{VERSION} {place}".encode()).hexdigest()[:24]
            file = folder / f"{name}.db"
            try:
                folder.mkdir(parents=True, exist_ok=True)
                stack.enter_context(lock_file(file))
                connection = _open_file(file)
            except (OSError, StoreError, sqlite3.Error):
                file = Path(stack.enter_context(TemporaryDirectory())) / "index.db"
                connection = _open_file(file)
            stack.enter_context(closing(connection))
            return cls(connection, file, stack.pop_all())

    def close(self) -> None:
        """Close the file and release its lock."""
        self._stack.close()

    async def refresh(self, store: NumberedArchive, prices: Mapping[str, Prices]) -> bool:
        """Read the next discussions, or those that went on; return whether there was something to do.

        `prices` are by run. Raises `StoreError` if the store cannot be read, or the index not written.
        """
        try:
            return await self._refresh(store, prices)
        except sqlite3.Error as cause:
            msg = f"the index {self.file} cannot be written: {cause}; make room, or delete it"
            raise StoreError(msg) from cause

    async def _refresh(self, store: NumberedArchive, prices: Mapping[str, Prices]) -> bool:
        last = int(self._meta("last"))
        if last == 0 or not await self._fits(store):
            self._clear()
            last = 0
        states = await store.states_above(last, limit=_BATCH)
        if states:
            numbers = [state.number for state in states]
            await self._read(store, numbers, prices, {state.number: state.stop for state in states})
            self._set("last", str(numbers[-1]))
            self._commit()
            return True
        changed = await self._find_changed(store, last)
        for start in range(0, len(changed), _BATCH):
            page = dict(changed[start : start + _BATCH])
            await self._read(store, list(page), prices, page)
            self._commit()
        listed = await self._list_members(store, last, prices)
        return bool(changed) or listed

    async def _fits(self, store: NumberedArchive) -> bool:
        """Return whether the index is of this store: a deleted store may have left its name to another."""
        row = self._db.execute("SELECT number, id FROM previews ORDER BY number LIMIT 1").fetchone()
        if row is None:
            return True
        return [state.id for state in await store.states_of([row[0]])] == [row[1]]

    async def _find_changed(
        self, store: NumberedArchive, last: int
    ) -> list[tuple[int, str | None]]:
        """Return number and stop of the discussions that have gone on since they were read."""
        known: dict[int, tuple[str | None, int]] = {
            number: (stop, turns)
            for number, stop, turns in self._db.execute(
                "SELECT number, stop, turns FROM previews WHERE stop IS NOT 'complete'"
            )
        }
        states = await store.states_of(known)
        if not store.is_file:
            # A database server may commit a lower number after a higher one.
            recent = await store.states_above(last - 1000, limit=1000)
            held = {
                row[0]
                for row in self._db.execute(
                    "SELECT number FROM previews WHERE number > ?", (last - 1000,)
                )
            }
            states += [state for state in recent if state.number not in held]
        return [
            (state.number, state.stop)
            for state in states
            if known.get(state.number) != (state.stop, state.turns)
        ]

    async def _list_members(
        self, store: NumberedArchive, last: int, prices: Mapping[str, Prices]
    ) -> bool:
        """Add discussions that a later run lists too; return whether there were some."""
        count = await store.count_members()
        if count == int(self._meta("members")):
            return False
        added = False
        first = 1
        while first <= last:
            wanted = await store.memberships(first=first, last=first + 5 * _BATCH - 1)
            missing = self._without_rows(wanted, first, first + 5 * _BATCH - 1)
            for start in range(0, len(missing), _BATCH):
                some = missing[start : start + _BATCH]
                read = await store.read_numbers(sorted({each.number for each in some}))
                self._write_rows(read, some, prices)
                added = True
            first += 5 * _BATCH
        self._set("members", str(count))
        self._commit()
        return added

    def _without_rows(
        self, wanted: Iterable[Membership], first: int, last: int
    ) -> list[Membership]:
        names = {(kind, id_): name for id_, kind, name in self._db.execute("SELECT * FROM names")}
        held = {
            (names["run", run], names["condition", condition], number)
            for run, condition, number in self._db.execute(
                "SELECT run, condition, number FROM rows WHERE number BETWEEN ? AND ?",
                (first, last),
            )
        }
        known = {
            row[0]
            for row in self._db.execute(
                "SELECT number FROM previews WHERE number BETWEEN ? AND ?", (first, last)
            )
        }
        return [
            member
            for member in wanted
            if member.number in known and (member.run, member.condition, member.number) not in held
        ]

    async def _read(
        self,
        store: NumberedArchive,
        numbers: Sequence[int],
        prices: Mapping[str, Prices],
        stops: Mapping[int, str | None],
    ) -> None:
        transcripts = await store.read_numbers(numbers)
        listed = await store.memberships(first=min(numbers), last=max(numbers))
        wanted = [member for member in listed if member.number in transcripts]
        rows = self._write_rows(transcripts, wanted, prices)
        for number, transcript in transcripts.items():
            row = rows.get(number) or list_discussion(transcript, {})
            self._write_texts(number, transcript)
            preview = (number, row.id, stops.get(number), row.turns, json.dumps(row.moves))
            self._db.execute(
                "INSERT OR REPLACE INTO previews VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*preview, row.verdict, row.gold, row.failure),
            )

    def _write_rows(
        self,
        transcripts: Mapping[int, Transcript],
        listed: Iterable[Membership],
        prices: Mapping[str, Prices],
    ) -> dict[int, ListedDiscussion]:
        discussions: dict[tuple[str, int], ListedDiscussion] = {}
        for member in listed:
            if member.number not in transcripts:
                continue
            key = (member.run, member.number)
            if key not in discussions:
                discussions[key] = list_discussion(
                    transcripts[member.number], prices.get(member.run, {})
                )
            row = discussions[key]
            comparison = self._name_comparison(row, transcripts[member.number])
            self._db.execute(
                f"INSERT OR REPLACE INTO rows VALUES ({', '.join('?' * 19)})",
                (
                    self._name("run", member.run),
                    member.number,
                    self._name("condition", member.condition),
                    comparison,
                    self._name("protocol", row.protocol),
                    self._name("seating", json.dumps(row.seating)),
                    self._name("subset", row.subset),
                    int(row.state),
                    row.flags,
                    row.kinds,
                    row.moved,
                    int(row.against),
                    row.choice,
                    row.order,
                    row.turns,
                    row.tokens,
                    row.latency,
                    row.cost,
                    self._name_combo(row, member.condition),
                ),
            )
        return {number: row for (_, number), row in discussions.items()}

    def _write_texts(self, number: int, transcript: Transcript) -> None:
        """Add the words of the turns that are not in the index yet."""
        row = self._db.execute("SELECT turns FROM previews WHERE number = ?", (number,)).fetchone()
        begun = 0 if row is None else int(row[0])
        texts = [turn.utterance.text for turn in transcript.turns[begun:]]
        if texts:
            place = (number << SEGMENT) + begun
            self._db.execute("INSERT INTO said (rowid, text) VALUES (?, ?)", (place, _join(texts)))

    def _name(self, kind: str, name: str) -> int:
        key = (kind, name)
        if key not in self._names:
            self._db.execute("INSERT OR IGNORE INTO names (kind, name) VALUES (?, ?)", key)
            query = "SELECT id FROM names WHERE kind = ? AND name = ?"
            self._names[key] = self._db.execute(query, key).fetchone()[0]
        return self._names[key]

    def _name_combo(self, row: ListedDiscussion, condition: str) -> int:
        """Return the number of the values by which discussions are counted, all together."""
        reviewers = sorted({reviewer for reviewer, _, _ in row.seating})
        values = [int(row.state), int(row.against), row.kinds, row.moved, row.flags]
        return self._name("combo", json.dumps([condition, reviewers, *values, row.subset]))

    def _name_comparison(self, row: ListedDiscussion, transcript: Transcript) -> int:
        if row.comparison not in self._comparisons:
            insert = "INSERT OR IGNORE INTO comparisons (name, question) VALUES (?, ?)"
            added = self._db.execute(insert, (row.comparison, row.question)).rowcount
            query = "SELECT id FROM comparisons WHERE name = ?"
            id_ = self._db.execute(query, (row.comparison,)).fetchone()[0]
            if added:
                asked = transcript.comparison
                texts = [asked.question.text, *(answer.text for answer in asked.answers)]
                self._db.execute(
                    "INSERT INTO asked (rowid, text) VALUES (?, ?)", (id_, _join(texts))
                )
            self._comparisons[row.comparison] = id_
        return self._comparisons[row.comparison]

    def _meta(self, name: str) -> str:
        return self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()[0]

    def _set(self, name: str, value: str) -> None:
        self._db.execute("UPDATE meta SET value = ? WHERE name = ?", (value, name))

    def _clear(self) -> None:
        self._names.clear()
        self._comparisons.clear()
        for table in ("names", "comparisons", "rows", "previews"):
            self._db.execute(f"DELETE FROM {table}")
        for table in ("said", "asked"):
            self._db.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
        self._set("last", "0")
        self._set("members", "-1")
        self._commit()

    def _commit(self) -> None:
        # Readers keep counts until this number changes.
        self._db.execute("UPDATE meta SET value = value + 1 WHERE name = 'changes'")
        self._db.commit()


def _join(texts: Iterable[str]) -> str:
    # A lone surrogate has no UTF-8 form.
    return "\n".join(texts).encode("utf-8", errors="replace").decode("utf-8")


def _open_file(file: Path) -> sqlite3.Connection:
    """Open the index for writing; a file that is damaged or of another version is made anew."""
    connection = sqlite3.connect(file, timeout=30)
    try:
        row = connection.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
        is_own = row is not None and row[0] == str(VERSION)
    except sqlite3.Error:
        is_own = False
    if not is_own:
        connection.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{file}{suffix}").unlink(missing_ok=True)
        connection = sqlite3.connect(file, timeout=30)
        connection.executescript(_TABLES)
    connection.execute("PRAGMA journal_mode=WAL")
    # The index can be made again: it need not survive a loss of power.
    connection.execute("PRAGMA synchronous=OFF")
    return connection
