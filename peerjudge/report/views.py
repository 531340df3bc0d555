"""Which figures the report of a run shows, drawn from its findings."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

from peerjudge.analysis.accuracy import Accuracy
from peerjudge.analysis.findings import CONTRADICTED, Findings
from peerjudge.analysis.stances import StanceCounts
from peerjudge.data import EventKind, Measurement
from peerjudge.report.drawing import Figure, collected
from peerjudge.report.figures import (
    Counts,
    Link,
    Series,
    Values,
    bar_figure,
    dot_figure,
    in_points,
    line_figure,
    network_figure,
    per_cent,
)
from peerjudge.report.peer_views import head_to_head, ranking, trajectory, weights
from peerjudge.report.words import (
    MISSING,
    counted,
    interval_note,
    percent,
    points,
    role_name,
    share,
)

__all__ = ["figures_of", "rounds_of"]

_SHARES = (0.0, 1.0)
_MOST_NODES = 12
"""Arrows between more reviewers than this cover each other; the table has all."""


def figures_of(findings: Findings) -> Mapping[str, Figure]:
    """The figures of a run by name; a figure that has nothing to show is left out."""
    note = interval_note(findings.level, findings.questions)
    return collected(
        _accuracy(findings, note),
        _against_vote(findings, note),
        _events(findings, note),
        _turns(findings, note),
        _agreement(findings),
        _persuasion(findings),
        _position(findings, note),
        weights(findings.peers, note),
        ranking(findings.peers, note),
        trajectory(findings.peers, findings.level),
        head_to_head(findings.peers),
    )


def _accuracy(findings: Findings, note: str) -> Figure | None:
    rows = [
        Values(
            name=condition.name,
            note=_from_to(_known(condition.before), after),
            count=counted(after.n, "conclusion"),
            start=_known(condition.before),
            end=after,
        )
        for condition in findings.conditions
        if (after := _known(condition.after)) is not None
    ]
    if not rows:
        return None
    return Figure(
        id="accuracy",
        description="Accuracy of each condition: of the private verdicts before discussion, and "
        "of the conclusions after it.",
        drawing=dot_figure(
            rows,
            across="verdicts that name the gold answer",
            reference=_chance(findings, "chance"),
            limits=_SHARES,
        ),
        note=note,
    )


def _known(accuracy: Accuracy | None) -> Measurement | None:
    return accuracy.measured if accuracy is not None and accuracy.measured.n else None


def _against_vote(findings: Findings, note: str) -> Figure | None:
    rows = [
        Values(
            name=row.condition,
            note=points(row.difference).replace("-", "\u2212"),
            count=counted(row.comparisons, "comparison"),
            end=row.difference,
        )
        for row in findings.against_vote
        if row.difference is not None
    ]
    if not rows:
        return None
    return Figure(
        id="against-vote",
        description="Accuracy of each condition minus that of the vote, on the same comparisons.",
        drawing=dot_figure(
            rows,
            across="difference in accuracy, in percentage points",
            reference=(0.0, "same as the vote"),
            limits=(-1.0, 1.0),
            unit=in_points,
        ),
        note=note,
    )


def _events(findings: Findings, note: str) -> Figure | None:
    rows = [
        Counts(
            group=seat.reviewer,
            name=role_name(seat),
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


def _turns(findings: Findings, note: str) -> Figure | None:
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


def _agreement(findings: Findings) -> Figure | None:
    settling = findings.stances.settling
    latest = max((turn for row in settling for turn in row.after), default=0)
    if not latest:
        return None
    series: list[Series] = []
    for row in settling:
        fresh = [row.from_start, *(row.after.get(turn, 0) for turn in range(1, latest + 1))]
        shares = [number / row.discussions for number in accumulate(fresh)]
        series.append(
            Series(
                name=row.condition,
                note=f"{share(shares[-1])} % of {row.discussions:,}",
                at=range(latest + 1),
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
            unit=per_cent,
            limits=_SHARES,
        ),
        note="Counts of discussions; after 0 turns the private reviews agree already.",
    )


def _persuasion(findings: Findings) -> Figure | None:
    between = [one for one in findings.stances.persuasion if one.speaker != one.listener]
    names = list(dict.fromkeys(name for one in between for name in (one.speaker, one.listener)))
    if not 1 < len(names) <= _MOST_NODES:
        return None
    most = max((one.share.value for one in between), default=0.0) or 1.0
    links = [
        Link(
            source=one.speaker,
            target=one.listener,
            strength=one.share.value / most,
            label=f"{share(one.share.value)} % of {one.contradicted:,}",
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


def _position(findings: Findings, note: str) -> Figure | None:
    rows = [
        Values(
            name=seat.reviewer,
            note=_from_to(seat.first_before, seat.first_after),
            count=counted(seat.first_after.n, "choice"),
            start=seat.first_before,
            end=seat.first_after,
        )
        for seat in findings.by_reviewer
        if seat.first_after is not None
    ]
    if not rows:
        return None
    return Figure(
        id="position",
        description="Share of each reviewer's choices that fall on the first-shown answer, before "
        "and after discussion.",
        drawing=dot_figure(
            rows,
            across="choices that fall on the first-shown answer",
            reference=_chance(findings, "no preference"),
            limits=_SHARES,
        ),
        note=note,
    )


def _chance(findings: Findings, words: str) -> tuple[float, str] | None:
    if findings.answers is None or findings.answers < 2:
        return None
    return 1 / findings.answers, words


def _from_to(before: Measurement | None, after: Measurement | None) -> str:
    if after is None:
        return MISSING
    if before is None:
        return f"{percent(after)} %"
    return f"{share(before.value)} \u2192 {percent(after)} %"
