"""`peerjudge rank`: rank the contestants and weigh the reviewers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from peerjudge.cli.console import print_json, say_if_few, say_if_simulated
from peerjudge.cli.overwriting import require_free
from peerjudge.cli.tables import say, show, write_graph
from peerjudge.data import Scheme, Scoring, replace
from peerjudge.errors import DataError

if TYPE_CHECKING:
    from peerjudge.data import Ranking, Tournament

    _Lines = tuple[list[int], dict[str, dict[str, list[float]]]]
    """Numbers of battles, and of each contestant the lines `mean`, `low` and `high` over them."""


_LIGHT = 3
"""Pairs of little weight named in the sentence; the document has all."""


async def rank_command(
    source: str,
    /,
    *,
    scoring: Scoring = Scoring.WIN_RATE,
    weights: Literal["equal", "peer"] = "equal",
    scheme: Scheme = Scheme.PRD,
    reviewers: str | None = None,
    stance: Literal["private", "final"] = "private",
    exclude_self: bool = False,
    exclude_family: bool = False,
    families: str | None = None,
    majority: bool = False,
    orders: int = 1000,
    prior: float = 0.0,
    bootstrap: int = 1000,
    trajectory: int = 0,
    graph: Path | None = None,
    force: Annotated[bool, Parameter(negative=())] = False,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Rank the contestants of a run or a dataset, and weigh its reviewers.

    Parameters
    ----------
    source
        A run folder, a store URL, a transcript file (.jsonl or .jsonl.gz), or a dataset
        NAME:PATH or FILE.py:PATH with reviews.
    scoring
        Method that scores the contestants.
    weights
        The same weight for all reviewers, or weights from their own scores as contestants.
    scheme
        Method for peer weights: PRD Equation 2, or a damped fixed point that always converges.
    reviewers
        Only these, separated by commas, or patterns (`expert_*`); `human` ranks by all human votes.
    stance
        For a run: the private verdicts before discussion, or the last verdicts after it.
    exclude_self
        Leave out reviews of the reviewer's own answers.
    exclude_family
        Leave out reviews of answers by the reviewer's own family, its own answers included.
    families
        name=family, separated by commas: families of reviewers. The cards of a run name theirs.
    majority
        First decide every battle by the weighted majority of the reviewers, then rank by that.
    orders
        Number of random orders of the battles whose mean is the Elo rating.
    prior
        Number of tied battles that Bradley-Terry adds to every pair, so that it also has a solution
        where a contestant never scores against the others.
    bootstrap
        Number of resamples of the questions for the bounds of scores, ranks and peer weights, and
        for the confidence that one contestant outranks another; 0 for none.
    trajectory
        For Elo: also print the ratings each time after this number of battles, over the same orders.
    graph
        Write wins between contestants, under these weights, to this file as a GraphML graph.
    force
        Replace that file if it exists.
    seed
        Seed of the orders and the resampling.
    json
        Print the result as one JSON document.
    """
    if graph is not None:
        require_free(graph, source=source, force=force, option="--graph")
    from peerjudge.analysis import build_tournament
    from peerjudge.ranking import graph as wins_graph
    from peerjudge.ranking import (
        majority_verdicts,
        rank,
        ranking_document,
        without_family,
    )
    from peerjudge.reporting.contestants import build_battles_table, build_ranking_tables
    from peerjudge.runs import read_ballots

    if trajectory and scoring is not Scoring.ELO:
        msg = f"only Elo has a trajectory: use --scoring elo, not {scoring}"
        raise DataError(msg)
    ballots = await read_ballots(source)
    tournament = build_tournament(ballots.of_stance(stance), reviewers=split_names(reviewers))
    if exclude_self or exclude_family:
        kin = await families_of(source, families) if exclude_family else dict[str, str]()
        tournament = without_family(tournament, kin)
    drawn = 0 if majority else bootstrap
    ranking = rank(
        tournament,
        scoring=scoring,
        weights=weights,
        scheme=scheme,
        orders=orders,
        seed=seed,
        prior=prior,
        bootstrap=drawn,
    )
    if majority:
        held = ranking.weights
        tournament = majority_verdicts(tournament, held.weights)
        settled = rank(
            tournament,
            scoring=scoring,
            orders=orders,
            seed=seed,
            prior=prior,
            bootstrap=bootstrap,
        )
        ranking = replace(settled, weights=held)
    if graph is not None:
        shown = None if majority else ranking.weights.weights
        write_graph(wins_graph(tournament, weights=shown), graph)
    steps = _trajectory(tournament, ranking, trajectory, orders, seed) if trajectory else None
    if json:
        document = {**ranking_document(ranking), "simulated": ballots.simulated}
        if steps is not None:
            document["trajectory"] = {"battles": steps[0], "contestants": steps[1]}
        print_json(document)
        return 0
    say_if_simulated(ballots)
    say_if_few(ranking.questions)
    show(*build_ranking_tables(ranking))
    bounds = _describe_bounds(ranking, orders=orders, bootstrap=bootstrap)
    say("", _sentence(ranking, bounds))
    if steps is not None:
        means = {name: lines["mean"] for name, lines in steps[1].items()}
        show(build_battles_table(steps[0], means))
    return 0


