"""Puts published accuracies beside those of a run: one row per judge, one column per group."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from peerjudge.analysis.scoring.nouns import Score, Scores
from peerjudge.errors import DataError

__all__ = ["Beside", "PublishedLine", "PublishedTable", "beside"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedLine:
    """One evaluator with one method: its accuracies as shares, by group; "" is the group of all."""

    setting: str
    protocol: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTable:
    """A printed table of accuracies.

    `by` says what its columns are, as in `score`. `items` is how many items each column rests on.
    `methods` has the printed name of each protocol; `settings` the letters by which a reviewer is
    known to be that evaluator.
    """

    title: str
    source: str
    name: str
    by: str
    items: Mapping[str, int]
    methods: Mapping[str, str]
    settings: Mapping[str, tuple[str, ...]]
    lines: tuple[PublishedLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A score and the published line of the same method and evaluator; `None` where there is none."""

    score: Score
    method: str
    published: PublishedLine | None


def beside(
    scores: Scores, tables: Sequence[PublishedTable], *, setting: str = ""
) -> tuple[PublishedTable, tuple[Beside, ...]]:
    """The table whose columns are the groups of the scores, and for each conclusion its line.

    Methods are matched by protocol. Rows are sorted by evaluator and then as the table orders its
    methods; what discussions did not conclude (private verdicts) is left out.

    Args:
        scores: of a run.
        tables: of one publication.
        setting: the evaluator to put beside every judge; empty goes by the reviewers' names.

    Raises:
        DataError: no table has these groups, no such evaluator is in it, or nothing in the scores
            was played by a protocol of the table.
    """
    fitting = [table for table in tables if table.by == scores.by]
    if not fitting:
        known = " or ".join(f"--by {table.by}" for table in tables)
        msg = f"{tables[0].title} has no table by {scores.by or 'nothing'}; say {known}"
        raise DataError(msg)
    table = fitting[0]
    if setting and setting not in table.settings:
        msg = f"{table.title} has no evaluator {setting!r}; it has {', '.join(table.settings)}"
        raise DataError(msg)
    lines = {(line.setting, line.protocol): line for line in table.lines}
    methods = list(table.methods)
    rows: list[Beside] = []
    for one in scores.scores:
        protocol = one.judge.protocol
        if one.judge.stance == "concluded" and protocol in table.methods:
            name = setting or _setting(one.judge.reviewer, table.settings)
            rows.append(
                Beside(
                    score=one,
                    method=table.methods[protocol],
                    published=lines.get((name, protocol)),
                )
            )
    if not rows:
        msg = f"nothing here was played by a protocol of {table.title}: {', '.join(methods)}"
        raise DataError(msg)
    rows.sort(key=lambda row: (row.score.judge.reviewer, methods.index(row.score.judge.protocol)))
    return table, tuple(rows)


def _setting(reviewer: str, settings: Mapping[str, Sequence[str]]) -> str:
    """The evaluator that a reviewer's name speaks of: that with the longest fitting letters."""
    name = _letters(reviewer)
    fitting = [
        (len(_letters(known)), setting)
        for setting, aliases in settings.items()
        for known in aliases
        if _letters(known) in name
    ]
    return max(fitting)[1] if fitting else ""


def _letters(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())
