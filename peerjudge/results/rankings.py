"""Rankings: contestants by score, and weights of reviewers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, cast

import numpy as np

from peerjudge.analysis import build_tournament
from peerjudge.analysis.peers import Trajectory, bound_ratings
from peerjudge.data import (
    Battle,
    Measurement,
    Ranking,
    ReviewerWeights,
    Scheme,
    Scoring,
    Tournament,
    replace,
)
from peerjudge.data.arguments import check_arguments
from peerjudge.data.choices import require_choice
from peerjudge.errors import DataError
from peerjudge.ranking import (
    check_contestants,
    collect,
    elo_trajectory,
    graph as build_graph,
    peer_rank as weigh_reviewers,
    rank as rank_contestants,
    ranking_document,
    without_family,
)
from peerjudge.reporting.figures import Figure, Row, Rows, build_mark
from peerjudge.reporting.formats import interval, percent, preface, rating_tick, share_tick
from peerjudge.reporting.layout import Column, Table, build_table
from peerjudge.results.base import Document, DrawnResult, Shown, list_names
from peerjudge.results.columns import Cells
from peerjudge.results.contestants import MOST_ROWS, build_ranking_tables
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Material, Source, read_material, read_tournament
from peerjudge.tracker import Stance

if TYPE_CHECKING:
    import networkx as nx


_LIGHT = 3
"""Pairs of little weight named in the sentence; the document has all."""
Battles: TypeAlias = Tournament | Sequence[Battle]
"""Battles of contestants, as a list or as the columns of `peerjudge.ranking.collect`."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RankResult(DrawnResult):
    """A ranking of contestants with the weights of reviewers, and the tournament that was ranked.

    `trajectory` has the Elo ratings over the battles, with bounds for 95 % of their orders, if wanted.
    """

    frame: ClassVar[str] = "rank"
    ranking: Ranking
    tournament: Tournament
    trajectory: tuple[Trajectory, ...]
    orders: int
    bootstrap: int
    simulated: bool

    def document(self) -> Document:
        """Return the document of `peerjudge rank --json`."""
        document = {**ranking_document(self.ranking), "simulated": self.simulated}
        if self.trajectory:
            lines = {
                one.contestant: {"mean": one.mean, "low": one.low, "high": one.high}
                for one in self.trajectory
            }
            document["trajectory"] = {"battles": self.trajectory[0].battles, "contestants": lines}
        return make_plain(document)

    def parts(self) -> Shown:
        """Return the tables of contestants and weights, and the sentence about them."""
        return [
            *preface(simulated=self.simulated, questions=self.ranking.questions),
            *build_ranking_tables(self.ranking),
            "",
            describe_ranking(self.ranking, orders=self.orders, bootstrap=self.bootstrap),
            *([_build_battles_table(self.trajectory)] if self.trajectory else []),
        ]

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each contestant, best first."""
        for name, standing in self.ranking.contestants.items():
            bounds = ("low", "high", "rank_low", "rank_high")
            yield {
                "contestant": name,
                "rank": standing.rank,
                "score": standing.score,
                **{bound: getattr(standing, bound) for bound in bounds},
            }

    @property
    def figures(self) -> Mapping[str, Figure]:
        """The scores of the contestants."""
        standings = _draw_standings(self.ranking)
        return {} if standings is None else {standings.id: standings}

    def graph(self) -> nx.DiGraph[str]:
        """Return wins between contestants, under the weights of the ranking, as a networkx graph."""
        return build_graph(self.tournament, weights=self.ranking.weights.weights)


def describe_ranking(ranking: Ranking, *, orders: int, bootstrap: int) -> str:
    """Return the number of reviews, the origin of the weights, and the meaning of the bounds.

    Args:
        ranking: the ranking.
        orders: number of orders of the battles, for Elo.
        bootstrap: number of resamples that were wanted.
    """
    bounds = _describe_bounds(ranking, orders=orders, bootstrap=bootstrap)
    bounds += _describe_orders(ranking, orders)
    read = f"{ranking.reviews:,} reviews, {ranking.unreadable:,} more without a readable verdict"
    read += _schedule(ranking)
    scores = {
        contestant.score
        for contestant in ranking.contestants.values()
        if not isnan(contestant.score)
    }
    if len(scores) == 1 and ranking.reviews:
        bounds = f"{bounds}; the reviews do not tell the contestants apart: all have the same score"
    reviewer_weights = ranking.weights
    if reviewer_weights.scheme is None:
        return "; ".join(filter(None, [read, "equal weights", bounds]))
    weights = f"{reviewer_weights.scheme} scheme, {reviewer_weights.iterations} iterations"
    if ranking.unsettled_orders:
        weights += (
            f"; {ranking.unsettled_orders:,} of {orders:,} orders of the battles did not settle and count "
            "with their last weights"
        )
    others = [name for name in reviewer_weights.weights if not ranking.is_contestant(name)]
    mean = (
        f"mean weight for reviewers that are no contestants: {', '.join(others)}" if others else ""
    )
    return "; ".join(filter(None, [read, weights, mean, bounds]))


@check_arguments
def rank(
    source: Source | Battles,
    *,
    scoring: Scoring | str = Scoring.WIN_RATE,
    weights: Literal["equal", "peer"] | Mapping[str, float] = "equal",
    scheme: Scheme | str = Scheme.PRD,
    reviewers: str | Sequence[str] | None = None,
    stance: Stance = "private",
    exclude_self: bool = False,
    exclude_family: bool = False,
    families: Mapping[str, str] | None = None,
    contestant_of: Mapping[str, str] | None = None,
    orders: int = 1000,
    prior: float = 0.0,
    bootstrap: int = 1000,
    trajectory: int = 0,
    seed: int = 0,
) -> RankResult:
    """Rank the contestants, best first, and weigh the reviewers.

    Args:
        source: Run, dataset `NAME:PATH`, or transcripts; in Python also battles, as a list or a tournament.
        scoring: `win-rate`, `elo` or `bradley-terry`.
        weights: `equal`, or `peer`: weights from the reviewers' own scores as contestants; in Python also a
            weight for each reviewer.
        scheme: Method for peer weights: `prd` (Equation 2 of PRD), or `damped`, a damped fixed point that
            always converges.
        reviewers: Only these, or patterns (`expert_*`); `human` ranks by all human votes.
        stance: For a run: the `private` verdicts before discussion, or the `final` ones after it.
        exclude_self: Leave out reviews of the reviewer's own answers.
        exclude_family: Leave out reviews of answers by the reviewer's own family, its own included.
        families: Family by reviewer or author; added to those that the cards of a run declare.
        contestant_of: Contestants by reviewer, for reviewers with another name than theirs, for peer weights
            and self-preference; they replace those that the cards of a run declare.
        orders: Number of random orders of the battles whose mean is the Elo rating.
        prior: Number of tied battles that Bradley-Terry adds to every pair, so that it also has a solution
            where a contestant never scores against the others.
        bootstrap: Number of resamples of the questions for the bounds of scores, ranks and peer weights, and
            for the confidence that one contestant outranks another; 0 for none.
        trajectory: For Elo: also the ratings each time after this number of battles, over the same orders.
        seed: Seed of the orders and the resampling.

    Raises:
        DataError: There are no readable battles, or the options do not fit.
        ConvergenceError: The peer weights do not converge; with Elo, in more than half of the orders.
        StoreError: There is no such run.

    Example:
        >>> pj.rank("study", bootstrap=0).df["contestant"].to_list()
        ['sim_strong', 'sim_solid', 'sim_weak', 'sim_plain']
    """
    source = _gather(source, contestant_of)
    require_choice(scoring, Scoring, name="scoring")
    require_choice(scheme, Scheme, name="scheme")
    if not isinstance(weights, Mapping):
        require_choice(weights, ("equal", "peer"), name="weights")
    scoring, scheme = Scoring(scoring), Scheme(scheme)
    if trajectory and scoring is not Scoring.ELO:
        msg = f"only Elo has a trajectory: use --scoring elo, not {scoring}"
        raise DataError(msg)
    material = (
        None
        if isinstance(source, Tournament)
        else read_material(source, contestant_of=contestant_of)
    )
    tournament = _choose(source, material, stance=stance, reviewers=list_names(reviewers))
    if exclude_self or exclude_family:
        own = families or {} if material is None else material.merge_families(families)
        tournament = without_family(tournament, own if exclude_family else {})
    ranking = rank_contestants(
        tournament,
        scoring=scoring,
        weights=weights,
        scheme=scheme,
        orders=orders,
        seed=seed,
        prior=prior,
        bootstrap=bootstrap,
    )
    return RankResult(
        ranking=ranking,
        tournament=tournament,
        trajectory=_trace(tournament, ranking, trajectory, orders, seed) if trajectory else (),
        orders=orders,
        bootstrap=bootstrap,
        simulated=material is not None and material.ballots.simulated,
    )


@check_arguments
def peer_rank(
    source: Source | Battles,
    *,
    stance: Stance = "private",
    contestant_of: Mapping[str, str] | None = None,
    scheme: Scheme | str = Scheme.PRD,
    damping: float = 0.85,
    tolerance: float = 1e-10,
    max_iterations: int = 1000,
) -> ReviewerWeights:
    """Weight the reviewers of a run, a dataset or a tournament by the scores of their own answers.

    Args:
        source: As for `rank`.
        stance: As for `rank`.
        contestant_of: As for `rank`.
        scheme: As for `peerjudge.ranking.peer_rank`, like `damping`, `tolerance` and
            `max_iterations`.
        damping: See `scheme`.
        tolerance: See `scheme`.
        max_iterations: See `scheme`.

    Raises:
        StoreError: There is no such run.
        ConvergenceError: The weights still change after `max_iterations`.

    Example:
        >>> found = pj.peer_rank("study", scheme=pj.data.Scheme.DAMPED)
        >>> max(found.weights, key=found.weights.get)
        'sim_strong'
    """
    require_choice(scheme, Scheme, name="scheme")
    battles = _gather(source, contestant_of)
    return weigh_reviewers(
        read_tournament(battles, stance=stance, contestant_of=contestant_of),
        scheme=Scheme(scheme),
        damping=damping,
        tolerance=tolerance,
        max_iterations=max_iterations,
    )


def _describe_bounds(ranking: Ranking, *, orders: int, bootstrap: int) -> str:
    """Return what the bounds of the scores are, or why there are none."""
    if ranking.resamples:
        asked = ranking.questions
        lost = [
            f"{count:,} of them {what}"
            for count, what in (
                (
                    ranking.unsettled,
                    "have peer weights that did not settle; their last weights are used",
                ),
                (
                    ranking.propped,
                    "have no finite estimate; one tied battle was added to every pair",
                ),
            )
            if count
        ]
        sentence = (
            f"bounds are 95 %, from {ranking.resamples:,} resamples of the {asked:,} questions"
        )
        if ranking.weights.scheme is not None:
            sentence += ", each with its own weights"
        if all(standing.low is None for standing in ranking.contestants.values()):
            lost.append("scores have none, because all questions have the same results")
        return "; ".join([sentence, *lost])
    why = "all reviews are of one question, so no resampling" if bootstrap else ""
    if ranking.scoring is Scoring.ELO:
        return f"bounds are 95 % of {orders:,} random orders of the battles{why and '; '}{why}"
    return f"no bounds: {why}" if why else ""


def _describe_orders(ranking: Ranking, orders: int) -> str:
    """Return how far a rating depends on the order of the battles, where the bounds are of questions."""
    if not ranking.between_orders or not ranking.resamples:
        return ""
    least, most = (end(ranking.between_orders.values()) for end in (min, max))
    return (
        f"; ratings are means over {orders:,} random orders of the battles (standard deviation between "
        f"orders {least:.0f} to {most:.0f} points)"
    )


def _schedule(ranking: Ranking) -> str:
    """Return how pairs that only some reviewers judged were counted, and which have little weight."""
    if not ranking.by_opponent:
        return ""
    rule = "; reviewers judged different pairs, so each pair is weighted by its own judges"
    light = [
        f"{pair.one} and {pair.other} by {', '.join(pair.reviewers)} ({pair.weight:.3f} of the weight)"
        for pair in ranking.light_pairs[:_LIGHT]
    ]
    more = len(ranking.light_pairs) - len(light)
    rest = f", and {more} pairs more" if more else ""
    return f"{rule}; decided by little weight: {', '.join(light)}{rest}" if light else rule


def _build_battles_table(trajectories: Sequence[Trajectory]) -> Table:
    """Return the mean Elo rating of each contestant by number of battles."""
    battles = [int(number) for number in trajectories[0].battles]

    def mean(one: Trajectory) -> Callable[[int], float]:
        return lambda place: float(one.mean[place])

    return build_table(
        "Elo rating by number of battles, mean over the orders",
        range(len(battles)),
        Column("Battles", battles.__getitem__),
        *(Column(one.contestant, mean(one), digits=0) for one in trajectories),
    )


def _draw_standings(ranking: Ranking) -> Figure | None:
    """Return the score of each contestant with its bounds, best first."""
    rated = ranking.scoring is not Scoring.WIN_RATE
    rows: list[Row] = []
    for name, one in ranking.contestants.items():
        if isnan(one.score):
            continue
        low, high = (nan if bound is None else bound for bound in (one.low, one.high))
        measurement = Measurement(value=one.score, low=low, high=high, n=ranking.questions)
        note = interval(measurement, 0) if rated else f"{percent(measurement)} %"
        rows.append(Row(name=name, note=note, marks=[build_mark(measurement)]))
    if not rows:
        return None
    return Figure(
        id="ranking",
        description="Score of each contestant.",
        chart=Rows(
            rows=rows[:MOST_ROWS],
            across="rating" if rated else "battles won; a tie is half a win",
            unit=rating_tick if rated else share_tick,
            limits=None if rated else (0.0, 1.0),
        ),
    )


def _gather(
    source: Source | Battles, contestant_of: Mapping[str, str] | None
) -> Source | Tournament:
    """Collect battles in a list as a tournament; return a source that has to be read unchanged."""
    if isinstance(source, Sequence) and source and isinstance(source[0], Battle):
        source = collect(cast("Sequence[Battle]", source))
    if isinstance(source, Tournament) and contestant_of:
        names = {"reviewers": source.reviewers, "contestants": source.contestants}
        check_contestants(contestant_of, **names)
        return replace(source, contestant_of={**source.contestant_of, **contestant_of})
    return cast("Source | Tournament", source)


def _choose(
    source: Source | Tournament,
    material: Material | None,
    *,
    stance: Stance,
    reviewers: list[str] | None,
) -> Tournament:
    if material is not None:
        return build_tournament(material.ballots.of_stance(stance), reviewers=reviewers)
    if reviewers is not None:
        msg = "choose the reviewers of a tournament when you build it; `reviewers` chooses ballots"
        raise DataError(msg)
    return read_tournament(source)


def _trace(
    tournament: Tournament, ranking: Ranking, every: int, orders: int, seed: int
) -> tuple[Trajectory, ...]:
    """Return of each contestant the mean rating by number of battles, and bounds for 95 % of the orders."""
    weights = [ranking.weights.weights.get(name, 1.0) for name in tournament.reviewers]
    share = np.array(weights) / sum(weights)
    battles, ratings = elo_trajectory(
        tournament, every=every, weights=share, orders=orders, seed=seed
    )
    return bound_ratings(tournament.contestants, battles, ratings, tails=(0.025, 0.975))
