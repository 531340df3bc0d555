"""Discussions against cheaper ways to judge, and the early stop that a contrast decides, as shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import TYPE_CHECKING

from peerjudge.reporting.figures import Figure, Row, Rows, build_mark
from peerjudge.reporting.formats import counted, isolated, minus_signs, p_value, points, points_tick
from peerjudge.reporting.layout import (
    Column,
    Section,
    Table,
    build_couple,
    build_section,
    build_table,
)
from peerjudge.statistics.interval import PairedDifference

if TYPE_CHECKING:
    from peerjudge.analysis.contrasts import ConditionContrasts, Contrast
    from peerjudge.analysis.stopping import Decision
    from peerjudge.data import Measurement


_NAMES = {
    "mean seat": "its mean seat, asked once",
    "better seat": "its better seat, asked once",
    "self-consistency": "its better seat, asked as often",
    "vote": "a vote of its reviewers",
}
_CLAIMED = 0.05
"""Adjusted p-value up to which a difference is claimed."""
_Named = Sequence[tuple[str, "Contrast"]]
_FOUND = {
    "better": "is above 0",
    "worse": "is below 0",
    "equivalent": "is equivalent to 0 within the margin",
    "precise": "is known precisely enough",
    "undecided": "is not decided",
}
_FIXED = "Tests and intervals of the table are for a number of questions fixed in advance."


def build_contrasts_section(
    rows: Sequence[ConditionContrasts], *, decision: Decision | None = None
) -> Section | None:
    """Return the difference of every discussion from each cheaper way to judge."""
    return build_section(
        "Against cheaper ways to judge",
        "The accuracy of a discussion minus that of an alternative on the same comparisons, in "
        "percentage points. Each seat has a row, and none is chosen: over its better seat a discussion is "
        "as far as over the one over which it gains least. Asked as often: a vote of that reviewer alone "
        "with as many calls.",
        draw_contrasts(rows),
        build_contrasts_table(rows),
        " ".join(note_alternatives(rows)) or None,
        *note_decision(decision),
        anchor="alternatives",
    )


def build_contrasts_table(rows: Sequence[ConditionContrasts]) -> Table:
    """Return one row for each discussion and way to judge, and one over the better of several ways."""
    listed = [row for each in rows for one in each.all for row in _list_rows(each.condition, one)]
    # The declared contrast comes first.
    listed.sort(key=lambda row: not row.primary)
    return build_table(
        "Discussions against cheaper ways to judge, difference in accuracy in points",
        listed,
        Column("Condition", "condition"),
        Column("Over", "over"),
        Column("Who", "who"),
        Column("Comparisons", "comparisons"),
        Column("Calls", lambda row: build_couple(row.turns, row.other_turns, 1)),
        Column("Difference", "difference.difference", "points"),
        Column("p", "difference.p_value", "p"),
        Column("p, Holm", "p_holm", "p"),
        names=3,
        note="Intervals (95 %) and p are Student's t on the means of questions with two questions added, one "
        "that gains and one that loses all; they hold for one row each. Over the better of several ways: "
        "the least of their values and low bounds, as a gain must hold over each, and the least of their "
        "high bounds at once (Bonferroni). p, Holm: adjusted for the conditions with the same alternative; "
        "a contrast that the experiment declares as primary is not adjusted.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    condition: str
    over: str
    who: str
    comparisons: int
    turns: float
    other_turns: float
    difference: PairedDifference
    p_holm: float
    primary: bool


def _list_rows(condition: str, one: Contrast) -> Iterator[_Row]:
    """Yield a row for each way of an alternative, and before them one for the better of several."""
    several = len(one.rows) > 1 or one.difference is None
    common = partial(
        _Row,
        condition=condition,
        comparisons=one.comparisons,
        turns=one.turns,
        primary=one.primary,
    )
    if len(one.rows) > 1 and one.difference is not None:
        yield common(
            over=one.alternative,
            who="the better of these",
            other_turns=sum(row.turns for row in one.rows) / len(one.rows),
            difference=one.difference,
            p_holm=one.p_holm,
        )
    for row in one.rows:
        yield common(
            over="seat" if several and one.alternative == "better seat" else one.alternative,
            who=row.name,
            other_turns=row.turns,
            difference=row.difference,
            p_holm=nan if several else one.p_holm,
        )


def note_alternatives(rows: Sequence[ConditionContrasts]) -> list[str]:
    """Return what makes a row less than it seems, one sentence per reason, with the conditions.

    Alternatives not played, seats that never judged alone, votes whose even splits one reviewer decides.
    """
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if names := " and ".join(row.over_better_seat.left_out):
            reason = f"Over its seats: only over those that judged alone; {names} never did."
            reasons.setdefault(reason, []).append(row.condition)
        for one in row.all:
            if one.reason:
                reasons.setdefault(f"Over {one.alternative}: {one.reason}.", []).append(
                    row.condition
                )
            if one.decider:
                known = f"{one.decider} decides every even split of {' and '.join(one.against)}"
                reasons.setdefault(
                    f"Over vote: {known}, so this vote is no fair alternative; play it with "
                    "leader=Leader.BOTH.",
                    [],
                ).append(row.condition)
    return [f"{reason} ({', '.join(names)})" for reason, names in reasons.items()]


def draw_contrasts(rows: Sequence[ConditionContrasts]) -> Figure | None:
    """Return the difference of every discussion from its better seat."""
    known = [
        (row.condition, row.over_better_seat.difference.difference)
        for row in rows
        if row.over_better_seat.difference is not None
    ]
    if not known:
        return None
    return Figure(
        id="over-better-seat",
        description="Accuracy of each discussion minus that of its better seat alone.",
        chart=Rows(
            rows=[
                Row(
                    name=condition,
                    note=minus_signs(points(measured)),
                    count=counted(measured.n, "comparison"),
                    marks=[build_mark(measured)],
                )
                for condition, measured in known
            ],
            across="difference in accuracy from the better seat alone, in percentage points",
            reference=(0.0, "same as the better seat"),
            limits=(-1.0, 1.0),
            unit=points_tick,
        ),
        note=f"{100 * known[0][1].level:.0f} % intervals, each for one condition.",
    )


def say_contrasts(
    rows: Sequence[ConditionContrasts], *, decision: Decision | None = None
) -> Iterator[str]:
    """Yield the headline of a run: the primary contrast, the better seat, the vote.

    With a stopping rule its last look comes first, in place of the test for a fixed number of questions.

    Differences are claimed by p-values that are adjusted for all conditions (Holm), so a claim is false in
    at most 5 % of studies in which discussing changes nothing, with any number of conditions.
    """
    if decision is None:
        yield from _say_primary(rows)
    else:
        yield describe_decision(decision)
    for alternative, name in (
        ("over_better_seat", "its better seat alone, asked once"),
        ("over_vote", "a vote of its reviewers with as many calls"),
    ):
        named = [(row.condition, row.by_name[alternative]) for row in rows]
        if known := [(condition, one) for condition, one in named if one.difference is not None]:
            yield _say(name, known)


def note_decision(decision: Decision | None, *, isolate: bool = True) -> list[str]:
    """Return a note below a table of contrasts whose intervals do not allow for the looks, if any."""
    if decision is None:
        return []
    return [f"{describe_decision(decision, isolate=isolate)} {_FIXED}"]


def describe_decision(decision: Decision, *, isolate: bool = True) -> str:
    """Return the last look of a run with a stopping rule, with the interval that is valid there.

    Args:
        decision: the last look.
        isolate: set the name of the contrast apart for a page, where it may have another direction.
    """
    contrast = isolated(decision.contrast) if isolate else decision.contrast
    at = (
        f"look {decision.look}, after {decision.questions:,} of {decision.available:,} questions in "
        "random order"
    )
    verb = "Not stopped at" if decision.stop_reason is None else "Stopped at"
    known = minus_signs(points(decision.anytime))
    sentence = (
        f"{verb} {at}, by the rule \u201c{decision.rule}\u201d: the contrast "
        f"\u201c{contrast}\u201d {_FOUND[decision.outcome]}, {known} points "
        f"({decision.anytime.level:.0%} at all looks together)."
    )
    if decision.outcome == "precise":
        sentence += (
            f" The interval of the rule, {minus_signs(points(decision.usual))}, is for a number of "
            "questions fixed in advance."
        )
    if decision.continued:
        sentence += " The run was continued after this look without the rule."
    return sentence


def _say_primary(rows: Sequence[ConditionContrasts]) -> Iterator[str]:
    for row in rows:
        for one in row.all:
            if not one.primary:
                continue
            name = f"\u201c{isolated(row.condition)}\u201d over {_NAMES[one.alternative]}"
            name = f"The declared contrast, {name}"
            if one.difference is None:
                yield f"{name}, cannot be measured: {one.reason}."
                continue
            measured = one.difference.difference
            yield (
                f"{name}: {signed_points(measured)} points (interval of this contrast alone, "
                f"p\u00a0{phrase_p(one.difference.p_value)}), "
                f"{_judge(measured, 'more often right', 'less often right', 'which may be chance')}."
            )


def _say(other: str, named: _Named) -> str:
    """Return in which conditions a difference is shown, losses as gains, by adjusted p-values."""
    shown = {True: list[tuple[str, "Contrast"]](), False: list[tuple[str, "Contrast"]]()}
    rest: list[tuple[str, Contrast]] = []
    for condition, one in named:
        gains = one.difference is not None and one.difference.difference.value > 0.0
        (shown[gains] if one.p_holm <= _CLAIMED else rest).append((condition, one))
    parts = [
        f"{_count(found, len(named))} {verb} {other} ({_list(found)})"
        for found, verb in (
            (shown[True], "is shown to be more often right than"),
            (shown[False], "is shown to be less often right than"),
        )
        if found
    ]
    if not parts:
        return f"No discussion is shown to differ from {other} ({_list(rest)})."
    unsure = f"; not shown for {len(rest)} more ({_list(rest)})" if rest else ""
    return f"{'; '.join(parts)}{unsure}."


def _count(found: _Named, every: int) -> str:
    return "Discussing" if every == 1 else f"Discussing in {len(found)} of {every} conditions"


def _list(named: _Named) -> str:
    return (
        "; ".join(
            f"\u201c{isolated(condition)}\u201d {signed_points(one.difference.difference)}"
            for condition, one in named
            if one.difference is not None
        )
        + " points"
    )


def _judge(measured: Measurement, better: str, worse: str, unsure: str) -> str:
    if measured.low > 0.0:
        return better
    return worse if measured.high < 0.0 else unsure


def signed_points(measured: Measurement) -> str:
    """Format a difference in points with its interval and minus signs."""
    return minus_signs(points(measured))


def phrase_p(value: float) -> str:
    """Format a p-value as it follows the letter p: `= 0.03` or `< 0.001`."""
    text = p_value(value)
    return (text if text.startswith("<") else f"= {text}").replace(" ", "\u00a0")
