"""`peerjudge rank`: rank the contestants and weigh the reviewers."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from peerjudge.cli.tables import (
    Contestants,
    Layout,
    parse_contestants,
    print_result,
    split_families,
    split_names,
    write_graph,
)
from peerjudge.data import Scheme, Scoring
from peerjudge.errors import DataError


def rank_command(
    source: str,
    /,
    *,
    scoring: Scoring | None = None,
    weights: Literal["equal", "peer"] = "equal",
    scheme: Scheme = Scheme.PRD,
    reviewers: str | None = None,
    stance: Literal["private", "final"] = "private",
    exclude_self: bool = False,
    exclude_family: bool = False,
    families: str | None = None,
    contestants: Contestants = (),
    majority: bool = False,
    orders: int = 1000,
    prior: float = 0.0,
    bootstrap: int = 1000,
    trajectory: int = 0,
    graph: Path | None = None,
    control: str | None = None,
    force: bool = False,
    seed: int = 0,
    layout: Layout = "text",
    json: bool = False,
) -> int:
    """Rank the contestants of a run or a dataset, and weigh its reviewers.

    Parameters
    ----------
    source
        A run folder, a store URL, a transcript file (.jsonl, .jsonl.gz), a bundle (.zip), or a dataset
        NAME:PATH or FILE.py:PATH with reviews.
    scoring
        Method that scores the contestants: win-rate unless chosen, bradley-terry with --control.
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
    control
        Also rank at equal style: any of position,length,markdown, separated by commas.
    force
        Replace the file of --graph if it exists.
    seed
        Seed of the orders and the resampling.
    json
        Print the result as one JSON document.
    """
    from peerjudge.results.overwriting import require_free
    from peerjudge.results.rankings import rank

    if control is not None:
        from peerjudge.results.styles import rank_styles

        if scoring not in {None, Scoring.BRADLEY_TERRY}:
            msg = f"style control is of Bradley-Terry: use --scoring bradley-terry, not {scoring}"
            raise DataError(msg)
        if majority or trajectory or graph is not None:
            msg = "style control has no --majority, --trajectory or --graph; leave it out"
            raise DataError(msg)
        styled = rank_styles(
            source,
            controls=split_names(control) or (),
            weights=weights,
            scheme=scheme,
            reviewers=split_names(reviewers),
            stance=stance,
            exclude_self=exclude_self,
            exclude_family=exclude_family,
            families=split_families(families),
            contestant_of=parse_contestants(contestants),
            prior=prior,
            bootstrap=bootstrap,
            seed=seed,
        )
        print_result(styled, json=json, layout=layout)
        return 0
    if graph is not None:
        require_free(graph, source=source, force=force, option="--graph")
    found = rank(
        source,
        scoring=scoring or Scoring.WIN_RATE,
        weights=weights,
        scheme=scheme,
        reviewers=split_names(reviewers),
        stance=stance,
        exclude_self=exclude_self,
        exclude_family=exclude_family,
        families=split_families(families),
        contestant_of=parse_contestants(contestants),
        majority=majority,
        orders=orders,
        prior=prior,
        bootstrap=bootstrap,
        trajectory=trajectory,
        seed=seed,
    )
    if graph is not None:
        write_graph(found.graph(), graph)
    print_result(found, json=json, layout=layout)
    return 0
