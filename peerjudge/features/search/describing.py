"""A search in words: its candidates, the choice, the held-out test, and what changed."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from peerjudge.data import Measurement, to_plain
from peerjudge.features.search.estimating import Phase, SearchEstimate
from peerjudge.features.search.findings import CandidateRow, Optimized
from peerjudge.reporting.formats import counted, points
from peerjudge.reporting.layout import Cell, Column, Table, build_points, build_table
from peerjudge.results.columns import Cells, build_frame
from peerjudge.shown import money

if TYPE_CHECKING:
    import pandas as pd

_MOST = 15
"""Rows of the table of candidates; `search.json` has all."""


def build_df(search: Optimized) -> pd.DataFrame:
    """Return one row per candidate."""
    rows = (
        {
            **cast("Cells", to_plain(candidate)),
            "front": candidate.id in search.front,
            "chosen": search.adoption is not None and candidate.id == search.chosen.id,
        }
        for candidate in search.candidates
    )
    return build_frame("search", rows)


def list_parts(search: Optimized) -> list[str | Table]:
    """Return the sentences and tables of a search or of its estimate."""
    if search.estimate is not None:
        return build_estimate(search, search.estimate)
    return [*build_parts(search), *describe_result(search)]


def build_parts(search: Optimized) -> list[str | Table]:
    """Return the sentences and tables of a search, in the order in which they are shown."""
    parts: list[str | Table] = [_describe_search(search), "", _tabulate(search)]
    if search.adoption is not None and search.adoption.finalists:
        parts += ["", _tabulate_finalists(search)]
    if search.test is not None:
        parts += ["", _tabulate_test(search)]
    if search.transfer:
        parts += ["", _tabulate_transfer(search)]
    return parts


def build_estimate(search: Optimized, estimate: SearchEstimate) -> list[str | Table]:
    """Return what a search would change and take at most."""
    total = Phase(
        name="all",
        evaluations=sum(one.evaluations for one in estimate.phases),
        calls=sum(one.calls for one in estimate.phases),
        tokens=estimate.tokens,
        cost_usd=estimate.cost_usd,
    )
    texts = (
        f" The proposer writes at most {estimate.texts:,} texts, which are not in the table."
        if estimate.texts
        else ""
    )
    table = build_table(
        "At most",
        [*estimate.phases, total],
        Column("Phase", "name"),
        Column("Questions judged", "evaluations"),
        Column("Calls", "calls"),
        Column("Tokens", "tokens"),
        Column("Cost", lambda one: Cell(money(one.cost_usd), {"_usd": one.cost_usd})),
        total=True,
        note="With replies of the assumed length, all steps, five finalists, and nothing kept from before. "
        f"The test is played only if a candidate is adopted.{texts}",
    )
    bases = [
        line
        for name, text in search.targets.items()
        for line in ("", f"{name} is now:", *(f"  {line}" for line in text.strip().splitlines()))
    ]
    return [_describe_search(search), "", table, *bases, "", "No model was called."]


def describe_result(search: Optimized) -> list[str]:
    """Return the result in sentences: the choice, its effect, what changed, and the files."""
    return ["", *_describe_choice(search), *_list_changes(search), *_list_files(search)]


def _describe_search(search: Optimized) -> str:
    sizes = ", ".join(f"{size.questions} to {name}" for name, size in search.splits.items())
    targets = ", ".join(search.targets)
    note = (
        " As in the paper: no select split, adoption by the search score alone."
        if search.paper
        else ""
    )
    judges = " The judges are simulated: this says how the search works, nothing about a model."
    left = f" {search.left_out} comparisons without gold are left out." if search.left_out else ""
    unchanged = (
        f" Not played, as no target is in their prompts: {', '.join(search.unchanged)}."
        if search.unchanged
        else ""
    )
    return (
        f"Search by {search.method} on {search.data}, changing {targets}; objective {search.objective}. "
        f"Questions: {sizes}.{left}{unchanged}{note}{judges if search.simulated else ''}"
    )


def _tabulate(search: Optimized) -> Table:
    ranked = sorted(
        (candidate for candidate in search.candidates if candidate.n),
        key=lambda one: (-one.n, -(one.search or 0.0)),
    )
    shown = ranked[:_MOST]
    if search.base not in shown:
        shown = [*shown[:-1], search.base]
    invalid = sum(not one.valid for one in search.candidates)
    more = f"{len(ranked) - len(shown)} more in search.json. " if len(ranked) > len(shown) else ""
    note = (
        f"{more}Questions: of the search split that it was scored on; candidates that fell behind were "
        "dropped before the end. Search scores flatter the best of many."
    )
    if invalid:
        note += f" {invalid} proposals were not valid and were not played."
    return build_table(
        "Candidates: scores in %",
        shown,
        Column("Candidate", "id"),
        Column("Origin", "origin"),
        Column("Questions", "n"),
        Column("Search", "search", "share", 1),
        Column("Select", "select", "share", 1),
        Column("Same in all orders", "consistency", "share", 1),
        Column("Unreadable", "unreadable", "share", 1),
        ("Front", lambda one: "yes" if one.id in search.front else ""),
        ("Change", _describe_candidate),
        names=2,
        note=note,
    )


def _tabulate_finalists(search: Optimized) -> Table:
    adoption = search.adoption
    finalists = adoption.finalists if adoption else ()
    note = (
        "Difference: from the base on the same questions, in points. Bound: its one-sided lower bound, "
        f"corrected for {counted(len(finalists), 'finalist')} (nominally 5 % in all); a finalist is adopted "
        "if it is above 0."
    )
    return build_table(
        "Finalists on the select questions",
        finalists,
        Column("Finalist", "candidate"),
        Column("Select", "mean", "share", 1),
        Column("Difference", "difference.value", "points", 1, key="difference"),
        Column("Bound", "bound", "points", 1),
        Column(
            "Adopted",
            lambda one: "adopted" if adoption and one.candidate == adoption.chosen else None,
        ),
        note=note,
    )


def _tabulate_test(search: Optimized) -> Table:
    test = search.test
    assert test is not None  # noqa: S101  the caller has looked
    difference = build_points(test.difference, 1)
    rows: list[tuple[str, Measurement | Cell]] = [
        ("base", test.base),
        ("chosen", test.chosen),
        ("difference", difference),
    ]
    fits = ""
    if test.ratings:
        told = [
            f"{name}: error {fit.mae:.3f}, Pearson {fit.pearson:.3f}, Kendall {fit.kendall:.3f}"
            for name, fit in test.ratings.items()
        ]
        p_value = (
            "" if test.williams is None else f" Williams' test of the two: p = {test.williams:.3f}."
        )
        fits = f" {'; '.join(told)}.{p_value}"
    opened = search.test_opened
    times = "for the first time" if opened == 1 else f"by {opened} searches in this folder"
    return build_table(
        "Held-out test: score in % [95% interval]",
        rows,
        Column("Prompts", "0", key="prompts"),
        Column("Score", "1", "share", 1, key="score"),
        Column("Same in all orders", lambda row: test.consistency.get(row[0]), "share", 1),
        Column("Unreadable", lambda row: test.unreadable.get(row[0]), "share", 1),
        note=f"{test.difference.n} questions, opened {times}; the difference is paired.{fits}",
    )


def _tabulate_transfer(search: Optimized) -> Table:
    return build_table(
        "Transfer: score in % [95% interval]",
        search.transfer,
        Column("Reviewer", "reviewer"),
        Column("Data", "data"),
        Column("Base", "base", "share", 1),
        Column("Chosen", "chosen", "share", 1),
        Column("Difference", "difference", "points", 1),
        names=2,
    )


def _describe_choice(search: Optimized) -> Iterator[str]:
    adoption = search.adoption
    if adoption is None:
        yield "The search is not finished, so nothing was chosen."
    elif not adoption.adopted:
        yield f"Nothing better was found: {adoption.why}. The test questions stay unopened."
    else:
        naive = " (naively, as in the paper)" if adoption.naive else ""
        yield f"Adopted {adoption.chosen}{naive}: {adoption.why}."
    if search.test is not None and search.overstatement is not None:
        difference = search.test.difference
        verdict = (
            "better"
            if difference.low > 0
            else "worse"
            if difference.high < 0
            else "not clearly different"
        )
        yield (
            f"On the held-out questions it is {verdict} ({points(difference, 1)} points). The search "
            f"score {'over' if search.overstatement >= 0 else 'under'}stated it by "
            f"{100 * abs(search.overstatement):.1f} points."
        )


def _list_changes(search: Optimized) -> Iterator[str]:
    chosen = search.chosen
    if chosen.id == search.base.id:
        return
    for name, before in search.targets.items():
        after = chosen.texts.get(name, before)
        if after == before:
            continue
        yield ""
        yield f"What changed in {name}:"
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
        yield from (f"  {line}" for line in list(lines)[2:] if not line.startswith("@@"))


def _list_files(search: Optimized) -> Iterator[str]:
    yield ""
    yield f"search  {search.files.get('search', search.out)}"
    for name, path in search.files.items():
        kind, _, item = name.partition("/")
        if kind in ("prompts", "agents"):
            place = "protocols/prompts" if kind == "prompts" else "agents"
            yield f"best    {path}   use it: cp {path} {place}/{item}_best.toml"
    spent = search.spent
    calls = f"{spent.simulated} simulated calls" if search.simulated else f"{spent.paid} paid calls"
    yield f"{calls}, {spent.cached} cached, {spent.tokens:,} tokens, cost: {money(spent.cost_usd)}"


def _describe_candidate(one: CandidateRow, most: int = 60) -> str:
    line = " ".join(one.change.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."
