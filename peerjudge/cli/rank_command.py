"""`peerjudge rank`: rank the contestants and weigh the reviewers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from peerjudge.cli.console import print_json, results, say_if_simulated
from peerjudge.data import Scheme, Scoring

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.data import Ranking, Standing

__all__ = ["p_value_of", "rank_command", "split_names", "table_of"]


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
    orders: int = 1000,
    bootstrap: int = 0,
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
    orders
        Elo is the mean over so many random orders of the battles.
    bootstrap
        Resample the questions so many times: bounds of scores, ranks and peer weights, and how
        sure it is that one contestant outranks another.
    seed
        Of the orders and the resampling.
    json
        Print one JSON document.
    """
    from peerjudge.experiment import read_source
    from peerjudge.ranking import rank, ranking_document
    from peerjudge.tournament import from_dataset

    dataset = await read_source(source, stance=stance)
    ranking = rank(
        from_dataset(dataset, reviewers=split_names(reviewers)),
        scoring=scoring,
        weights=weights,
        scheme=scheme,
        orders=orders,
        seed=seed,
        bootstrap=bootstrap,
        exclude_self=exclude_self,
    )
    if json:
        print_json({**ranking_document(ranking), "simulated": dataset.simulated})
    else:
        say_if_simulated(dataset)
        _print_ranking(ranking, bounds=_bounds(scoring, orders=orders, bootstrap=bootstrap))
    return 0


def split_names(names: str | None) -> list[str] | None:
    """`"a,b"` as `["a", "b"]`; `None` stays `None`."""
    if names is None:
        return None
    return [name.strip() for name in names.split(",") if name.strip()]


def _bounds(scoring: Scoring, *, orders: int, bootstrap: int) -> str:
    """What the bounds beside the scores are, if there are any."""
    if bootstrap:
        return f"; bounds are 95 % of {bootstrap} resamples of the questions"
    if scoring is Scoring.ELO:
        return f"; bounds are 95 % of {orders} random orders of the battles"
    return ""


def _print_ranking(ranking: Ranking, *, bounds: str) -> None:
    console = results()
    console.print(_standings(ranking))
    console.print(_weights(ranking))
    held = ranking.weights
    how = (
        "equal weights"
        if held.scheme is None
        else f"{held.scheme} scheme, {held.iterations} iterations"
    )
    console.print(f"\n{ranking.reviews} reviews, {ranking.unreadable} unreadable; {how}{bounds}")


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


def p_value_of(p_value: float) -> str:
    """A p-value as it is printed: four digits, never 0."""
    return "<0.0001" if p_value < 0.0001 else f"{p_value:.4f}"


def table_of(title: str, first: str, *others: str) -> Table:
    """An open table: the first column to the left, the others to the right."""
    from rich.table import Table

    table = Table(title=title, box=None, pad_edge=False, title_justify="left")
    table.add_column(first)
    for heading in others:
        table.add_column(heading, justify="right")
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
