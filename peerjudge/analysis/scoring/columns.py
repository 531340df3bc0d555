"""Lays judgements and gold out as columns, so that hundreds of cells are counted at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.scoring.nouns import GoldRow, Judge, Judgement
from peerjudge.data import Comparison, Outcome, Verdict

__all__ = ["OUTCOMES", "Ints", "Marks", "Pairs", "Read", "Verdicts", "lay_out"]

OUTCOMES = tuple(Outcome)
"""The kinds of verdict by their code in `Verdicts.outcome`."""

Ints: TypeAlias = npt.NDArray[np.int64]
Marks: TypeAlias = npt.NDArray[np.bool_]
Read: TypeAlias = Callable[[Judgement], Verdict | None]

_Said: TypeAlias = dict[tuple[int, str, Hashable], dict[tuple[str, ...], Verdict]]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """One entry per verdict and gold row of its comparison; `given` marks the source's own order."""

    judge: Ints
    row: Ints
    outcome: Ints
    right: Marks
    given: Marks


@dataclass(frozen=True, slots=True)
class Pairs:
    """One entry per judgement made in more than one order and gold row; `item` numbers the judgement.

    `right`, `same` and `readable` say so of all orders.
    """

    judge: Ints
    row: Ints
    item: Ints
    right: Marks
    same: Marks
    readable: Marks


def lay_out(
    judgements: Sequence[Judgement],
    read: Read,
    *,
    judges: Mapping[Judge, int],
    comparisons: Mapping[str, Comparison],
    rows: Sequence[GoldRow],
) -> tuple[Verdicts, Pairs]:
    """The columns; judgements that `read` gives no verdict for, or without gold, are passed over."""
    met: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        met.setdefault(row.comparison, []).append(number)
    codes = {outcome: code for code, outcome in enumerate(OUTCOMES)}
    said: _Said = {}
    entries: list[tuple[int, int, int, bool, bool]] = []
    for one in judgements:
        verdict, numbers = read(one), met.get(one.comparison)
        if verdict is None or numbers is None:
            continue
        judge = judges[one.judge]
        said.setdefault((judge, one.comparison, one.again), {})[one.shown] = verdict
        code, given = codes[verdict.outcome], one.shown == comparisons[one.comparison].shown
        entries.extend(
            (judge, number, code, verdict == rows[number].gold, given) for number in numbers
        )
    table = np.array(entries, dtype=np.int64).reshape(-1, 5).T
    pairs = np.array(list(_pairs(said, met, rows)), dtype=np.int64).reshape(-1, 6).T
    return (
        Verdicts(*table[:3], *table[3:].astype(np.bool_)),
        Pairs(*pairs[:3], *pairs[3:].astype(np.bool_)),
    )


def _pairs(
    said: _Said, met: Mapping[str, list[int]], rows: Sequence[GoldRow]
) -> Iterator[tuple[int, int, int, bool, bool, bool]]:
    for item, ((judge, comparison, _), by_order) in enumerate(said.items()):
        first, *others = by_order.values()
        if not others:
            continue
        same = all(verdict == first for verdict in others)
        readable = first.readable and all(verdict.readable for verdict in others)
        for number in met[comparison]:
            yield judge, number, item, same and first == rows[number].gold, same, readable
