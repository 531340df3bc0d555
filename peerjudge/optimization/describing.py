"""A search in words: its candidates, the choice, the held-out test, and what changed."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from peerjudge.data import Measurement, to_plain
from peerjudge.optimization.estimating import SearchEstimate
from peerjudge.optimization.findings import Optimized
from peerjudge.reporting import fragments
from peerjudge.reporting.layout import Table
from peerjudge.results.columns import Cells, build_frame

if TYPE_CHECKING:
    import pandas as pd

_MOST = 15
"""Rows of the table of candidates; `search.json` has all."""


def render_text(found: Optimized) -> str:
    """Return the search as tables and sentences in text."""
    return fragments.render_text(_list_parts(found))


def render_html(found: Optimized) -> str:
    """Return the search as tables and sentences of a page."""
    return fragments.render_html(_list_parts(found))


def build_df(found: Optimized) -> pd.DataFrame:
    """Return one row per candidate."""
    rows = (
        {
            **cast("Cells", to_plain(candidate)),
            "front": candidate.id in found.front,
            "chosen": found.adoption is not None and candidate.id == found.chosen.id,
        }
        for candidate in found.candidates
    )
    return build_frame("search", rows)


def _list_parts(found: Optimized) -> list[str | Table]:
    if found.estimate is not None:
        return build_estimate(found, found.estimate)
    return [*build_parts(found), *describe_result(found)]


def build_parts(found: Optimized) -> list[str | Table]:
    """Return the sentences and tables of a search, in the order in which they are shown."""
    parts: list[str | Table] = [_describe_search(found), "", _tabulate(found)]
    if found.adoption is not None and found.adoption.finalists:
        parts += ["", _tabulate_finalists(found)]
    if found.test is not None:
        parts += ["", _tabulate_test(found)]
    if found.transfer:
        parts += ["", _tabulate_transfer(found)]
    return parts


def build_estimate(found: Optimized, estimate: SearchEstimate) -> list[str | Table]:
    """Return what a search would change and take at most."""
    rows = [
        (
            phase.name,
            f"{phase.evaluations:,}",
            f"{phase.calls:,}",
            f"{phase.tokens:,}",
            _show_usd(phase.cost_usd),
        )
        for phase in estimate.phases
    ]
    total = sum(one.calls for one in estimate.phases)
    rows.append(("all", "", f"{total:,}", f"{estimate.tokens:,}", _show_usd(estimate.cost_usd)))
    texts = (
        f" The proposer writes at most {estimate.texts:,} texts, which are not in the table."
        if estimate.texts
        else ""
    )
    table = Table(
        title="At most",
        headings=("Phase", "Questions judged", "Calls", "Tokens", "Cost"),
        rows=tuple(rows),
        note="With replies of the assumed length, all steps, five finalists, and nothing kept from before. "
        f"The test is played only if a candidate is adopted.{texts}",
    )
    bases = [
        line
        for name, text in found.targets.items()
        for line in ("", f"{name} is now:", *(f"  {line}" for line in text.strip().splitlines()))
    ]
    return [_describe_search(found), "", table, *bases, "", "No model was called."]


def _show_usd(cost: float | None) -> str:
    return "unknown" if cost is None else f"${cost:,.2f}"


def describe_result(found: Optimized) -> list[str]:
    """Return the result in sentences: the choice, its effect, what changed, and the files."""
    return ["", *_describe_choice(found), *_list_changes(found), *_list_files(found)]


def _describe_search(found: Optimized) -> str:
    sizes = ", ".join(f"{size.questions} to {name}" for name, size in found.splits.items())
    targets = ", ".join(found.targets) or "protocol options"
    note = (
        " As in the paper: no select split, adoption by the search score alone."
        if found.paper
        else ""
    )
    judges = " The judges are simulated: this says how the search works, nothing about a model."
    left = f" {found.left_out} comparisons without gold are left out." if found.left_out else ""
    return (
        f"Search by {found.method} on {found.data}, changing {targets}; objective {found.objective}. "
        f"Questions: {sizes}.{left}{note}{judges if found.simulated else ''}"
    )


def _tabulate(found: Optimized) -> Table:
    ranked = sorted(
        (candidate for candidate in found.candidates if candidate.n),
        key=lambda one: (-one.n, -(one.search or 0.0)),
    )
    shown = ranked[:_MOST]
    if found.base not in shown:
        shown = [*shown[:-1], found.base]
    rows = [
        (
            one.id,
            one.origin,
            str(one.n),
            _percent(one.search),
            _percent(one.select),
            "-" if one.consistency is None else _percent(one.consistency),
            _percent(one.unreadable),
            "yes" if one.id in found.front else "",
            _shorten(one.change or ", ".join(f"{k}={v}" for k, v in one.settings.items())),
        )
        for one in shown
    ]
    invalid = sum(not one.valid for one in found.candidates)
    more = f"{len(ranked) - len(shown)} more in search.json. " if len(ranked) > len(shown) else ""
    note = (
        f"{more}Questions: of the search split that it was scored on; candidates that fell behind were "
        "dropped before the end. Search scores flatter the best of many."
    )
    if invalid:
        note += f" {invalid} proposals were not valid and were not played."
    return Table(
        title="Candidates: scores in %",
        headings=(
            "Candidate",
            "Origin",
            "Questions",
            "Search",
            "Select",
            "Same in all orders",
            "Unreadable",
            "Front",
            "Change",
        ),
        rows=tuple(rows),
        names=2,
        note=note,
    )


def _tabulate_finalists(found: Optimized) -> Table:
    adoption = found.adoption
    finalists = adoption.finalists if adoption else ()
    rows = tuple(
        (
            finalist.candidate,
            _percent(finalist.mean),
            _points(finalist.difference.value),
            _points(finalist.bound),
            "adopted" if adoption and finalist.candidate == adoption.chosen else "",
        )
        for finalist in finalists
    )
    note = (
        "Difference: from the base on the same questions, in points. Bound: its one-sided lower bound, "
        f"corrected for {_count(len(finalists), 'finalist')} (5 % in all); a finalist is adopted if it is "
        "above 0."
    )
    headings = ("Finalist", "Select", "Difference", "Bound", "")
    return Table(title="Finalists on the select questions", headings=headings, rows=rows, note=note)


def _tabulate_test(found: Optimized) -> Table:
    test = found.test
    assert test is not None  # noqa: S101  the caller has looked
    rows = [
        (name, _show(mean), _percent(test.consistency[name]), _percent(test.unreadable[name]))
        for name, mean in (("base", test.base), ("chosen", test.chosen))
    ]
    rows.append(("difference", _show(test.difference, sign=True), "", ""))
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
    opened = found.test_opened
    times = "for the first time" if opened == 1 else f"by {opened} searches in this folder"
    return Table(
        title="Held-out test: score in % [95% interval]",
        headings=("", "Score", "Same in all orders", "Unreadable"),
        rows=tuple(rows),
        note=f"{test.difference.n} questions, opened {times}; the difference is paired.{fits}",
    )


def _tabulate_transfer(found: Optimized) -> Table:
    rows = tuple(
        (
            one.reviewer,
            one.data,
            _show(one.base),
            _show(one.chosen),
            _show(one.difference, sign=True),
        )
        for one in found.transfer
    )
    return Table(
        title="Transfer: score in % [95% interval]",
        headings=("Reviewer", "Data", "Base", "Chosen", "Difference"),
        rows=rows,
        names=2,
    )


def _describe_choice(found: Optimized) -> Iterator[str]:
    adoption = found.adoption
    if adoption is None:
        yield "The search is not finished, so nothing was chosen."
    elif not adoption.adopted:
        yield f"Nothing better was found: {adoption.why}. The test questions stay unopened."
    else:
        naive = " (naively, as in the paper)" if adoption.naive else ""
        yield f"Adopted {adoption.chosen}{naive}: {adoption.why}."
    if found.test is not None and found.overstatement is not None:
        difference = found.test.difference
        verdict = (
            "better"
            if difference.low > 0
            else "worse"
            if difference.high < 0
            else "not clearly different"
        )
        yield (
            f"On the held-out questions it is {verdict} ({_show(difference, sign=True)} points). The search "
            f"score {'over' if found.overstatement >= 0 else 'under'}stated it by "
            f"{100 * abs(found.overstatement):.1f} points."
        )


def _list_changes(found: Optimized) -> Iterator[str]:
    chosen = found.chosen
    if chosen.id == found.base.id:
        return
    for name, before in found.targets.items():
        after = chosen.texts.get(name, before)
        if after == before:
            continue
        yield ""
        yield f"What changed in {name}:"
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
        yield from (f"  {line}" for line in list(lines)[2:] if not line.startswith("@@"))
    for name, value in chosen.settings.items():
        yield f"What changed: {name} = {value}"


def _list_files(found: Optimized) -> Iterator[str]:
    yield ""
    yield f"search  {found.files.get('search', found.out)}"
    for name, path in found.files.items():
        kind, _, item = name.partition("/")
        if kind in ("prompts", "agents"):
            place = "protocols/prompts" if kind == "prompts" else "agents"
            yield f"best    {path}   use it: cp {path} {place}/{item}_best.toml"
    spent = found.spent
    cost = "unknown" if spent.cost_usd is None else f"${spent.cost_usd:.2f}"
    calls = f"{spent.simulated} simulated calls" if found.simulated else f"{spent.paid} paid calls"
    yield f"{calls}, {spent.cached} cached, {spent.tokens:,} tokens, cost: {cost}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _points(value: float) -> str:
    return f"{100 * value:+.1f}"


def _show(one: Measurement, *, sign: bool = False) -> str:
    form = "+.1f" if sign else ".1f"
    return f"{100 * one.value:{form}} [{100 * one.low:{form}}, {100 * one.high:{form}}]"


def _shorten(text: str, most: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."
