"""Tables and sentences of the reasons of verdicts: themes, and the reasons on one comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING

from peerjudge.data import Verdict
from peerjudge.reporting.formats import counted, share
from peerjudge.reporting.fragments import mark_page
from peerjudge.reporting.layout import Column, Table, build_table
from peerjudge.reporting.rendering import load_templates

if TYPE_CHECKING:
    from peerjudge.analysis.reasons import Reason, ReasonThemes
    from peerjudge.data import Comparison

_LONGEST = 700
"""Characters of a reason in a table; JSON has all."""


def build_theme_table(found: ReasonThemes) -> Table:
    """Return the themes with their shares, and what goes with them."""
    simulated = " (simulated reviewers)" if found.simulated else ""
    return build_table(
        f"What reasons mention, in % [{found.level:.0%} interval]{simulated}",
        found.themes,
        Column("Theme", "theme"),
        Column("Reasons", "reasons"),
        Column("Mentioned", "mentioned", "share"),
        Column("Right: with - without", "right", "points"),
        Column("Altered: heard - not", "altered", "points"),
        note="Mentioned: share of all reasons, in praise or blame. Right: gold verdicts among reasons with "
        "the theme minus those without, of one reviewer in one condition and stage. Altered: contradicted "
        "seats that altered after replies with the theme minus those without. Differences in points; the "
        "unit of resampling is the question.",
    )


def describe_themes(found: ReasonThemes) -> list[str]:
    """Return what was counted, and what limits it."""
    if not found.reasons:
        return ["No verdict has a reason: every reply is a bare verdict."]
    said = [
        (
            f"{counted(found.reasons, 'reason')} on {counted(found.questions, 'question')}; "
            f"{counted(found.bare, 'bare verdict')} left out; "
            f"{share(found.without / found.reasons)} % of the reasons mention no theme."
        ),
        (
            "Differences are associations, not effects: a theme goes with the comparisons on which it is "
            f"named. With {len(found.themes)} themes, some interval leaves out 0 by chance."
        ),
    ]
    if found.other_words:
        said.append(
            "Words of the reasons on most questions that are in no theme and not in the material: "
            f"{', '.join(found.other_words)}."
        )
    return said


def build_reason_tables(comparison: Comparison, reasons: Sequence[Reason]) -> list[Table]:
    """Return the reasons on a comparison, a table for each verdict."""
    return [
        build_table(
            _head(verdict, comparison, held),
            _merge(held),
            Column("Reviewer", "0"),
            Column("Reason", "1"),
        )
        for verdict, held in _sort_by_verdict(comparison, reasons).items()
        if held
    ]


def render_reasons(comparison: Comparison, reasons: Sequence[Reason]) -> str:
    """Return the reasons on a comparison as a part of a page, a column for each verdict."""
    sorted_ = _sort_by_verdict(comparison, reasons)
    template = load_templates().get_template("reasons.html.j2")
    return mark_page(
        template.render(
            question=" ".join(comparison.question.text.split()),
            columns=[
                (_head(verdict, comparison, held), _merge(held))
                for verdict, held in sorted_.items()
            ],
        )
    )


def _sort_by_verdict(
    comparison: Comparison, reasons: Iterable[Reason]
) -> dict[Verdict, list[Reason]]:
    found: dict[Verdict, list[Reason]] = {
        Verdict.of(answer.id): [] for answer in comparison.answers
    }
    for one in reasons:
        found.setdefault(one.verdict, []).append(one)
    return found


def _merge(reasons: Iterable[Reason]) -> list[tuple[str, str]]:
    """Return who gave each reason and its words; equal ones of one reviewer are one, with their number."""
    conditions: dict[tuple[str, str, str], list[str]] = {}
    for reason in reasons:
        stage = (
            ("before discussion" if reason.private else "in discussion") if reason.condition else ""
        )
        key = (reason.reviewer, stage, " ".join(reason.text.split()))
        conditions.setdefault(key, []).append(reason.condition)
    merged: list[tuple[str, str]] = []
    for (reviewer, stage, text), held in conditions.items():
        where = held[0] if len(set(held)) == 1 else f"{len(set(held))} conditions"
        times = f"{len(held)} times" if len(held) > 1 else ""
        who = ", ".join(part for part in (reviewer, stage, where, times) if part)
        merged.append((who, shorten(text, _LONGEST, placeholder=" ...")))
    return merged


def _head(verdict: Verdict, comparison: Comparison, held: Sequence[Reason]) -> str:
    number = counted(len(held), "reason")
    if verdict.choice is None:
        return f"{verdict.outcome.value.capitalize()}: {number}"
    author = comparison.answer(verdict.choice).author
    by = f" by {author}" if author not in {"", verdict.choice} else ""
    gold = ", gold" if verdict == comparison.gold else ""
    return f"For {verdict.choice}{by}{gold}: {number}"
