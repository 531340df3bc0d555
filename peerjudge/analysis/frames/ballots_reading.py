"""Ballots from a frame: of `build_ballots_frame`, of some of its rows, or of your own table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from peerjudge.analysis.assembling import ComparisonTable, Vocabulary, build_ballots
from peerjudge.analysis.ballots import (
    DIRECTIONS,
    EVENTS,
    NONE,
    ROLES,
    UNREADABLE,
    Ballots,
    Discussions,
    Numbers,
    SeatKey,
    Stage,
    no_discussions,
)
from peerjudge.analysis.frames.ballots import FACTS, MOVES, OUTCOMES
from peerjudge.analysis.left_out import leave_out_own_votes
from peerjudge.analysis.styles import MARKDOWN
from peerjudge.data import MAX_ANSWERS, Answer, Comparison, Outcome, Question, Verdict
from peerjudge.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

_REQUIRED = ("question", "reviewer", "shown", "verdict")


def read_ballots_frame(frame: pd.DataFrame) -> Ballots:
    """Return the ballots of a frame: of `build_ballots_frame`, of some of its rows, or of your own.

    Needed are `question`, `reviewer`, `shown` (the ids of the answers in the order in which the reviewer
    saw them) and `verdict` (the id of an answer, `tie`, or another outcome). All other columns have
    defaults: a comparison is its question, and the author of an answer its id.

    Raises:
        DataError: a column that is needed is missing, or a row contradicts another one.
    """
    missing = [name for name in _REQUIRED if name not in frame.columns]
    if missing:
        msg = f"a frame of ballots needs the columns {', '.join(_REQUIRED)}; it has no {', '.join(missing)}"
        raise DataError(msg)
    rows = _Rows(frame)
    table = ComparisonTable(keep_texts=True, own_order=not any(rows.column("discussion")))
    comparisons = rows.list_comparisons()
    for comparison, _, _ in comparisons.values():
        table.number(comparison)
    discussions, discussion = _read_discussions(rows, table)
    numbers = [table.find(one, "") for one in rows.comparison]
    reviewers = rows.number("reviewer", rows.vocabulary("reviewer"))
    aspects, panels = Vocabulary[str](), Vocabulary[tuple[str, ...]]()
    stages = {one.name.lower(): int(one) for one in Stage}
    events = {one.value: code for code, one in enumerate(EVENTS)}
    moves = {one.value: code for code, one in enumerate(DIRECTIONS)}

    def code(name: str, default: int) -> list[int]:
        return [
            default if verdict is None else _encode(table, number, verdict)
            for number, verdict in zip(numbers, rows.column(name), strict=True)
        ]

    def place(name: str, codes: Mapping[str, int], default: int = -1) -> list[int]:
        return [default if one is None else codes[one] for one in rows.column(name)]

    def list_marked(name: str) -> list[str]:
        marks = zip(rows.column("reviewer"), rows.column(name, default=False), strict=True)
        return list(dict.fromkeys(one for one, marked in marks if marked and one))

    ballots = build_ballots(
        {
            "discussion": discussion,
            "comparison": numbers,
            "reviewer": reviewers,
            "order": [
                table.order(number, shown)
                for number, shown in zip(numbers, rows.column("shown"), strict=True)
            ],
            "verdict": code("verdict", UNREADABLE),
            **_read_probabilities(rows),
            **{
                name: [nan if one is None else one for one in rows.column(name)]
                for name in ("rating", "usd")
            },
            "aspect": [-1 if one is None else aspects[one] for one in rows.column("aspect")],
            "stage": place("stage", stages, int(Stage.RECORDED)),
            "opening": rows.column("opening", default=True),
            "closing": rows.column("closing", default=True),
            **{name: rows.column(name, default=-1) for name in ("seat", "turn")},
            "round": rows.column("round", default=0),
            "event": place("event", events),
            "before": code("before", NONE),
            "others": code("others", NONE),
            "opponents": [
                -1 if one is None else panels[tuple(one)] for one in rows.column("opponents")
            ],
            **{name: place(name, moves) for name in MOVES},
        },
        size=len(frame),
        name="ballots",
        simulated=any(rows.column("simulated", default=False)),
        simulated_reviewers=list_marked("simulated"),
        humans=list_marked("human"),
        reviewers=rows.vocabulary("reviewer"),
        aspects=aspects,
        panels=panels,
        table=table,
        discussions=discussions,
    )
    named = zip(rows.column("reviewer"), rows.column("contestant"), strict=True)
    return replace(
        leave_out_own_votes(ballots),
        contestant_of={reviewer: own for reviewer, own in named if reviewer and own},
        lengths=_fill([lengths for _, lengths, _ in comparisons.values()], ballots.lengths),
        markdown=_fill([marks for _, _, marks in comparisons.values()], ballots.markdown),
    )


class _Rows:
    """The cells of a frame by column; missing ones are `None`."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = cast("Any", frame)
        self._held: dict[str, list[Any]] = {}
        named = self.column("comparison")
        self.comparison: list[str] = [
            question if name is None else name
            for name, question in zip(named, self.column("question"), strict=True)
        ]

    def column(self, name: str, *, default: object = None) -> list[Any]:
        """Return the cells of a column, with the default for missing ones."""
        return [default if cell is None else cell for cell in self._read(name)]

    def _read(self, name: str) -> list[Any]:
        if name not in self._held:
            if name in self._frame.columns:
                cells = self._frame[name].astype(object).tolist()
                self._held[name] = [
                    None if isinstance(cell, float) and isnan(cell) else cell for cell in cells
                ]
            else:
                self._held[name] = [None] * len(self._frame)
        return self._held[name]

    def vocabulary(self, name: str) -> list[str]:
        """Return the names of a column in the order of its categories, else of appearance."""
        column = self._frame[name] if name in self._frame.columns else None
        if column is not None and hasattr(column, "cat"):
            return [str(category) for category in column.cat.categories]
        return list(dict.fromkeys(one for one in self.column(name) if one is not None))

    def number(self, name: str, vocabulary: Sequence[str]) -> list[int]:
        """Return the codes of the names of a column; -1 for missing ones."""
        codes = {one: code for code, one in enumerate(vocabulary)}
        return [-1 if one is None else codes[one] for one in self.column(name)]

    def list_comparisons(self) -> dict[str, tuple[Comparison, Sequence[Any], Sequence[Any]]]:
        """Return each comparison with the lengths and markdown of its answers, in the source's order."""
        first: dict[str, int] = {}
        for row, name in enumerate(self.comparison):
            first.setdefault(name, row)
        if "comparison" in self._frame.columns:
            ranked = {name: k for k, name in enumerate(self.vocabulary("comparison"))}
            first = dict(sorted(first.items(), key=lambda item: ranked.get(item[0], len(ranked))))
        return {name: self._read_comparison(name, row) for name, row in first.items()}

    def _read_comparison(
        self, name: str, row: int
    ) -> tuple[Comparison, Sequence[Any], Sequence[Any]]:
        def cell(column: str, default: object) -> Any:  # noqa: ANN401  a cell of any column
            found = self._read(column)[row]
            return default if found is None else found

        ids = tuple(cell("answers", tuple(sorted(self._read("shown")[row]))))
        gold = cell("gold", None)
        comparison = Comparison(
            id=str(name),
            question=Question(id=str(cell("question", "")), text="", category=cell("category", "")),
            answers=tuple(
                Answer(id=one, text="", author=author)
                for one, author in zip(ids, cell("authors", ids), strict=True)
            ),
            gold=None if gold is None else _verdict(gold, ids),
            subset=cell("subset", ""),
            meta=cell("meta", {}),
        )
        lengths = cell("lengths", (0,) * len(ids))
        return comparison, lengths, cell("markdown", ((0,) * len(MARKDOWN),) * len(ids))


