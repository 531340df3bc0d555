"""`peerjudge agreement`: how well reviewers agree with gold, alone or as a panel."""

from __future__ import annotations

from typing import Literal

from peerjudge.cli.console import print_json, results
from peerjudge.cli.rank_command import split_names

__all__ = ["agreement_command"]


async def agreement_command(
    source: str,
    /,
    *,
    gold: str = "human",
    reviewers: str | None = None,
    weights: Literal["equal", "peer"] = "equal",
    stance: Literal["private", "final"] = "private",
    seed: int = 0,
    json: bool = False,
) -> int:
    """Accuracy and Fleiss' kappa of the reviewers' combined verdict against gold.

    Parameters
    ----------
    source
        A run folder, a store URL, or a dataset NAME:PATH that carries reviews.
    gold
        `human` for the gold of the data, or the name of a reviewer to measure against.
    reviewers
        Only these, separated by commas; one alone, or several as a panel.
    weights
        Whether reviewers count alike, or as well as they do as contestants.
    stance
        Of a run: the verdicts that reviewers came with, or those they left with.
    seed
        Of the resampling that makes the intervals.
    json
        Print one JSON document.
    """
    from peerjudge.analysis import agreement, agreement_document
    from peerjudge.experiment import read_source

    dataset = await read_source(source, stance=stance)
    found = agreement(
        dataset, reviewers=split_names(reviewers), gold=gold, weights=weights, seed=seed
    )
    if json:
        print_json(agreement_document(found))
        return 0
    console = results()
    console.print(f"{' & '.join(found.reviewers)} against {found.gold}")
    console.print(f"accuracy      {found.accuracy}")
    console.print(f"Fleiss kappa  {found.fleiss_kappa}")
    console.print(f"{found.n} judged pairs, {found.unreadable} unreadable verdicts left out")
    return 0
