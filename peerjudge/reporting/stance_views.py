"""Figures of stances: who held and who altered, who persuaded whom, and how discussions went."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from math import ceil

from peerjudge.analysis.courses import Course
from peerjudge.analysis.findings import Findings
from peerjudge.analysis.influence import CONTRADICTED, StanceCounts
from peerjudge.data import EventKind, Measurement, Role
from peerjudge.reporting.drawing import Figure
from peerjudge.reporting.figures import (
    Counts,
    Link,
    Series,
    Square,
    Strip,
    bar_figure,
    line_figure,
    network_figure,
    strip_figure,
)
from peerjudge.reporting.formats import counted, percent, role_name, share, share_tick

__all__ = ["agreement", "courses", "events", "persuasion", "rounds_of", "turns"]

_HEADS = {Role.LEADER: "L", Role.FOLLOWER: "F"}
_MOST_NODES = 8
"""Arrows between more reviewers than this cover each other; the table has all."""
_MOST_WORDS = 10
"""More arrows than this have room for their shares only; the table has the counts."""


def events(findings: Findings, note: str) -> Figure | None:
    """How often each reviewer held or altered, by role (PRD Figure 6)."""
    rows = [
        Counts(
            group=seat.reviewer,
            name=role_name(seat.role),
            note=_altered(seat.altered, seat.contradicted),
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
        drawing=bar_figure(rows, across="times that it was contradicted"),
        note=note,
    )


def turns(findings: Findings, note: str) -> Figure | None:
    """How often seats held or altered, by turn."""
    rows = [
        Counts(
            group=f"turn {row.round}",
            name=row.role.value if row.role is not None else "",
            note=_altered(row.altered, sum(row.events[kind] for kind in CONTRADICTED)),
            parts=_contradicted(row.events),
        )
        for row in rounds_of(findings)
    ]
    if not any(row.parts for row in rows):
        return None
    return Figure(
        id="turns",
        description="How often seats held or altered their opinion when contradicted, by turn.",
        drawing=bar_figure(rows, across="times that a seat was contradicted"),
        note=note,
    )


def rounds_of(findings: Findings) -> list[StanceCounts]:
    """The counts by turn and role, in order of turns."""
    rows = [row for row in findings.stances.counts if row.round is not None]
    return sorted(rows, key=lambda row: row.round or 0)


def agreement(findings: Findings) -> Figure | None:
    """How many have agreed by each turn."""
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
        drawing=line_figure(
            series,
            across="turns after the private reviews",
            up="discussions that have come to agree",
            unit=share_tick,
            limits=(0.0, 1.0),
        ),
        note="Counts of discussions; after 0 turns the private reviews agree already.",
    )


def courses(findings: Findings, note: str) -> Figure | None:
    """The commonest courses of discussions."""
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
        description="The commonest courses of discussions: whose verdict named gold, turn by turn.",
        drawing=strip_figure(strips),
        note="P: private verdicts, in the order of the seats; then turn by turn: L leader, "
        f"F follower, T another. Right: the share of the condition's discussions, with how many. {note}",
    )


def persuasion(findings: Findings) -> Figure | None:
    """Who gave way to whom how often."""
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
            title=f"{one.listener} gave way to {one.speaker} {one.altered} times "
            f"of {one.contradicted}",
        )
        for one in between
        if one.altered
    ]
    return Figure(
        id="persuasion",
        description="Who persuades whom: how often each reviewer gave way to each other one.",
        drawing=network_figure(names, links),
        note="From who persuaded to who gave way: in % of the times that the two disagreed.",
    )


def _altered(altered: Measurement | None, contradicted: int) -> str:
    if altered is None or not contradicted:
        return "never contradicted"
    return f"altered {percent(altered)} % of {contradicted:,}"


def _contradicted(events: Mapping[EventKind, int]) -> list[tuple[str, str, int]]:
    return [
        (kind.value, f"{kind.value} {counted(events[kind], 'time')}", events[kind])
        for kind in CONTRADICTED
        if events[kind]
    ]


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