def _read_discussions(rows: _Rows, table: ComparisonTable) -> tuple[Discussions, list[int]]:
    """Return the facts of the discussions, and the number of the discussion of every row."""
    ids = Vocabulary[str]()
    discussion = [-1 if one is None else ids[one] for one in rows.column("discussion")]
    if not ids:
        return no_discussions(), discussion
    rows_of: dict[int, int] = {}
    for row, number in enumerate(discussion):
        rows_of.setdefault(number, row)
    first = [rows_of[number] for number in range(len(ids))]
    conditions = rows.vocabulary("condition") or [""]
    protocols, controls = Vocabulary[str](), Vocabulary[Any]()
    settings, seatings = Vocabulary[str](), Vocabulary[tuple[SeatKey, ...]]()

    def cells(name: str, default: object) -> list[Any]:
        discussions = rows.column(name, default=default)
        return [discussions[row] for row in first]

    numbers = [table.find(rows.comparison[row], "") for row in first]
    shown = rows.column("shown")
    orders = [
        table.order(number, shown[row] if one is None else one)
        for number, row, one in zip(numbers, first, cells("first_shown", None), strict=True)
    ]
    whole = {
        "condition": [conditions.index(one) for one in cells("condition", conditions[0])],
        "protocol": [protocols[one] for one in cells("protocol", "")],
        "seating": [
            seatings[tuple((name, ROLES[ROLES.index(role)], heat) for name, role, heat in seats)]
            for seats in cells("seats", ())
        ],
        "control": [controls[one] for one in cells("control", "none")],
        "setting": [settings[one] for one in cells("setting", "")],
        "comparison": numbers,
        "order": orders,
        **{name: cells(name, 0) for name in FACTS},
    }
    flags = {"complete": True, "failed": False, "one_order": False}
    marked = zip(discussion, rows.column("simulated", default=False), strict=True)
    simulated = {number for number, mark in marked if mark}
    columns: dict[str, Any] = {
        **{name: np.array(values, dtype=np.int32) for name, values in whole.items()},
        **{name: np.array(cells(name, one), dtype=np.bool_) for name, one in flags.items()},
        "simulated": np.array([number in simulated for number in range(len(ids))], dtype=np.bool_),
    }
    discussions = Discussions(
        ids=tuple(ids),
        conditions=tuple(conditions),
        protocols=tuple(protocols),
        seatings=tuple(seatings),
        controls=tuple(controls),
        settings=tuple(settings),
        **columns,
    )
    return discussions, discussion


def _read_probabilities(rows: _Rows) -> dict[str, object]:
    cells = rows.column("probabilities")
    if all(one is None for one in cells):
        return {}
    table = np.full((len(cells), MAX_ANSWERS), np.nan, dtype=np.float32)
    for row, one in enumerate(cells):
        if one is not None:
            table[row, : len(one)] = one
    return {"probabilities": table}


def _encode(table: ComparisonTable, number: int, verdict: str) -> int:
    return table.code(number, _verdict(verdict, table.comparisons[number].shown))


def _verdict(name: str, answers: Sequence[str]) -> Verdict:
    """Return the verdict of this name: the id of an answer, or an outcome."""
    if name in answers:
        return Verdict.of(name)
    if name not in OUTCOMES.values():
        others = ", ".join([*answers, *OUTCOMES.values()])
        msg = f"the verdict {name!r} is none of {others}"
        raise DataError(msg)
    return Verdict(Outcome(name))


def _fill(rows: Sequence[Sequence[Any]], blank: Numbers) -> Numbers:
    filled = blank.copy()
    for number, row in enumerate(rows):
        filled[number, : len(row)] = np.array(row, dtype=np.int32)
    return filled
