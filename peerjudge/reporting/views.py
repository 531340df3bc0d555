"""Which figures the report of a run shows, drawn from its findings."""

from __future__ import annotations

from collections.abc import Mapping

from peerjudge.analysis.accuracy import Accuracy
from peerjudge.analysis.findings import Findings
from peerjudge.data import Measurement
from peerjudge.reporting.drawing import Figure, collected
from peerjudge.reporting.figures import Values, dot_figure
from peerjudge.reporting.formats import (
    MISSING,
    counted,
    interval_note,
    percent,
    points,
    points_tick,
    share,
)
from peerjudge.reporting.peer_views import head_to_head, ranking, trajectory, weights
from peerjudge.reporting.stance_views import agreement, courses, events, persuasion, turns

__all__ = ["figures_of"]

_SHARES = (0.0, 1.0)


def figures_of(findings: Findings) -> Mapping[str, Figure]:
    """The figures of a run by name; a figure that has nothing to show is left out."""
    note = interval_note(findings.level, findings.questions)
    return collected(
        _accuracy(findings, note),
        _against_vote(findings, note),
        events(findings, note),
        turns(findings, note),
        agreement(findings),
        courses(findings, note),
        persuasion(findings),
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
            unit=points_tick,
        ),
        note=note,
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
