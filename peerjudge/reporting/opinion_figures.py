"""Figures of opinion changes: events, turns, persuasion, agreement and courses of discussions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING

from peerjudge.data import EventKind, Measurement, Role
from peerjudge.reporting.accuracy import SHARES
from peerjudge.reporting.drawing import Figure
from peerjudge.reporting.figures import (
    Counts,
    Link,
    Series,
    Square,
    Strip,
    draw_bars,
    draw_lines,
    draw_network,
    draw_strips,
)
from peerjudge.reporting.formats import (
    counted,
    interval_note,
    name_role,
    percent,
    share,
    share_tick,
)

if TYPE_CHECKING:
    from peerjudge.analysis.courses import Course
    from peerjudge.analysis.findings import Findings
    from peerjudge.analysis.influence import StanceCounts

_CONTRADICTED = (EventKind.HELD, EventKind.ALTERED, EventKind.SHIFTED)
_HEADS = {Role.LEADER: "L", Role.FOLLOWER: "F"}
_MOST_NODES = 8
"""Arrows between more reviewers than this cover each other; the table has all."""
_MOST_WORDS = 10
"""More arrows than this have room for their shares only; the table has the counts."""


def draw_events(findings: Findings) -> Figure | None:
    """Return how often each reviewer held or altered, by role (PRD Figure 6)."""
    rows = [
        Counts(
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
        drawing=draw_bars(rows, across="number of contradictions"),
        note=interval_note(findings.level, findings.questions),
    )


def draw_turns(findings: Findings, rounds: Sequence[StanceCounts]) -> Figure | None:
    """Return how often seats held or altered, by turn."""
    rows = [
        Counts(
            group=f"turn {row.round}",
            name=row.role.value if row.role is not None else "",
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
        drawing=draw_bars(rows, across="number of contradictions"),
        note=interval_note(findings.level, findings.questions),
    )


def _altered_note(altered: Measurement | None, contradicted: int) -> str:
    if altered is None or not contradicted:
        return "never contradicted"
    return f"altered {percent(altered)} % of {contradicted:,}"


def _contradicted(events: Mapping[EventKind, int]) -> list[tuple[str, str, int]]:
    return [
        (kind.value, f"{kind.value} {counted(events[kind], 'time')}", events[kind])
        for kind in _CONTRADICTED
        if events[kind]
    ]


def draw_agreement(findings: Findings) -> Figure | None:
    """Return the share of discussions whose seats have agreed by each turn."""
    settling = findings.stances.settling
    if not any(row.after for row in settling):
        return None
    series: list[Series] = []
    for row in settling:
        last = max(ceil(row.turns), *row.after, 1)
        fresh = [row.from_start, *(row.after.get(turn, 0) for turn in range(1, last + 1))]
        shares = [number / row.discussions for number in accumulate(fresh)]
        series.append(
            Series(
                name=row.condition,
                note=f"{share(shares[-1])} % of {row.discussions:,}",
                at=range(last + 1),
                values=shares,
                low=shares,
                high=shares,
            )
        )
    return Figure(
        id="agreement",
        description="Share of discussions whose seats have agreed by each turn.",
        drawing=draw_lines(
            series,
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
        drawing=draw_strips(strips),
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
            title=f"{step.role.value}{', in private' if step.private else ''}: {step.stand}",
            fresh=place > 0 and steps[place - 1].private and not step.private,
        )
        for place, step in enumerate(steps)
    ]


def draw_persuasion(findings: Findings) -> Figure | None:
    """Return how often each reviewer altered its opinion after hearing each other one."""
    between = [one for one in findings.stances.persuasion if one.speaker != one.listener]
    names = list(dict.fromkeys(name for one in between for name in (one.speaker, one.listener)))
    if not 1 < len(names) <= _MOST_NODES:
        return None
    most = max((one.share.value for one in between), default=0.0) or 1.0
    crowded = sum(one.altered > 0 for one in between) > _MOST_WORDS
    links = [
        Link(
            source=one.speaker,
            target=one.listener,
            strength=one.share.value / most,
            label=f"{share(one.share.value)} %" + ("" if crowded else f" of {one.contradicted:,}"),
            title=f"{one.listener} altered its opinion {one.altered} of {one.contradicted} times "
            f"when {one.speaker} disagreed",
        )
        for one in between
        if one.altered
    ]
    return Figure(
        id="persuasion",
        description="Persuasion: how often each reviewer altered its opinion after hearing each "
        "other one.",
        drawing=draw_network(names, links),
        note="From the reviewer that persuaded to the one that altered: in % of their disagreements.",
    )
