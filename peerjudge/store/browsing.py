"""Lists from an index of discussions: pages, counts by filter, search, and rows of a comparison."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from peerjudge.analysis.listing import KINDS, Against, Flag, Key, ListedDiscussion, Moved, State
from peerjudge.errors import StoreError
from peerjudge.store.index import SEGMENT

Sort = Literal["number", "turns", "tokens", "latency", "cost"]
Facet = Literal["condition", "reviewer", "state", "gold", "event", "move", "flag", "subset"]

SORTS: tuple[Sort, ...] = ("number", "turns", "tokens", "latency", "cost")
FACETS: tuple[Facet, ...] = (
    "condition", "reviewer", "gold", "event", "move", "flag", "state", "subset",
)  # fmt: skip

UNITS: Mapping[Sort, float] = {"turns": 1, "tokens": 1, "latency": 1e3, "cost": 1e6}
"""Units of a bound: turns, tokens, seconds and USD, in those of the index."""

STATES: Mapping[str, State] = {one.name.lower(): one for one in State}
GOLDS: Mapping[str, Against] = {
    "right": Against.RIGHT,
    "wrong": Against.WRONG,
    "undecided": Against.UNDECIDED,
    "none": Against.NO_GOLD,
}
MOVES: Mapping[str, Moved] = {one.name.lower(): one for one in Moved}
FLAGS: Mapping[str, Flag] = {
    "disagreed": Flag.DISAGREED,
    "unreadable": Flag.UNREADABLE,
}
EVENTS: Mapping[str, int] = {kind.value: 1 << place for place, kind in enumerate(KINDS)}

_WORD = re.compile(r'"([^"]+)"|(\S+)')
_LETTER = re.compile(r"\w")
_MOST_WORDS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Chosen discussions of a run. An empty field chooses all; all given ones must hold.

    `least` bounds numbers from below, by the name of a sort. `words` is a search: all words, or phrases in
    quotes, in the replies of a discussion, or in its question and answers.
    """

    condition: str = ""
    reviewer: str = ""
    state: str = ""
    gold: str = ""
    event: str = ""
    move: str = ""
    flag: str = ""
    subset: str = ""
    words: str = ""
    least: Mapping[Sort, int] = field(default_factory=dict[Sort, int])

    def get(self, facet: Facet) -> str:
        """Return the chosen value of a facet, empty for all."""
        return str(getattr(self, facet))


@dataclass(frozen=True, slots=True)
class Total:
    """Sums over the discussions of one condition."""

    condition: str
    state: State
    against: Against
    discussions: int
    turns: int
    tokens: int
    cost: int
    unpriced: int


Counts: TypeAlias = Mapping[Facet, Mapping[str, int]]
"""Number of discussions by value of each facet, under all other filters."""

_CubeRow: TypeAlias = tuple[str, list[str], int, int, int, int, int, str, int]
"""Condition, reviewers, state, conclusion, events, moves, marks, subset, and the number of discussions."""

_COLUMNS = (
    "r.number, r.condition, r.protocol, r.seating, r.subset, r.state, r.flags, r.kinds, r.moved, "
    "r.against, r.choice, r.shown, r.turns, r.tokens, r.latency, r.cost, p.id, p.moves, p.verdict, "
    "p.gold, p.failure, c.name, c.question"
)
_JOINED = "rows r JOIN previews p ON p.number = r.number JOIN comparisons c ON c.id = r.comparison"


