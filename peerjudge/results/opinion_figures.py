"""Figures of opinion changes: events, turns, persuasion, agreement and courses of discussions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING

from peerjudge.data import EventKind, Measurement, Role
from peerjudge.reporting.figures import (
    Bar,
    Bars,
    Curve,
    Curves,
    Figure,
    Row,
    Rows,
    Square,
    Strip,
    Strips,
    build_mark,
)
from peerjudge.reporting.formats import (
    counted,
    interval_note,
    name_role,
    percent,
    share,
    share_tick,
)
from peerjudge.results.accuracy import SHARES

if TYPE_CHECKING:
    from peerjudge.analysis.findings import Findings
    from peerjudge.analysis.influence import StanceCounts
    from peerjudge.analysis.outcomes import Course


_CONTRADICTED = (EventKind.HELD, EventKind.ALTERED, EventKind.SHIFTED)

_HEADS: Mapping[str, str] = {Role.LEADER: "L", Role.FOLLOWER: "F"}

_MOST_PAIRS = 30
"""A figure of more pairs than this is not readable; the table has all."""


def draw_events(findings: Findings) -> Figure | None:
    """Return how often each reviewer held or altered, by role (PRD Figure 6)."""
    rows = [
        Bar(
            group=seat.reviewer,
            name=name_role(seat.role),
            note=_altered_note(seat.altered, seat.contradicted),
            parts=_contradicted(seat.events),
        )
        for seat in findings.by_seat
    ]
    if not any(seat.contradicted for seat in findings.by_seat):
        return None
    return Figure(
        id="events",
        description="How often each reviewer, leading or following, held or altered its opinion "
        "when contradicted.",
        chart=Bars(bars=rows, across="number of contradictions"),
        note=interval_note(findings.level, findings.questions),
    )


def draw_turns(findings: Findings, rounds: Sequence[StanceCounts]) -> Figure | None:
    """Return how often seats held or altered, by turn."""
    rows = [
        Bar(
            group=f"turn {row.round}",
            name=row.role or "",
            note=_altered_note(row.altered, sum(row.events[kind] for kind in _CONTRADICTED)),
            parts=_contradicted(row.events),
        )
        for row in rounds
    ]
    if not any(row.parts for row in rows):
        return None
    return Figure(
        id="turns",
        description="How often seats held or altered their opinion when contradicted, by turn.",
        chart=Bars(bars=rows, across="number of contradictions"),
        note=interval_note(findings.level, findings.questions),
    )


def _altered_note(altered: Measurement | None, contradicted: int) -> str:
    if altered is None or not contradicted:
        return "never contradicted"
    return f"altered {percent(altered)} % of {contradicted:,}"


def _contradicted(events: Mapping[EventKind, int]) -> list[tuple[str, int]]:
    return [(kind.value, events[kind]) for kind in _CONTRADICTED if events[kind]]


def draw_agreement(findings: Findings) -> Figure | None:
    """Return the share of discussions whose seats have agreed by each turn."""
    settling = findings.stances.settling
    if not any(row.after for row in settling):
        return None
    curves: list[Curve] = []
    for row in settling:
        last = max(ceil(row.turns), *row.after, 1)
        fresh = [row.from_start, *(row.after.get(turn, 0) for turn in range(1, last + 1))]
        shares = [number / row.discussions for number in accumulate(fresh)]
        curves.append(
            Curve(
                name=row.condition,
                note=f"{share(shares[-1])} % of {row.discussions:,}",
                at=range(last + 1),
                values=shares,
            )
        )
    return Figure(
        id="agreement",
        description="Share of discussions whose seats have agreed by each turn.",
        chart=Curves(
            curves=curves,
            across="turns after the private reviews",
            up="discussions that have reached agreement",
            unit=share_tick,
            limits=SHARES,
        ),
        note="Counts of discussions; at 0 turns the private reviews already agree.",
    )


def draw_courses(findings: Findings) -> Figure | None:
    """Return the most common sequences of verdicts of each condition."""
    if not findings.courses:
        return None
    strips = [
        Strip(
            group=course.condition,
            squares=_squares(course),
            share=course.share.value,
            note=f"{percent(course.share)} % ({course.discussions:,})",
        )
        for course in findings.courses
    ]
    return Figure(
        id="courses",
        description="The most common courses of discussions: which verdicts named gold, turn by "
        "turn.",
        chart=Strips(strips=strips),
        note="P: private verdicts, in the order of the seats; then turn by turn: L leader, "
        "F follower, T another. Right: the share of the condition's discussions, and their number. "
        + interval_note(findings.level, findings.questions),
    )


def _squares(course: Course) -> list[Square]:
    steps = course.steps
    return [
        Square(
            kind=step.stand,
            head="P" if step.private else _HEADS.get(step.role, "T"),
            title=f"{step.role}{', in private' if step.private else ''}: {step.stand}",
            fresh=place > 0 and steps[place - 1].private and not step.private,
        )
        for place, step in enumerate(steps)
    ]


def draw_persuasion(findings: Findings) -> Figure | None:
    """Return how often each reviewer altered its opinion after hearing each other one."""
    between = [
        one
        for one in findings.stances.persuasion
        if one.speaker != one.listener and one.contradicted
    ]
    if not between:
        return None
    rows = [
        Row(
            name=f"{one.speaker} \u2192 {one.listener}",
            note=f"{percent(one.share)} %",
            count=counted(one.contradicted, "disagreement"),
            marks=[build_mark(one.share)],
        )
        for one in sorted(between, key=lambda one: -one.share.value)
    ]
    return Figure(
        id="persuasion",
        description="Persuasion: how often each reviewer altered its opinion after hearing each "
        "other one.",
        chart=Rows(
            rows=rows[:_MOST_PAIRS],
            across="disagreements after which the second reviewer altered to the first one's answer",
            limits=SHARES,
        ),
        note=interval_note(findings.level, findings.questions),
    )
