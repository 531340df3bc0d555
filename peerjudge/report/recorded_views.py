"""Which figures the report of recorded reviews shows, drawn from what they say."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

from peerjudge.analysis.recorded import ALL, WEIGHTED, Evaluator, RecordedFindings
from peerjudge.data import Measurement, Ranking, Scheme
from peerjudge.report.drawing import Figure, collected
from peerjudge.report.figures import (
    DotFigure,
    HeatFigure,
    LineFigure,
    Marked,
    MarkFigure,
    Values,
    decimal,
    dot_figure,
    heat_figure,
    line_figure,
    mark_figure,
)
from peerjudge.report.published import Published
from peerjudge.report.views import grid_of, measured_of, series_of
from peerjudge.report.words import percent

__all__ = ["contestants_of", "recorded_figures_of"]

_SHARES = (0.0, 1.0)
_START = 1000.0
_MOST_ROWS = 30


def recorded_figures_of(found: RecordedFindings, printed: Published) -> Mapping[str, Figure]:
    """The figures by name; a figure that has nothing to show is left out."""
    return collected(
        win_rate=(
            _win_rate(found, printed),
            "Win rate of each contestant by evaluator, with intervals and printed values.",
        ),
        elo=(
            _elo(found, printed),
            "Elo rating of each contestant by evaluator, with intervals and printed values.",
        ),
        agreement=(
            _agreement(found, printed),
            "Accuracy of each jury against gold, with intervals and printed values.",
        ),
        weights=(_weights(found), "Weight of each reviewer under both schemes, with intervals."),
        trajectory=(
            _trajectory(found),
            "Elo rating of the best contestant after so many battles, by evaluator.",
        ),
        position=(
            _position(found),
            "Share of each reviewer's choices that fall on the first-shown answer.",
        ),
        win_rates=(
            _heat(found),
            "How often each contestant won against each other one, by evaluator.",
        ),
    )


def contestants_of(found: RecordedFindings) -> tuple[str, ...]:
    """The contestants in the order of the ranking that weighs most of what is known."""
    names = [evaluator.jury.name for evaluator in found.evaluators]
    if not names:
        return ()
    place = next((names.index(name) for name in (WEIGHTED, ALL) if name in names), 0)
    return tuple(found.evaluators[place].win_rate.contestants)


def _win_rate(found: RecordedFindings, printed: Published) -> MarkFigure | None:
    rankings = {one.jury.name: one.win_rate for one in found.evaluators}
    return _rankings(found, rankings, printed.win_rate, digits=3)


def _elo(found: RecordedFindings, printed: Published) -> MarkFigure | None:
    rankings = {one.jury.name: one.elo for one in found.evaluators if one.elo is not None}
    return _rankings(found, rankings, printed.elo, digits=0)


def _rankings(
    found: RecordedFindings,
    rankings: Mapping[str, Ranking],
    printed: Mapping[str, Mapping[str, float]],
    *,
    digits: int,
) -> MarkFigure | None:
    if not rankings:
        return None
    rows = [
        (
            name,
            [
                _ranked(ranking, name, printed.get(evaluator, {}).get(name), digits)
                for evaluator, ranking in rankings.items()
            ],
        )
        for name in contestants_of(found)[:_MOST_ROWS]
    ]
    middle = 0.5 if digits else _START
    return mark_figure(
        rows,
        list(rankings),
        reference=(middle, "half of the battles" if digits else "the start"),
        limits=_SHARES if digits else None,
        unit=decimal,
    )


def _ranked(ranking: Ranking, name: str, printed: float | None, digits: int) -> Marked | None:
    if name not in ranking.contestants or isnan(ranking.contestants[name].score):
        return None
    measured = measured_of(ranking, name)
    return Marked(measured=measured, note=_note(measured, digits), printed=printed)


def _note(measured: Measurement, digits: int) -> str:
    value, low, high = (
        f"{x + 1e-9:.{digits}f}" for x in (measured.value, measured.low, measured.high)
    )
    return f"{value} [{low}, {high}]"


def _agreement(found: RecordedFindings, printed: Published) -> MarkFigure | None:
    rows = [
        (
            row.jury.name,
            [
                Marked(
                    measured=row.agreement.accuracy,
                    note=_note(row.agreement.accuracy, 3),
                    printed=printed.agreement.get(row.jury.name, {}).get("accuracy"),
                )
            ],
        )
        for row in found.agreement
    ]
    return mark_figure(rows, [""], limits=_SHARES, unit=decimal) if rows else None


def _weights(found: RecordedFindings) -> DotFigure | None:
    prd, damped = (found.weights.get(scheme.value) for scheme in (Scheme.PRD, Scheme.DAMPED))
    shown = prd or damped
    if shown is None:
        return None
    rows = [
        Values(
            name=name,
            note=str(weight),
            start=None if damped is None or prd is None else damped[name],
            end=weight,
        )
        for name, weight in sorted(shown.items(), key=lambda item: -item[1].value)
    ]
    return dot_figure(
        rows[:_MOST_ROWS],
        reference=(1 / len(rows), "equal weights"),
        limits=_SHARES,
        unit=decimal,
        keys=("damped", "PRD Equation 2"),
        arrows=False,
    )


def _trajectory(found: RecordedFindings) -> LineFigure | None:
    series = [
        series_of(one.trajectory, _judge(one))
        for one in _apart(found)
        if one.trajectory is not None
    ]
    return line_figure(series, across="battles", up="Elo rating") if series else None


def _apart(found: RecordedFindings) -> list[Evaluator]:
    """The evaluators of PRD Figures 4 and 7: all alike give way to all by weight."""
    names = [one.jury.name for one in found.evaluators]
    return [one for one in found.evaluators if one.jury.name != ALL or WEIGHTED not in names]


def _position(found: RecordedFindings) -> DotFigure | None:
    both_orders = {row.reviewer for row in found.consistency}
    rows = [
        Values(name=row.reviewer, note=f"{percent(row.share)} %", end=row.share)
        for row in found.positions
        if row.share.n and row.reviewer in both_orders
    ]
    rows.sort(key=lambda row: -row.end.value if row.end is not None else 0.0)
    if not rows or len(rows) > _MOST_ROWS:
        return None
    return dot_figure(rows, reference=(0.5, "no preference"), limits=_SHARES)


def _heat(found: RecordedFindings) -> HeatFigure | None:
    order = contestants_of(found)
    grids = [grid_of(one.head_to_head, title=_judge(one), order=order) for one in _apart(found)]
    return heat_figure(grids) if grids else None


def _judge(evaluator: Evaluator) -> str:
    alone = len(evaluator.jury.reviewers) == 1 and evaluator.jury.name in evaluator.jury.reviewers
    return f"{evaluator.jury.name} as evaluator" if alone else evaluator.jury.name