class IndexReader:
    """Reader of an index, for any number of threads, while its writer writes.

    Every method raises `StoreError` if reading fails.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._local = threading.local()
        self._cubes: dict[tuple[object, ...], tuple[int, _Cube]] = {}

    def count(self) -> int:
        """Return the number of discussions in the index."""
        return self._fetch("SELECT count(*) FROM previews")[0][0]

    def page(
        self,
        run: str,
        chosen: Filter,
        *,
        sort: Sort = "number",
        after: Key | None = None,
        before: bool = False,
        limit: int = 100,
    ) -> list[ListedDiscussion]:
        """Return a page of the discussions that pass the filter.

        Args:
            run: The run.
            chosen: The filter.
            sort: The order: as begun, or from the most turns, tokens, time or cost.
            after: The row before the first one; `None` for the first page.
            before: Return the page that ends before that row, in reverse order.
            limit: The most rows.
        """
        where, values = self._where(run, chosen)
        if where is None:
            return []
        value = "r.number" if sort == "number" else f"-COALESCE(r.{sort}, 0)"
        direction, sign = ("DESC", "<") if before else ("ASC", ">")
        if after is not None:
            where += f" AND ({value}, r.number, r.condition) {sign} (?, ?, ?)"
            values = [*values, *after]
        order = f"{value} {direction}, r.number {direction}, r.condition {direction}"
        # The page is chosen among narrow rows; only its rows are joined.
        query = (
            f"SELECT {value}, {_COLUMNS} FROM (SELECT * FROM rows r WHERE {where} "
            f"ORDER BY {order} LIMIT ?) r JOIN previews p ON p.number = r.number "
            f"JOIN comparisons c ON c.id = r.comparison ORDER BY {order}"
        )
        return [self._listed(row) for row in self._fetch(query, (*values, limit))]

    def find(self, run: str, discussion: str) -> ListedDiscussion | None:
        """Return the row of a discussion; `None` if it is not in the index yet."""
        query = f"SELECT r.number, {_COLUMNS} FROM {_JOINED} WHERE r.run = ? AND p.id = ? LIMIT 1"
        rows = self._fetch(query, (self._find("run", run), discussion))
        return self._listed(rows[0]) if rows else None

    def list_twins(
        self, run: str, listed: ListedDiscussion, *, limit: int = 60
    ) -> list[ListedDiscussion]:
        """Return the other discussions of the same comparison in this run."""
        query = (
            f"SELECT r.number, {_COLUMNS} FROM {_JOINED} WHERE r.run = ? AND c.name = ? "
            "AND p.id <> ? ORDER BY r.condition, r.number LIMIT ?"
        )
        values = (self._find("run", run), listed.comparison, listed.id, limit)
        return [self._listed(row) for row in self._fetch(query, values)]

    def verdicts(self, run: str, condition: str) -> dict[str, list[tuple[int, int]]]:
        """Return the conclusions of a condition by comparison: answer chosen and its value against gold."""
        query = (
            "SELECT c.name, r.choice, r.against FROM rows r JOIN comparisons c ON c.id = r.comparison "
            "WHERE r.run = ? AND r.condition = ? AND r.state = ?"
        )
        values = (self._find("run", run), self._find("condition", condition), int(State.DONE))
        by_comparison: dict[str, list[tuple[int, int]]] = {}
        for name, choice, against in self._fetch(query, values):
            by_comparison.setdefault(name, []).append((choice, against))
        return by_comparison

    def of_comparison(self, run: str, condition: str, comparison: str) -> list[ListedDiscussion]:
        """Return the ended discussions of one comparison under a condition."""
        query = (
            f"SELECT r.number, {_COLUMNS} FROM {_JOINED} WHERE r.run = ? AND c.name = ? "
            "AND r.condition = ? AND r.state = ? ORDER BY r.number"
        )
        ids = (self._find("run", run), comparison, self._find("condition", condition))
        return [self._listed(row) for row in self._fetch(query, (*ids, int(State.DONE)))]

    def totals(self, run: str) -> list[Total]:
        """Return the sums of a run by condition, state and conclusion."""
        query = (
            "SELECT condition, state, against, count(*), sum(turns), sum(tokens), "
            "sum(COALESCE(cost, 0)), sum(cost IS NULL) FROM rows WHERE run = ? "
            "GROUP BY condition, state, against"
        )
        names = self._names("condition")
        return [
            Total(names[condition], State(state), Against(against), *sums)
            for condition, state, against, *sums in self._fetch(query, (self._find("run", run),))
        ]

    def failures(self, run: str) -> list[tuple[str, int]]:
        """Return the first words of the errors of failed discussions with their counts."""
        query = (
            "SELECT substr(p.failure, 1, instr(p.failure || ':', ':') - 1), count(*) FROM rows r JOIN "
            "previews p ON p.number = r.number WHERE r.run = ? AND r.state = ? GROUP BY 1 ORDER BY 2 DESC"
        )
        return [
            (row[0] or "rereading", row[1])
            for row in self._fetch(query, (self._find("run", run), int(State.FAILED)))
        ]

    def counts(self, run: str, chosen: Filter) -> tuple[int, Counts]:
        """Return how many discussions pass the filter, and the counts by facet."""
        cube = self._cube(run, chosen)
        return cube.count(chosen), cube.facets(chosen)

    def _cube(self, run: str, chosen: Filter) -> _Cube:
        """Return counts by all facets together, under the search and the bounds of a filter."""
        key = (run, chosen.words, *sorted(chosen.least.items()))
        stamp = int(self._fetch("SELECT value FROM meta WHERE name = 'changes'")[0][0])
        held = self._cubes.get(key)
        if held is not None and held[0] == stamp:
            return held[1]
        where, values = self._where(run, Filter(words=chosen.words, least=chosen.least))
        rows: list[_CubeRow] = []
        if where is not None:
            names = self._names("combo")
            query = f"SELECT r.combo, count(*) FROM rows r WHERE {where} GROUP BY r.combo"
            rows = [(*json.loads(names[id_]), n) for id_, n in self._fetch(query, tuple(values))]
        cube = _Cube(rows)
        if len(self._cubes) >= 32:
            self._cubes.clear()
        self._cubes[key] = (stamp, cube)
        return cube

    def _where(self, run: str, chosen: Filter) -> tuple[str | None, list[object]]:
        """Return the condition in SQL with its values; `None` if no discussion can pass."""
        parts: list[str] = ["r.run = ?"]
        values: list[object] = [self._find("run", run)]
        for column in ("condition", "subset"):
            if name := str(getattr(chosen, column)):
                parts.append(f"r.{column} = ?")
                values.append(self._find(column, name))
        if chosen.reviewer:
            parts.append(f"r.seating IN ({self._list_seatings(chosen.reviewer)})")
        for test, value in _list_tests(chosen):
            parts.append(test)
            values.append(value)
        for column, least in chosen.least.items():
            parts.append(f"r.{column} >= ?")
            values.append(least)
        if chosen.words:
            words = build_search(chosen.words)
            if words is None:
                return None, []
            parts.append(
                f"(r.number IN (SELECT rowid >> {SEGMENT} FROM said WHERE said MATCH ?) "
                "OR r.comparison IN (SELECT rowid FROM asked WHERE asked MATCH ?))"
            )
            values += [words, words]
        return " AND ".join(parts), values

    def _list_seatings(self, reviewer: str) -> str:
        ids = [
            id_
            for id_, name in self._names("seating").items()
            if any(seat[0] == reviewer for seat in json.loads(name))
        ]
        return ", ".join(map(str, ids)) or "NULL"

    def _listed(self, row: tuple[Any, ...]) -> ListedDiscussion:
        (
            value, number, condition, protocol, seating, subset, state, flags, kinds, moved, against, choice,
            order, turns, tokens, latency, cost, id_, moves, verdict, gold, failure, comparison, question,
        ) = row  # fmt: skip
        return ListedDiscussion(
            key=(value, number, condition),
            id=str(id_),
            condition=self._name(condition),
            question=str(question),
            comparison=str(comparison),
            protocol=self._name(protocol),
            seating=tuple(map(tuple, json.loads(self._name(seating)))),
            subset=self._name(subset),
            state=State(state),
            flags=Flag(flags),
            kinds=kinds,
            moved=moved,
            against=Against(against),
            choice=choice,
            order=order,
            turns=turns,
            tokens=tokens,
            latency=latency,
            cost=cost,
            moves=tuple(map(tuple, json.loads(str(moves)))),
            verdict=str(verdict),
            gold=str(gold),
            failure=str(failure),
        )

    def _find(self, kind: str, name: str) -> int:
        rows = self._fetch("SELECT id FROM names WHERE kind = ? AND name = ?", (kind, name))
        return rows[0][0] if rows else -1

    def _name(self, id_: int) -> str:
        return str(self._fetch("SELECT name FROM names WHERE id = ?", (id_,))[0][0])

    def _names(self, kind: str) -> dict[int, str]:
        return {
            id_: str(name)
            for id_, name in self._fetch("SELECT id, name FROM names WHERE kind = ?", (kind,))
        }

    def _fetch(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._connection().execute(query, values).fetchall()  # pyright: ignore[reportArgumentType]
        except sqlite3.Error as cause:
            msg = f"the index of discussions {self._file} cannot be read: {cause}; start the viewer again"
            raise StoreError(msg) from cause

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(f"{self._file.as_uri()}?mode=ro", uri=True, timeout=30)
            connection.execute("PRAGMA query_only=ON")
            self._local.connection = connection
        return connection


def _list_tests(chosen: Filter) -> list[tuple[str, int]]:
    """Return the tests of the narrow columns; an unknown name passes nothing."""
    equal = (("state", STATES, chosen.state), ("against", GOLDS, chosen.gold))
    among = (
        ("kinds", EVENTS, chosen.event),
        ("moved", MOVES, chosen.move),
        ("flags", FLAGS, chosen.flag),
    )
    return [
        *((f"r.{column} = ?", int(names.get(name, -1))) for column, names, name in equal if name),
        *((f"r.{column} & ?", int(bits.get(name, 0))) for column, bits, name in among if name),
    ]


def build_search(text: str) -> str | None:
    """Return a search as FTS5 takes it: every word or phrase in quotes, the last word as a beginning.

    `None` if there is no word in it. Syntax of FTS5 in the text has no effect.
    """
    parts = [match[1] or match[2] for match in _WORD.finditer(text.replace("\x00", " "))]
    words = [part for part in parts if _LETTER.search(part)][:_MOST_WORDS]
    if not words:
        return None
    quoted = ['"' + word.replace('"', "") + '"' for word in words]
    is_phrase = text.rstrip().endswith('"')
    return " ".join(quoted) + ("" if is_phrase else "*")


class _Cube:
    """Number of discussions by all facets together, from which the counts of each follow."""

    def __init__(self, rows: Sequence[_CubeRow]) -> None:
        self._rows = rows
        states = {int(value): name for name, value in STATES.items()}
        golds = {int(value): name for name, value in GOLDS.items()}
        self._values: Mapping[Facet, Callable[[_CubeRow], Sequence[str]]] = {
            "condition": lambda row: (row[0],),
            "reviewer": lambda row: row[1],
            "state": lambda row: (states[row[2]],),
            "gold": lambda row: (golds[row[3]],) if row[3] in golds else (),
            "event": lambda row: [name for name, bit in EVENTS.items() if row[4] & bit],
            "move": lambda row: [name for name, bit in MOVES.items() if row[5] & bit],
            "flag": lambda row: [name for name, bit in FLAGS.items() if row[6] & bit],
            "subset": lambda row: (row[7],) if row[7] else (),
        }

    def count(self, chosen: Filter) -> int:
        """Return how many discussions pass."""
        return sum(row[-1] for row in self._rows if not self._misses(row, chosen))

    def facets(self, chosen: Filter) -> Counts:
        """Return the counts of each facet under the filters of all others."""
        by_facet: dict[Facet, dict[str, int]] = {facet: {} for facet in FACETS}
        for row in self._rows:
            misses = self._misses(row, chosen)
            if len(misses) > 1:
                continue
            for facet in misses or FACETS:
                counts = by_facet[facet]
                for value in self._values[facet](row):
                    counts[value] = counts.get(value, 0) + row[-1]
        return by_facet

    def _misses(self, row: _CubeRow, chosen: Filter) -> list[Facet]:
        """Return the facets whose filter keeps this row out; two are enough to know."""
        facets: list[Facet] = []
        for facet in FACETS:
            wanted = chosen.get(facet)
            if wanted and wanted not in self._values[facet](row):
                facets.append(facet)
                if len(facets) > 1:
                    break
        return facets
