"""Tables and figures of contestants, and of the weights of reviewers that are contestants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import isnan, nan
from typing import TYPE_CHECKING

from peerjudge.data import Measurement, Ranking, Scheme, Scoring, Standing
from peerjudge.reporting.figures import (
    Curve,
    Curves,
    Figure,
    Grid,
    Grids,
    Mark,
    Row,
    Rows,
    build_mark,
)
from peerjudge.reporting.formats import (
    MISSING,
    counted,
    interval,
    interval_note,
    isolated,
    orders_note,
    percent,
    plain_tick,
    rating_tick,
)
from peerjudge.reporting.layout import Column, Section, Table, build_section, build_table
from peerjudge.results.accuracy import SHARES

if TYPE_CHECKING:
    from peerjudge.analysis.findings import Findings
    from peerjudge.analysis.peers import HeadToHead, PeerFindings, Standings, Trajectory


MOST_ROWS = 30
"""A figure of more contestants than this is not readable; the table has all."""

SCHEMES = {"prd": "PRD Equation 2", "damped": "Damped"}
"""Names of the schemes of peer weights; every table of a ranking with peer weights has one of them."""


def build_contestants_section(findings: Findings | Standings) -> Section | None:
    """Return the ranking by the private reviews and the weights of the reviewers of a run."""
    peers = findings.peers
    if peers is None:
        title = "Reviewers and contestants"
        return build_section(title, f"No ranking: {findings.peers_missing}", required=True)
    drawn, all_of = len(peers.trajectories), len(peers.equal.contestants)
    best = f" Of the {all_of} contestants the best {drawn} are drawn." if drawn < all_of else ""
    by = "equal weights" if peers.weighted is None else name_weights(peers.weighted)
    versus = peers.head_to_head
    return build_section(
        "Reviewers and contestants",
        "The authors of the answers that win, by the private verdicts of all reviewers. The weight of "
        "a reviewer is its own score as a contestant, found so that weights and scores agree.",
        peers.reason and isolated(peers.reason),
        build_section(
            "Reviewer weights", _weights_figure(findings, peers), build_run_weights_table(findings)
        ),
        build_section(
            "Ranking", _ranking_figure(findings, peers), build_run_ranking_table(findings)
        ),
        build_section(
            "Elo rating by battle",
            "The rating of each contestant by number of battles, as the mean over random orders of the "
            f"battles. The bands hold {100 * findings.level:.0f} % of the orders: they show how far a "
            f"single order can be trusted.{best}",
            _draw_trajectories(peers.trajectories, findings.level),
        ),
        build_section(
            "Wins between contestants",
            _draw_versus(versus, f"All reviewers, {by}"),
            f"The {len(versus.contestants)} best are shown; {versus.left_out} more are in the "
            "table above."
            if versus.left_out
            else None,
        ),
        anchor="reviewers",
    )


def build_run_weights_table(findings: Findings | Standings) -> Table:
    """Return the weights of the reviewers of a run, by the damped scheme and by PRD Equation 2."""
    peers = findings.peers
    if peers is None:
        return _build_weights_table({})
    prd = {
        name: Measurement(value=weight, low=nan, high=nan, n=1)
        for name, weight in peers.prd.items()
    }
    return _build_weights_table(
        {"damped": peers.weights} | ({"prd": prd} if prd else {}),
        contestant_of=peers.equal.contestant_of,
    )


def _build_weights_table(
    by_scheme: Mapping[str, Mapping[str, Measurement]],
    *,
    contestant_of: Mapping[str, str] | None = None,
) -> Table:
    """Return the weights of reviewers by scheme, the greatest first, with the contestants they are."""
    first = next(iter(by_scheme.values()), dict[str, Measurement]())
    return build_table(
        "Reviewer weights",
        sorted(first, key=lambda name: -first[name].value),
        Column("Reviewer", ""),
        Column("Contestant", (contestant_of or {}).get),
        *(
            Column(SCHEMES.get(name, name.capitalize()), held.get, key=name)
            for name, held in by_scheme.items()
        ),
        note="The weights of a scheme sum to 1.",
    )


def build_run_ranking_table(findings: Findings | Standings) -> Table:
    """Return the win rates of the contestants of a run under equal and under peer weights."""
    peers = findings.peers
    rankings = {"Equal weights": peers.equal} if peers else {}
    if peers is not None and peers.weighted is not None:
        weights = name_weights(peers.weighted)
        rankings[weights[:1].upper() + weights[1:]] = peers.weighted
    notes = [] if peers is None else [describe_groups(peers.equal)]
    if peers is not None and peers.weighted is not None:
        notes.append(_OTHER_SCHEME)
    best = [*rankings.values()][-1:]
    return build_table(
        "Ranking by the private reviews, win rate in %",
        [name for ranking in best for name in ranking.contestants],
        Column("Contestant", ""),
        *((heading, partial(_show_standing, one)) for heading, one in rankings.items()),
        note=" ".join(filter(None, notes)),
    )


_OTHER_SCHEME = (
    "Peer weights: by the damped scheme, as `peerjudge rank --weights peer --scheme damped`; without "
    "`--scheme`, that command uses PRD Equation 2."
)


def name_weights(ranking: Ranking) -> str:
    """Return the name of the peer weights of a ranking with their scheme; empty without peer weights."""
    scheme = ranking.weights.scheme
    if scheme is None:
        return ""
    return (
        "damped peer weights" if scheme is Scheme.DAMPED else f"peer weights by {SCHEMES[scheme]}"
    )


def _show_standing(ranking: Ranking, name: str) -> str:
    if name not in ranking.contestants:
        return MISSING
    standing = ranking.contestants[name]
    low, high = standing.rank_low, standing.rank_high
    ranks = "" if low is None or high is None or low == high else f" ({low} to {high})"
    return f"{percent(measure_standing(ranking, name))} #{standing.rank}{ranks}"


def build_ranking_tables(ranking: Ranking) -> list[Table]:
    """Return the standings and the weights behind a ranking, as `peerjudge rank` prints them."""
    names = list(ranking.contestants)
    above = dict(pairwise(names))

    def rank(name: str) -> Measurement:
        return measure_rank(ranking.contestants[name], n=ranking.questions)

    def outranks(name: str) -> float | None:
        return (ranking.outranks or {}).get(name, {}).get(above.get(name, ""))

    win_rate = ranking.scoring is Scoring.WIN_RATE
    unit = "in %" if win_rate else "in rating points"
    bounds = ranking.weight_bounds or {}
    weights = {
        name: Measurement(value=weight, low=low, high=high, n=1)
        for name, weight in ranking.weights.weights.items()
        for low, high in [bounds.get(name, (nan, nan))]
    }
    ranks_above = (
        "% above the next: of the resamples of questions, those that rank it above the row below."
        if ranking.outranks and len(names) > 1
        else ""
    )
    return [
        build_table(
            ", ".join(
                filter(
                    None, (f"Ranking by {ranking.scoring}", name_weights(ranking), f"scores {unit}")
                )
            ),
            names,
            Column("Contestant", ""),
            Column("Group", number_groups(ranking).get),
            Column("Rank", rank, digits=0),
            Column(
                "Score",
                partial(measure_standing, ranking),
                "share" if win_rate else "plain",
                int(win_rate),
            ),
            Column("% above the next", outranks, "share", key="above_the_next"),
            note=" ".join(filter(None, (describe_groups(ranking), ranks_above))),
        ),
        _build_weights_table(
            {ranking.weights.scheme or "weight": weights}, contestant_of=ranking.contestant_of
        ),
    ]


def number_groups(ranking: Ranking) -> dict[str, int]:
    """Return the group of each contestant, from 1; empty for a single group."""
    groups = ranking.groups if len(ranking.groups) > 1 else ()
    return {name: number for number, group in enumerate(groups, 1) for name in group}


def measure_rank(standing: Standing, *, n: int) -> Measurement:
    """Return a rank among questions of this number, with bounds that are NaN where there are none."""
    low, high = standing.rank_low, standing.rank_high
    return Measurement(
        value=standing.rank,
        low=nan if low is None else low,
        high=nan if high is None else high,
        n=max(n, 1),
    )


def describe_groups(ranking: Ranking) -> str:
    """Return a sentence on groups of contestants that no battles connect; empty for a single group."""
    if len(ranking.groups) < 2:
        return ""
    groups = "; ".join(", ".join(group) for group in ranking.groups)
    return (
        f"No battles connect these {len(ranking.groups)} groups of contestants. Each is ranked apart, and "
        f"scores of different groups cannot be compared: {groups}."
    )


def measure_standing(ranking: Ranking, name: str) -> Measurement:
    """Return the score of a contestant with its bounds, NaN where it has none."""
    return measure_score(ranking.contestants[name], n=ranking.reviews)


def measure_score(standing: Standing, *, n: int = 1) -> Measurement:
    """Return the score of a standing with its bounds, NaN where it has none."""
    return Measurement(
        value=standing.score,
        low=nan if standing.low is None else standing.low,
        high=nan if standing.high is None else standing.high,
        n=0 if isnan(standing.score) else max(n, 1),
    )


def _fill_bounds(measured: Measurement) -> Measurement:
    """Return the measurement with its value as bounds where it has no bounds."""
    value = measured.value
    low, high = (value if isnan(end) else end for end in (measured.low, measured.high))
    return Measurement(value=value, low=low, high=high, n=measured.n)


def _weights_figure(findings: Findings | Standings, peers: PeerFindings) -> Figure | None:
    """Return the weight of each reviewer (PRD Figure 3)."""
    if not peers.weights:
        return None
    rows = [
        Row(name=name, note=interval(weight), marks=[build_mark(weight)])
        for name, weight in sorted(peers.weights.items(), key=lambda item: -item[1].value)
    ]
    return Figure(
        id="weights",
        description="Weight of each reviewer, by the damped scheme.",
        chart=Rows(
            rows=rows[:MOST_ROWS],
            across="weight (all sum to 1)",
            reference=(1 / len(rows), "equal weights"),
            limits=SHARES,
            unit=plain_tick,
        ),
        note=interval_note(findings.level, findings.questions),
    )


def _ranking_figure(findings: Findings | Standings, peers: PeerFindings) -> Figure | None:
    """Return the win rate of each contestant, under equal and under peer weights."""
    best = peers.weighted or peers.equal
    rows = [
        Row(
            name=f"{standing.rank}. {name}",
            note=f"{percent(measure_standing(best, name))} %",
            marks=[
                None
                if peers.weighted is None
                else Mark(measured=_fill_bounds(measure_standing(peers.equal, name))),
                Mark(measured=_fill_bounds(measure_standing(best, name))),
            ],
        )
        for name, standing in best.contestants.items()
        if not isnan(standing.score)
    ]
    if not rows:
        return None
    note = interval_note(findings.level, findings.questions)
    return Figure(
        id="ranking",
        description="Win rate of each contestant in the private verdicts of all reviewers.",
        chart=Rows(
            rows=rows[:MOST_ROWS],
            across="battles won; a tie is half a win",
            limits=SHARES,
            series=("equal weights", name_weights(best) or "peer weights"),
            hollow=True,
        ),
        note=f"{note} {counted(best.reviews, 'private review')}.",
    )


def _draw_trajectories(trajectories: Sequence[Trajectory], level: float) -> Figure | None:
    """Return Elo ratings by number of battles, each with its last value in words (PRD Figure 4)."""
    if not trajectories:
        return None
    curves = [
        Curve(
            name=one.contestant,
            note=f"{one.mean[-1]:.0f} [{one.low[-1]:.0f}, {one.high[-1]:.0f}]",
            at=one.battles,
            values=one.mean,
            low=one.low,
            high=one.high,
        )
        for one in trajectories
    ]
    return Figure(
        id="elo-trajectory",
        description="Elo rating of each contestant by number of battles.",
        chart=Curves(curves=curves, across="battles", up="Elo rating", unit=rating_tick),
        note=orders_note(level),
    )


def _draw_versus(duels: HeadToHead, title: str) -> Figure:
    """Return the wins between contestants as a heat map (PRD Figure 7)."""
    met = [number for row in duels.battles for number in row if number]
    few, many = min(met, default=0), max(met, default=0)
    battles = f"{few:,}" if few == many else f"{few:,} to {many:,}"
    grid = Grid(title=title, names=duels.contestants, shares=duels.shares, battles=duels.battles)
    return Figure(
        id="head-to-head",
        description="How often each contestant won against each other one.",
        chart=Grids(grids=[grid]),
        note="In %: wins of the row over the column, ties as half. "
        f"Blue: over half, orange: under; {battles} battles each.",
    )
