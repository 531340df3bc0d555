"""Figures of contestants and of the reviewers they make: weights, ranks, ratings, wins."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from peerjudge.analysis.peers import HeadToHead, PeerFindings, Trajectory
from peerjudge.data import Measurement, Ranking, Standing
from peerjudge.reporting.drawing import Figure
from peerjudge.reporting.figures import (
    Grid,
    Series,
    Values,
    dot_figure,
    heat_figure,
    line_figure,
)
from peerjudge.reporting.formats import counted, orders_note, plain_tick, rating_tick, share

__all__ = [
    "MOST_ROWS",
    "grid_of",
    "head_to_head",
    "heat_note",
    "measured_of",
    "ranking",
    "series_of",
    "trajectory",
    "weights",
]

MOST_ROWS = 30
"""A figure of more contestants than this cannot be read; the table has all."""


def weights(peers: PeerFindings | None, note: str) -> Figure | None:
    """The weight of each reviewer (PRD Figure 3)."""
    if peers is None or not peers.weights:
        return None
    rows = [
        Values(name=name, note=str(weight), end=weight)
        for name, weight in sorted(peers.weights.items(), key=lambda item: -item[1].value)
    ]
    return Figure(
        id="weights",
        description="Weight of each reviewer, by the damped scheme.",
        drawing=dot_figure(
            rows[:MOST_ROWS],
            across="weight (all sum to 1)",
            reference=(1 / len(rows), "equal weights"),
            limits=(0.0, 1.0),
            unit=plain_tick,
        ),
        note=note,
    )


def ranking(peers: PeerFindings | None, note: str) -> Figure | None:
    """The win rate of each contestant, under equal and under peer weights."""
    if peers is None:
        return None
    best = peers.weighted or peers.equal
    rows = [
        Values(
            name=f"{standing.rank}. {name}",
            note=_score(standing),
            start=None if peers.weighted is None else measured_of(peers.equal, name),
            end=measured_of(best, name),
        )
        for name, standing in best.contestants.items()
        if not isnan(standing.score)
    ]
    if not rows:
        return None
    return Figure(
        id="ranking",
        description="Win rate of each contestant in the private verdicts of all reviewers.",
        drawing=dot_figure(
            rows[:MOST_ROWS],
            across="battles won; a tie is half a win",
            limits=(0.0, 1.0),
            keys=("equal weights", "peer weights"),
        ),
        note=f"{note} {counted(best.reviews, 'private review')}.",
    )


def trajectory(peers: PeerFindings | None, level: float) -> Figure | None:
    """How the ratings of the best contestants grow (PRD Figure 4)."""
    if peers is None or not peers.trajectories:
        return None
    return Figure(
        id="elo-trajectory",
        description="Elo rating of each contestant after so many battles.",
        drawing=line_figure(
            [series_of(one, one.contestant) for one in peers.trajectories],
            across="battles",
            up="Elo rating",
            unit=rating_tick,
        ),
        note=orders_note(level),
    )


def head_to_head(peers: PeerFindings | None) -> Figure | None:
    """Who won how often against whom (PRD Figure 7)."""
    if peers is None:
        return None
    by = "equal weights" if peers.weighted is None else "peer weights"
    return Figure(
        id="head-to-head",
        description="How often each contestant won against each other one.",
        drawing=heat_figure([grid_of(peers.head_to_head, title=f"All reviewers, {by}")]),
        note=heat_note([peers.head_to_head]),
    )


def heat_note(grids: Sequence[HeadToHead]) -> str:
    """How a heat map is read, and how many battles its squares rest on."""
    met = [number for grid in grids for row in grid.battles for number in row if number]
    few, many = min(met, default=0), max(met, default=0)
    battles = f"{few:,}" if few == many else f"{few:,} to {many:,}"
    return (
        "In %: wins of the row over the column, ties as half. "
        f"Blue: over half, orange: under; {battles} battles each."
    )


def series_of(trajectory: Trajectory, name: str, printed: float | None = None) -> Series:
    """The line of a trajectory, which says where it ends."""
    end, low, high = trajectory.mean[-1], trajectory.low[-1], trajectory.high[-1]
    return Series(
        name=name,
        note=f"{end:.0f} [{low:.0f}, {high:.0f}]",
        at=trajectory.battles,
        values=trajectory.mean,
        low=trajectory.low,
        high=trajectory.high,
        printed=printed,
    )


def grid_of(versus: HeadToHead, *, title: str, order: Sequence[str] = ()) -> Grid:
    """The grid of a heat map; rows and columns in this order, or in the ranking's own."""
    own = versus.contestants
    names = [name for name in order if name in own] or list(own)
    place = [own.index(name) for name in names]
    return Grid(
        title=title,
        names=names,
        shares=[[versus.shares[row][column] for column in place] for row in place],
        battles=[[versus.battles[row][column] for column in place] for row in place],
    )


def measured_of(ranking: Ranking, name: str) -> Measurement:
    """A contestant's score with its bounds, a point where it has none."""
    standing = ranking.contestants[name]
    low, high = standing.low, standing.high
    return Measurement(
        value=standing.score,
        low=standing.score if low is None else low,
        high=standing.score if high is None else high,
        n=ranking.reviews,
    )


def _score(standing: Standing) -> str:
    if standing.low is None or standing.high is None:
        return share(standing.score)
    return f"{share(standing.score)} [{share(standing.low)}, {share(standing.high)}] %"