def _trajectory(
    tournament: Tournament, ranking: Ranking, every: int, orders: int, seed: int
) -> _Lines:
    """Return of each contestant the mean rating by number of battles, and bounds for 95 % of the orders."""
    import numpy as np

    from peerjudge.ranking import elo_trajectory

    weights = [ranking.weights.weights.get(name, 1.0) for name in tournament.reviewers]
    share = np.array(weights) / sum(weights)
    battles, ratings = elo_trajectory(
        tournament, every=every, weights=share, orders=orders, seed=seed
    )
    low, high = np.quantile(ratings, (0.025, 0.975), axis=1)
    lines = {"mean": ratings.mean(axis=1), "low": low, "high": high}
    return battles.tolist(), {
        name: {line: values[:, k].tolist() for line, values in lines.items()}
        for k, name in enumerate(tournament.contestants)
    }


async def families_of(source: str, families: str | None) -> Mapping[str, str]:
    """Return families by name: as given, `name=family,...`, else as the cards of a run declare."""
    from peerjudge.runs import is_run, open_run

    known: dict[str, str] = {}
    if is_run(source):
        async with open_run(source) as opened:
            cards = opened.manifest.get("cards")
            for name, card in (cards if isinstance(cards, dict) else {}).items():  # pyright: ignore
                known[str(name)] = str(card.get("family", ""))  # pyright: ignore
    for part in split_names(families) or ():
        name, equals, family = part.partition("=")
        if not equals:
            msg = f"--families wants name=family, separated by commas; {part!r} has no ="
            raise DataError(msg)
        known[name.strip()] = family.strip()
    return {name: family for name, family in known.items() if family}


def split_names(names: str | None) -> list[str] | None:
    """Split `"a,b"` into `["a", "b"]`; `None` stays `None`."""
    if names is None:
        return None
    return [name.strip() for name in names.split(",") if name.strip()]


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
        said = f"bounds are 95 %, from {ranking.resamples:,} resamples of the {asked:,} questions"
        return "; ".join([said, *lost])
    why = "all reviews are of one question, so no resampling" if bootstrap else ""
    if ranking.scoring is Scoring.ELO:
        return f"bounds are 95 % of {orders:,} random orders of the battles{why and '; '}{why}"
    return f"no bounds: {why}" if why else ""


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


def _sentence(ranking: Ranking, bounds: str) -> str:
    """Return the number of reviews, the origin of the weights, and the meaning of the bounds."""
    read = f"{ranking.reviews:,} reviews, {ranking.unreadable:,} more without a readable verdict"
    read += _schedule(ranking)
    found = ranking.weights
    if found.scheme is None:
        return "; ".join(filter(None, [read, "equal weights", bounds]))
    weights = f"{found.scheme} scheme, {found.iterations} iterations"
    others = [name for name in found.weights if name not in ranking.contestants]
    mean = (
        f"mean weight for reviewers that are no contestants: {', '.join(others)}" if others else ""
    )
    return "; ".join(filter(None, [read, weights, mean, bounds]))
