"""Which figures the report of recorded reviews shows, drawn from what they say."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

from peerjudge.analysis.recorded import ALL, WEIGHTED, Evaluator, RecordedFindings
from peerjudge.data import Measurement, Ranking, Scheme
from peerjudge.reporting.drawing import Figure, collected
from peerjudge.reporting.figures import (
    Marked,
    Values,
    dot_figure,
    heat_figure,
    line_figure,
    mark_figure,
)
from peerjudge.reporting.formats import (
    counted,
    interval_note,
    orders_note,
    percent,
    plain_tick,
    rating_tick,
)
from peerjudge.reporting.peer_views import MOST_ROWS, grid_of, heat_note, measured_of, series_of
from peerjudge.reporting.published import Published

__all__ = ["contestants_of", "recorded_figures_of"]

_SHARES = (0.0, 1.0)
_START = 1000.0


def recorded_figures_of(found: RecordedFindings, printed: Published) -> Mapping[str, Figure]:
    """The figures by name; a figure that has nothing to show is left out."""
    note = interval_note(found.level, found.questions)
    return collected(
        _win_rate(found, printed, note),
        _elo(found, printed, note),
        _agreement(found, printed, note),
        _weights(found, note),
        _trajectory(found, printed),
        _position(found, note),
        _heat(found),
    )


def contestants_of(found: RecordedFindings) -> tuple[str, ...]:
    """The contestants in the order of the ranking that weighs most of what is known."""
    names = [evaluator.jury.name for evaluator in found.evaluators]
    if not names:
        return ()
    place = next((names.index(name) for name in (WEIGHTED, ALL) if name in names), 0)
    return tuple(found.evaluators[place].win_rate.contestants)


def _win_rate(found: RecordedFindings, printed: Published, note: str) -> Figure | None:
    rankings = {one.jury.name: one.win_rate for one in found.evaluators}
    rows = _ranked_rows(found, rankings, printed.win_rate, digits=3)
    if not rows:
        return None
    return Figure(
        id="win-rate",
        description="Win rate of each contestant in the eyes of each evaluator.",
        drawing=mark_figure(
            rows,
            list(rankings),
            across="win rate; a tie is half a win",
            reference=(0.5, "half of the battles"),
            limits=_SHARES,
            unit=plain_tick,
        ),
        note=note,
    )


def _elo(found: RecordedFindings, printed: Published, note: str) -> Figure | None:
    rankings = {one.jury.name: one.elo for one in found.evaluators if one.elo is not None}
    rows = _ranked_rows(found, rankings, printed.elo, digits=0)
    if not rows:
        return None
    return Figure(
        id="elo",
        description="Elo rating of each contestant in the eyes of each evaluator.",
        drawing=mark_figure(
            rows,
            list(rankings),
            across="Elo rating",
            reference=(_START, "the start"),
            unit=rating_tick,
        ),
        note=f"{note[:-1]} and shuffling the battles.",
    )


def _ranked_rows(
    found: RecordedFindings,
    rankings: Mapping[str, Ranking],
    printed: Mapping[str, Mapping[str, float]],
    *,
    digits: int,
) -> list[tuple[str, list[Marked | None]]]:
    """For each contestant, best first, a mark by each evaluator."""
    if not rankings:
        return []
    return [
        (
            name,
            [
                _ranked(ranking, name, printed.get(evaluator, {}).get(name), digits)
                for evaluator, ranking in rankings.items()
            ],
        )
        for name in contestants_of(found)[:MOST_ROWS]
    ]


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


def _agreement(found: RecordedFindings, printed: Published, note: str) -> Figure | None:
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
    if not rows:
        return None
    items = max(row.agreement.n for row in found.agreement)
    return Figure(
        id="agreement",
        description=f"Accuracy of each jury against {'people' if found.humans else 'gold'}.",
        drawing=mark_figure(
            rows, [""], across="accuracy, as a share of the items", limits=_SHARES, unit=plain_tick
        ),
        note=f"{note} {counted(items, 'item')}: pairs in one shown order.",
    )


def _weights(found: RecordedFindings, note: str) -> Figure | None:
    prd, damped = (found.weights.get(scheme.value) for scheme in (Scheme.PRD, Scheme.DAMPED))
    shown = prd or damped
    if shown is None:
        return None
    rows = [
        Values(
            name=name,
            note=str(weight),
            count="" if damped is None or prd is None else f"damped {damped[name]}",
            start=None if damped is None or prd is None else damped[name],
            end=weight,
        )
        for name, weight in sorted(shown.items(), key=lambda item: -item[1].value)
    ]
    return Figure(
        id="weights",
        description="Weight of each reviewer, by PRD Equation 2 and by the damped scheme.",
        drawing=dot_figure(
            rows[:MOST_ROWS],
            across="weight (all of a scheme sum to 1)",
            reference=(1 / len(rows), "equal weights"),
            limits=_SHARES,
            unit=plain_tick,
            keys=("damped", "PRD Equation 2"),
            arrows=False,
        ),
        note=note,
    )


def _trajectory(found: RecordedFindings, printed: Published) -> Figure | None:
    series = [
        series_of(
            one.trajectory,
            _judge(one),
            printed.elo.get(one.jury.name, {}).get(one.trajectory.contestant),
        )
        for one in _apart(found)
        if one.trajectory is not None
    ]
    if not series:
        return None
    followed = next(one.trajectory.contestant for one in found.evaluators if one.trajectory)
    return Figure(
        id="elo-trajectory",
        description=f"Elo rating of {followed} after so many battles, by evaluator.",
        drawing=line_figure(series, across="battles", up="Elo rating", unit=rating_tick),
        note=orders_note(found.level),
    )


def _apart(found: RecordedFindings) -> list[Evaluator]:
    """The evaluators of PRD Figures 4 and 7: all alike give way to all by weight."""
    names = [one.jury.name for one in found.evaluators]
    return [one for one in found.evaluators if one.jury.name != ALL or WEIGHTED not in names]


def _position(found: RecordedFindings, note: str) -> Figure | None:
    both_orders = {row.reviewer for row in found.consistency}
    rows = [
        Values(
            name=row.reviewer,
            note=f"{percent(row.share)} %",
            count=counted(row.share.n, "choice"),
            end=row.share,
        )
        for row in sorted(found.positions, key=lambda row: -row.share.value)
        if row.share.n and row.reviewer in both_orders
    ]
    if not rows or len(rows) > MOST_ROWS:
        return None
    return Figure(
        id="position",
        description="Share of each reviewer's choices that fall on the first-shown answer.",
        drawing=dot_figure(
            rows,
            across="choices that fall on the first-shown answer",
            reference=(0.5, "no preference"),
            limits=_SHARES,
        ),
        note=note,
    )


def _heat(found: RecordedFindings) -> Figure | None:
    order, shown = contestants_of(found), _apart(found)
    if not shown:
        return None
    return Figure(
        id="head-to-head",
        description="How often each contestant won against each other one, by evaluator.",
        drawing=heat_figure(
            [grid_of(one.head_to_head, title=_judge(one), order=order) for one in shown]
        ),
        note=heat_note([one.head_to_head for one in shown]),
    )


def _judge(evaluator: Evaluator) -> str:
    alone = len(evaluator.jury.reviewers) == 1 and evaluator.jury.name in evaluator.jury.reviewers
    return f"{evaluator.jury.name} as evaluator" if alone else evaluator.jury.name
