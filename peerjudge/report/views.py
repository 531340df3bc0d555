"""Which figures the report of a run shows, drawn from its findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isnan

from peerjudge.analysis.accuracy import Accuracy
from peerjudge.analysis.findings import (
    CONTRADICTED,
    Findings,
    HeadToHead,
    PeerFindings,
    SeatFindings,
    Trajectory,
)
from peerjudge.analysis.stances import StanceCounts
from peerjudge.data import EventKind, Measurement, Ranking, Standing
from peerjudge.report.drawing import Figure, collected
from peerjudge.report.figures import (
    BarFigure,
    Counts,
    DotFigure,
    Grid,
    HeatFigure,
    LineFigure,
    Link,
    NetworkFigure,
    Series,
    Values,
    bar_figure,
    decimal,
    dot_figure,
    heat_figure,
    in_points,
    line_figure,
    network_figure,
)
from peerjudge.report.words import MISSING, counted, percent, points, role_name, share

__all__ = ["figures_of", "grid_of", "measured_of", "rounds_of", "series_of"]

_SHARES = (0.0, 1.0)
_MOST_NODES = 12
"""Arrows between more reviewers than this cover each other; the table has all."""
_MOST_ROWS = 30
"""A figure of more contestants than this cannot be read; the table has all."""


def figures_of(findings: Findings) -> Mapping[str, Figure]:
    """The figures of a run by name; a figure that has nothing to show is left out."""
    peers = findings.peers
    return collected(
        accuracy=(
            _accuracy(findings),
            "Accuracy of each condition before and after discussion, with intervals.",
        ),
        against_vote=(
            _against_vote(findings),
            "Difference in accuracy between each condition and the vote, with intervals.",
        ),
        events=(
            _events(findings.by_seat),
            "How often each reviewer, leading or following, held or altered when contradicted.",
        ),
        turns=(
            _turns(findings),
            "How often seats held or altered when contradicted, turn by turn.",
        ),
        persuasion=(
            _persuasion(findings),
            "Who persuades whom: how often each reviewer gave way to each other one.",
        ),
        position=(
            _position(findings),
            "Share of each reviewer's choices that fall on the first-shown answer.",
        ),
        weights=(_weights(peers), "Weight of each reviewer, with intervals."),
        ranking=(_ranking(peers), "Win rate of each contestant, with intervals."),
        trajectory=(
            _trajectory(peers),
            "Elo rating of each contestant after so many battles, with bounds over the orders.",
        ),
        win_rates=(
            _win_rates(peers),
            "How often each contestant won against each other one, in per cent of their battles.",
        ),
    )


def _accuracy(findings: Findings) -> DotFigure | None:
    rows: list[Values] = []
    for condition in findings.conditions:
        before, after = _known(condition.before), _known(condition.after)
        if after is not None:
            note = _from_to(before, after)
            rows.append(Values(name=condition.name, note=note, start=before, end=after))
    return _dots(rows, reference=_chance(findings, "chance"))


def _known(accuracy: Accuracy | None) -> Measurement | None:
    return accuracy.measured if accuracy is not None and accuracy.measured.n else None


def _events(seats: Iterable[SeatFindings]) -> BarFigure | None:
    seats = list(seats)
    rows = [
        Counts(
            group=seat.reviewer,
            name=role_name(seat),
            note=_altered(seat),
            parts=_contradicted(seat.events),
        )
        for seat in seats
    ]
    return bar_figure(rows) if any(seat.contradicted for seat in seats) else None


def _turns(findings: Findings) -> BarFigure | None:
    rows = [
        Counts(
            group=f"turn {row.round}",
            name=row.role.value if row.role is not None else "",
            note=f"{percent(row.altered)} % altered" if row.altered.n else "never contradicted",
            parts=_contradicted(row.events),
        )
        for row in rounds_of(findings)
    ]
    return bar_figure(rows) if any(row.parts for row in rows) else None


def rounds_of(findings: Findings) -> list[StanceCounts]:
    """The counts by turn and role, in order of turns."""
    rows = [row for row in findings.stances.counts if row.round is not None]
    return sorted(rows, key=lambda row: row.round or 0)


def _contradicted(events: Mapping[EventKind, int]) -> list[tuple[str, str, int]]:
    return [
        (kind.value, f"{kind.value} {counted(events[kind], 'time')}", events[kind])
        for kind in CONTRADICTED
        if events[kind]
    ]


def _persuasion(findings: Findings) -> NetworkFigure | None:
    between = [one for one in findings.stances.persuasion if one.speaker != one.listener]
    names = list(dict.fromkeys(name for one in between for name in (one.speaker, one.listener)))
    if not 1 < len(names) <= _MOST_NODES:
        return None
    most = max((one.share.value for one in between), default=0.0) or 1.0
    return network_figure(
        names,
        [
            Link(
                source=one.speaker,
                target=one.listener,
                strength=one.share.value / most,
                label=f"{share(one.share.value)} % of {one.contradicted}",
                title=f"{one.listener} gave way to {one.speaker} {one.altered} times of {one.contradicted}",
            )
            for one in between
            if one.altered
        ],
    )


def _trajectory(peers: PeerFindings | None) -> LineFigure | None:
    if peers is None or not peers.trajectories:
        return None
    return line_figure(
        [series_of(one, one.contestant) for one in peers.trajectories],
        across="battles",
        up="Elo rating",
    )


def series_of(trajectory: Trajectory, name: str) -> Series:
    """The line of a trajectory, which says where it ends."""
    end, low, high = trajectory.mean[-1], trajectory.low[-1], trajectory.high[-1]
    return Series(
        name=name,
        note=f"{end:.0f} [{low:.0f}, {high:.0f}]",
        at=trajectory.battles,
        values=trajectory.mean,
        low=trajectory.low,
        high=trajectory.high,
    )


def _altered(seat: SeatFindings) -> str:
    if not seat.contradicted:
        return "never contradicted"
    altered = seat.events[EventKind.ALTERED]
    return f"altered {altered} of {seat.contradicted} ({share(altered / seat.contradicted)} %)"


def _position(findings: Findings) -> DotFigure | None:
    rows = [
        Values(
            name=seat.reviewer,
            note=_from_to(seat.first_before, seat.first_after),
            start=seat.first_before,
            end=seat.first_after,
        )
        for seat in findings.by_reviewer
        if seat.first_after is not None
    ]
    return _dots(rows, reference=_chance(findings, "no preference"))


def _against_vote(findings: Findings) -> DotFigure | None:
    rows = [
        Values(
            name=row.condition,
            note=points(row.difference).replace("-", "\u2212"),
            end=row.difference,
        )
        for row in findings.against_vote
        if row.difference is not None
    ]
    if not rows:
        return None
    return dot_figure(rows, reference=(0.0, "same as the vote"), limits=(-1.0, 1.0), unit=in_points)


def _weights(peers: PeerFindings | None) -> DotFigure | None:
    if peers is None or not peers.weights:
        return None
    rows = [
        Values(name=name, note=str(weight), end=weight)
        for name, weight in sorted(peers.weights.items(), key=lambda item: -item[1].value)
    ]
    return dot_figure(
        rows[:_MOST_ROWS],
        reference=(1 / len(rows), "equal weights"),
        limits=_SHARES,
        unit=decimal,
    )


def _ranking(peers: PeerFindings | None) -> DotFigure | None:
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
    return _dots(rows[:_MOST_ROWS], keys=("equal weights", "peer weights"))


def _win_rates(peers: PeerFindings | None) -> HeatFigure | None:
    if peers is None:
        return None
    weights = "equal weights" if peers.weighted is None else "peer weights"
    return heat_figure([grid_of(peers.head_to_head, title=f"All reviewers, {weights}")])


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


def _score(standing: Standing) -> str:
    if standing.low is None or standing.high is None:
        return share(standing.score)
    return f"{share(standing.score)} [{share(standing.low)}, {share(standing.high)}] %"


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


def _dots(
    rows: list[Values],
    *,
    reference: tuple[float, str] | None = None,
    keys: tuple[str, str] = ("before", "after"),
) -> DotFigure | None:
    if not any(row.end is not None for row in rows):
        return None
    return dot_figure(rows, reference=reference, limits=_SHARES, keys=keys)


def _chance(findings: Findings, words: str) -> tuple[float, str] | None:
    if findings.answers is None or findings.answers < 2:
        return None
    return 1 / findings.answers, words


def _from_to(before: Measurement | None, after: Measurement | None) -> str:
    if after is None:
        return MISSING
    return (
        percent(after) + " %"
        if before is None
        else f"{share(before.value)} \u2192 {percent(after)} %"
    )
