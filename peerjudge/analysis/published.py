"""Published accuracies and the scores of a run, matched by method, prompts, evaluator and temperature."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from peerjudge.analysis.ballots import Ballots
from peerjudge.analysis.scoring import Score, Scores
from peerjudge.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedLine:
    """One evaluator with one method: its accuracies as shares, by group; "" is the group of all.

    `protocol` plays the method; that of `self_metrics` stands with the method that follows. `table` is
    the name of the table.
    """

    setting: str
    protocol: str
    table: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTable:
    """A printed table of accuracies.

    Its columns are the groups `by`, as in `score_ballots`, with the number of `items` of each.
    `methods` has the printed name of each protocol; `settings` the evaluators, with the letters in
    the name of a reviewer that identify them, and with the temperature after an @ where it is not 0.
    `prompts` is the pack that plays the table, empty for every pack that no other table names.
    """

    title: str
    source: str
    name: str
    by: str
    prompts: str
    items: Mapping[str, int]
    methods: Mapping[str, str]
    settings: Mapping[str, tuple[str, ...]]
    lines: tuple[PublishedLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """How the judge of a condition judged: method, as in `PublishedLine`, prompt pack and temperature."""

    method: str
    prompts: str = ""
    temperature: float | None = None


TOTAL = "total"
"""The column of all groups together."""

Match: TypeAlias = tuple[Score, str, PublishedLine | None]
"""A score, the printed name of its method, and the published line if there is one."""


def describe_conditions(ballots: Ballots) -> dict[str, Played]:
    """Return how each condition of a run was played, by its first discussion."""
    facts = ballots.discussions
    codes, rows = np.unique(facts.condition, return_index=True)
    played: dict[str, Played] = {}
    for code, row in zip(codes, rows, strict=True):
        prompts, *options = facts.settings[int(facts.setting[row])].split(" ")
        after = [option.removeprefix("then=") for option in options if option.startswith("then=")]
        _, _, temperature = facts.seatings[int(facts.seating[row])][0]
        played[facts.conditions[int(code)]] = Played(
            method=":".join([facts.protocols[int(facts.protocol[row])], *after]),
            prompts=prompts,
            temperature=temperature,
        )
    return played


def match_published(
    scores: Scores,
    tables: Sequence[PublishedTable],
    *,
    played: Mapping[str, Played] | None = None,
    setting: str = "",
) -> tuple[PublishedTable, tuple[Match, ...]]:
    """Return the table with the groups of the scores, and the line of each conclusion.

    Lines are matched by method, prompt pack, evaluator, and temperature where the paper has figures at
    this one. Where lines are of several tables, the table has the names of all of them. Rows are
    sorted by evaluator, prompts, and the table's order of methods; private verdicts are left out.

    Args:
        scores: of a run.
        tables: of one publication.
        played: by condition (`describe_conditions`); without it, as the protocol says.
        setting: the evaluator to match with every judge; empty matches the names of reviewers.

    Raises:
        DataError: no table has these groups, the evaluator is unknown, or no score is of a
            protocol of the table.
    """
    fitting = _choose_tables(tables, scores.by, setting)
    table, methods = fitting[0], fitting[0].methods
    rows: list[tuple[tuple[str, str, int], Match]] = []
    for one in scores.scores:
        judge = one.judge
        how = (played or {}).get(judge.condition) or Played(method=judge.protocol)
        if judge.stance == "concluded" and how.method in methods:
            evaluator = setting or identify_name(judge.reviewer, table.settings)
            line = find_line(fitting, how, evaluator)
            place = (judge.reviewer, how.prompts, list(methods).index(how.method))
            rows.append((place, (one, methods[how.method], line)))
    if not rows:
        msg = f"no condition has a protocol of {table.title}: {', '.join(methods)}"
        raise DataError(msg)
    matches = tuple(match for _, match in sorted(rows, key=lambda row: row[0]))
    used = {line.table for _, _, line in matches if line is not None}
    names = [one.name for one in fitting if one.name in used] or [table.name]
    return replace(table, name=", ".join(names)), matches


def _choose_tables(tables: Sequence[PublishedTable], by: str, setting: str) -> list[PublishedTable]:
    """Return the tables with these groups; raise `DataError` for none, or without the evaluator."""
    fitting = [table for table in tables if table.by == by]
    if not fitting:
        known = " or ".join(f"--by {one}" for one in dict.fromkeys(table.by for table in tables))
        msg = f"{tables[0].title} has no table by {by or 'no group'}; use {known}"
        raise DataError(msg)
    known = fitting[0].settings
    if setting and setting not in known:
        msg = f"{fitting[0].title} has no evaluator {setting!r}; it has {', '.join(known)}"
        raise DataError(msg)
    return fitting


def find_line(
    tables: Sequence[PublishedTable], how: Played, evaluator: str
) -> PublishedLine | None:
    """Return the line of this evaluator, at the temperature of the run if the paper has figures at it.

    Args:
        tables: by the same groups.
        how: method, prompts and temperature.
        evaluator: as the paper names it.
    """
    settings = tables[0].settings
    at = "" if how.temperature is None else f"{evaluator}@{how.temperature:g}"
    name = at if at in settings else evaluator
    prompts = how.prompts if how.prompts in {table.prompts for table in tables} else ""
    lines = [line for one in tables if one.prompts == prompts for line in one.lines]
    wanted = (name, how.method)
    return next((line for line in lines if (line.setting, line.protocol) == wanted), None)


def identify_name(name: str, known: Mapping[str, Sequence[str]]) -> str:
    """Return the known name with the longest letters that are in this one; empty if there is none.

    Case and punctuation do not count.
    """
    letters = _letters(name)
    fitting = [
        (len(_letters(part)), one)
        for one, parts in known.items()
        for part in parts
        if _letters(part) in letters
    ]
    return max(fitting)[1] if fitting else ""


def _letters(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())
