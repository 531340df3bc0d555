"""`peerjudge rank`: rank the contestants and weigh the reviewers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict

from peerjudge.cli.console import print_json, results, say_if_simulated
from peerjudge.cli.tables import show, table_of
from peerjudge.data import Scheme, Scoring, replace
from peerjudge.errors import DataError, StoreError

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.data import Ranking, Standing, Tournament

__all__ = ["families_of", "rank_command", "split_names"]


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
    seed: int = 0,
    json: bool = False,
) -> int:
    """Rank the contestants of a run or a dataset, and weigh its reviewers.

    Parameters
    ----------
    source
        A run folder, a store URL, or a dataset NAME:PATH that carries reviews.
    scoring
        How contestants are scored.
    weights
        Whether reviewers count alike, or as well as they do as contestants.
    scheme
        How peer weights are found: as in PRD, or as a damped fixed point that always settles.
    reviewers
        Only these, separated by commas; `human` ranks by the human votes of a dataset.
    stance
        Of a run: the verdicts that reviewers came with, or those they left with.
    exclude_self
        Leave out what reviewers said of their own answers.
    exclude_family
        Leave out what reviewers said of answers by their own family, their own included.
    families
        name=family, separated by commas: who belongs together. Cards of a run say it themselves.
    majority
        First settle every battle by the weighted majority of the reviewers, then rank by that.
    orders
        Elo is the mean over so many random orders of the battles.
    prior
        Bradley-Terry adds so many tied battles to every pair, so that it also has an answer where
        somebody never got a point from the others.
    bootstrap
        How many resamples of the questions give the bounds of scores, ranks and peer weights, and
        how sure it is that one contestant outranks another; 0 for none.
    trajectory
        Of Elo: also the ratings after every so many battles, over the same orders.
    graph
        Write who beat whom, under these weights, to this file as a GraphML graph.
    seed
        Of the orders and the resampling.
    json
        Print one JSON document.
    """
    from peerjudge.ranking import (
        from_dataset,
        majority_verdicts,
        rank,
        ranking_document,
        without_family,
    )
    from peerjudge.runs import read_source

    if trajectory and scoring is not Scoring.ELO:
        msg = f"only Elo has a trajectory: use --scoring elo, not {scoring}"
        raise DataError(msg)
    dataset = await read_source(source, stance=stance)
    tournament = from_dataset(dataset, reviewers=split_names(reviewers))
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
        _write_graph(tournament, None if majority else ranking.weights.weights, graph)
    steps = _trajectory(tournament, ranking, trajectory, orders, seed) if trajectory else None
    if json:
        document = {**ranking_document(ranking), "simulated": dataset.simulated}
        print_json(document if steps is None else {**document, "trajectory": steps})
        return 0
    say_if_simulated(dataset)
    _print_ranking(ranking, bounds=_bounds(tournament, scoring, orders=orders, bootstrap=bootstrap))
    if steps is not None:
        _print_trajectory(steps)
    return 0


def _write_graph(tournament: Tournament, weights: Mapping[str, float] | None, path: Path) -> None:
    import networkx as nx

    from peerjudge.ranking import graph

    try:
        nx.write_graphml(graph(tournament, weights=weights), path)  # pyright: ignore[reportUnknownMemberType]  partial stubs
    except OSError as cause:
        msg = f"cannot write {path}: {cause.strerror}; choose another file with --graph"
        raise StoreError(msg) from cause


class _Trajectory(TypedDict):
    battles: list[int]
    contestants: dict[str, dict[str, list[float]]]


def _trajectory(
    tournament: Tournament, ranking: Ranking, every: int, orders: int, seed: int
) -> _Trajectory:
    """The mean rating after so many battles, and the bounds of 95% of the orders."""
    import numpy as np

    from peerjudge.ranking import elo_trajectory

    weights = [ranking.weights.weights.get(name, 1.0) for name in tournament.reviewers]
    share = np.array(weights) / sum(weights)
    found = elo_trajectory(tournament, every=every, weights=share, orders=orders, seed=seed)
    lines = {"mean": found.ratings.mean(axis=1)}
    lines["low"], lines["high"] = np.quantile(found.ratings, (0.025, 0.975), axis=1)
    return {
        "battles": found.battles.tolist(),
        "contestants": {
            name: {line: values[:, k].tolist() for line, values in lines.items()}
            for k, name in enumerate(tournament.contestants)
        },
    }


def _print_trajectory(steps: _Trajectory) -> None:
    names = list(steps["contestants"])
    table = table_of("\nElo after so many battles, mean over the orders", "battles", *names)
    for k, battles in enumerate(steps["battles"]):
        means = [steps["contestants"][name]["mean"][k] for name in names]
        table.add_row(str(battles), *(f"{mean:.0f}" for mean in means))
    show(table)


async def families_of(source: str, families: str | None) -> Mapping[str, str]:
    """Families as given, `name=family,...`, over those that the cards of a run declare."""
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
    """`"a,b"` as `["a", "b"]`; `None` stays `None`."""
    if names is None:
        return None
    return [name.strip() for name in names.split(",") if name.strip()]


def _bounds(tournament: Tournament, scoring: Scoring, *, orders: int, bootstrap: int) -> str:
    """What the bounds beside the scores are, or why there are none."""
    alone = len(set(tournament.question[tournament.readable].tolist())) == 1
    if bootstrap and not alone:
        return f"bounds are 95 % of {bootstrap:,} resamples of the questions"
    why = "all reviews are of one question, so there are none to resample" if bootstrap else ""
    if scoring is Scoring.ELO:
        return f"bounds are 95 % of {orders:,} random orders of the battles{why and '; '}{why}"
    return f"no bounds: {why}" if why else ""


def _how(ranking: Ranking) -> str:
    """Where the weights come from, and who has no score of its own that could weigh it."""
    held = ranking.weights
    if held.scheme is None:
        return "equal weights"
    others = [name for name in held.weights if name not in ranking.contestants]
    mean = f"; no contestants, so of mean weight: {', '.join(others)}" if others else ""
    return f"{held.scheme} scheme, {held.iterations} iterations{mean}"


def _print_ranking(ranking: Ranking, *, bounds: str) -> None:
    show(_standings(ranking))
    show(_weights(ranking))
    read = f"{ranking.reviews:,} reviews, {ranking.unreadable:,} more without a readable verdict"
    said = [read, _how(ranking), *([bounds] if bounds else [])]
    results().print("\n" + "; ".join(said))


def _standings(ranking: Ranking) -> Table:
    """One row per contestant; where questions were resampled, also how sure its place is."""
    places = 3 if ranking.scoring is Scoring.WIN_RATE else 0
    names = list(ranking.contestants)
    table = table_of(f"Ranking by {ranking.scoring}", "contestant", "rank", "score")
    if ranking.outranks is not None:
        table.add_column("above the next", justify="right")
    for name, standing in ranking.contestants.items():
        row = [name, _rank(standing), _score(standing, places)]
        if ranking.outranks is not None and name != names[-1]:
            row.append(f"{ranking.outranks[name][names[names.index(name) + 1]]:.0%}")
        table.add_row(*row)
    return table


def _weights(ranking: Ranking) -> Table:
    held, bounds = ranking.weights, ranking.weight_bounds
    table = table_of("\nReviewer weights", "reviewer", "weight")
    for name, weight in sorted(held.weights.items(), key=lambda item: -item[1]):
        interval = "" if bounds is None else " [{:.3f}, {:.3f}]".format(*bounds[name])
        table.add_row(name, f"{weight:.3f}{interval}")
    return table


def _rank(standing: Standing) -> str:
    low, high = standing.rank_low, standing.rank_high
    if low is None or high is None:
        return str(standing.rank)
    return f"{standing.rank} ({low})" if low == high else f"{standing.rank} ({low} to {high})"


def _score(standing: Standing, places: int) -> str:
    score = f"{standing.score:.{places}f}"
    if standing.low is None or standing.high is None:
        return score
    return f"{score} [{standing.low:.{places}f}, {standing.high:.{places}f}]"
