"""`peerjudge rank`: rank the contestants and weigh the reviewers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from peerjudge.cli.console import print_json, results
from peerjudge.data import Scheme, Scoring

if TYPE_CHECKING:
    from peerjudge.data import Ranking, Standing

__all__ = ["rank_command", "split_names"]


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
        Resample the questions so many times for the bounds.
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
        print_json(ranking_document(ranking))
    else:
        _print_ranking(ranking)
    return 0


def split_names(names: str | None) -> list[str] | None:
    """`"a,b"` as `["a", "b"]`; `None` stays `None`."""
    if names is None:
        return None
    return [name.strip() for name in names.split(",") if name.strip()]


def _print_ranking(ranking: Ranking) -> None:
    from rich.table import Table

    console = results()
    places = 3 if ranking.scoring is Scoring.WIN_RATE else 0
    table = Table(
        title=f"Ranking by {ranking.scoring}", box=None, pad_edge=False, title_justify="left"
    )
    for heading in ("rank", "contestant", "score"):
        table.add_column(heading, justify="left" if heading == "contestant" else "right")
    for name, standing in ranking.contestants.items():
        table.add_row(str(standing.rank), name, _score(standing, places))
    console.print(table)
    held = ranking.weights
    table = Table(title="\nReviewer weights", box=None, pad_edge=False, title_justify="left")
    table.add_column("reviewer")
    table.add_column("weight", justify="right")
    for name, weight in sorted(held.weights.items(), key=lambda item: -item[1]):
        table.add_row(name, f"{weight:.3f}")
    console.print(table)
    how = (
        "equal weights"
        if held.scheme is None
        else f"{held.scheme} scheme, {held.iterations} iterations"
    )
    console.print(f"\n{ranking.reviews} reviews, {ranking.unreadable} unreadable; {how}")


def _score(standing: Standing, places: int) -> str:
    score = f"{standing.score:.{places}f}"
    if standing.low is None or standing.high is None:
        return score
    return f"{score} [{standing.low:.{places}f}, {standing.high:.{places}f}]"
