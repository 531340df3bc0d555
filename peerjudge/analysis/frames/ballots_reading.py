"""Ballots from a frame: of `build_ballots_frame`, of some of its rows, or of your own table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.assembling import ComparisonTable, Vocabulary, build_ballots
from peerjudge.analysis.ballots import (
    DISCUSSION_COUNTS,
    ROLES,
    Ballots,
    Discussions,
    Numbers,
    SeatKey,
    no_discussions,
)
from peerjudge.analysis.frames.ballots import CODED, FLAGS, KINDS, OUTCOMES, PLAIN, VERDICTS
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
    reviewers = rows.vocabulary("reviewer")
    aspects, panels = Vocabulary[str](), Vocabulary[tuple[str, ...]]()
    opponents = rows.column("opponents")
    ballots = build_ballots(
        {
            "discussion": discussion,
            "comparison": numbers,
            "reviewer": rows.encode("reviewer", _number(reviewers)),
            "order": list(map(table.order, numbers, rows.column("shown"))),
            **{name: rows.column(name, default=missing) for name, missing in PLAIN.items()},
            **{
                name: _encode(table, numbers, rows.column(name), missing)
                for name, missing in VERDICTS.items()
            },
            **{
                name: rows.encode(name, _number(names), missing)
                for name, (names, missing) in CODED.items()
            },
            **_read_probabilities(rows),
            "aspect": rows.encode("aspect", aspects),
            "opponents": [-1 if one is None else panels[tuple(one)] for one in opponents],
        },
        size=len(frame),
        name="ballots",
        simulated=any(rows.column("simulated", default=False)),
        simulated_reviewers=rows.list_marked("simulated"),
        humans=rows.list_marked("human"),
        reviewers=reviewers,
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

    def encode(self, name: str, codes: Mapping[Any, int], missing: int = -1) -> list[int]:
        """Return the codes of the cells of a column."""
        return [missing if one is None else codes[one] for one in self.column(name)]

    def list_marked(self, name: str) -> list[str]:
        """Return the reviewers of the rows in which this column is true."""
        marks = zip(self.column("reviewer"), self.column(name, default=False), strict=True)
        return list(dict.fromkeys(one for one, marked in marks if marked and one))

    def select(self, places: npt.NDArray[np.intp]) -> _Rows:
        """Return these rows."""
        return _Rows(self._frame.iloc[places])

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
    """Return the facts of the discussions, each in its first row, and the discussion of every row."""
    ids = Vocabulary[str]()
    discussion = rows.encode("discussion", ids)
    if not ids:
        return no_discussions(), discussion
    codes, places = np.unique(discussion, return_index=True)
    first = rows.select(places[codes >= 0])
    conditions = rows.vocabulary("condition") or [""]
    kinds = {name: Vocabulary[Any]() for name in KINDS}
    seatings = Vocabulary[tuple[SeatKey, ...]]()
    numbers = [table.find(one, "") for one in first.comparison]
    shown = zip(first.column("first_shown"), first.column("shown"), strict=True)
    whole = {
        "condition": first.encode("condition", _number(conditions), 0),
        **{
            name: [kinds[name][one] for one in first.column(name, default=missing)]
            for name, missing in KINDS.items()
        },
        "seating": [
            seatings[tuple((name, ROLES[ROLES.index(role)], heat) for name, role, heat in seats)]
            for seats in first.column("seats", default=())
        ],
        "comparison": numbers,
        "order": list(
            map(table.order, numbers, [own if one is None else one for one, own in shown])
        ),
        **{name: first.column(name, default=0) for name in DISCUSSION_COUNTS},
    }
    simulated = np.array(rows.column("simulated", default=False), dtype=np.bool_)
    flags = {
        **{name: first.column(name, default=missing) for name, missing in FLAGS.items()},
        "simulated": np.isin(np.arange(len(ids)), np.array(discussion)[simulated]),
    }
    columns: dict[str, Any] = {
        **{f"{name}s": tuple(known) for name, known in kinds.items()},
        **{name: np.array(values, dtype=np.int32) for name, values in whole.items()},
        **{name: np.array(values, dtype=np.bool_) for name, values in flags.items()},
    }
    discussions = Discussions(
        ids=tuple(ids), conditions=tuple(conditions), seatings=tuple(seatings), **columns
    )
    return discussions, discussion


def _number(names: Sequence[str]) -> dict[str, int]:
    return {name: code for code, name in enumerate(names)}


def _read_probabilities(rows: _Rows) -> dict[str, object]:
    cells = rows.column("probabilities")
    if all(one is None for one in cells):
        return {}
    table = np.full((len(cells), MAX_ANSWERS), np.nan, dtype=np.float32)
    for row, one in enumerate(cells):
        if one is not None:
            table[row, : len(one)] = one
    return {"probabilities": table}


def _encode(
    table: ComparisonTable, numbers: Sequence[int], verdicts: Sequence[str | None], missing: int
) -> list[int]:
    return [
        missing if name is None else table.code(n, _verdict(name, table.comparisons[n].shown))
        for n, name in zip(numbers, verdicts, strict=True)
    ]


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
