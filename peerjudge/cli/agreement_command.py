"""`peerjudge agreement`: how well reviewers agree with gold, alone or as a panel."""

from __future__ import annotations

from typing import Literal

from peerjudge.cli.console import print_json, say_if_simulated
from peerjudge.cli.rank_command import split_names
from peerjudge.cli.tables import gold_name, say, show


async def agreement_command(
    source: str,
    /,
    *,
    gold: str = "human",
    reviewers: str | None = None,
    weights: Literal["equal", "peer"] = "equal",
    stance: Literal["private", "final"] = "private",
    panel: bool = False,
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
    panel
        Also the reviewers one by one and two by two: kappas, whether they err together, how many
        independent reviewers they are worth, and tests of who is better, adjusted for their number.
    seed
        Of the resampling that makes the intervals.
    json
        Print one JSON document.
    """
    from peerjudge.analysis import (
        agreement,
        agreement_document,
        measure_panel,
        select_judges,
    )
    from peerjudge.data import to_plain
    from peerjudge.reporting.biases import (
        agreement_sentences,
        panel_accuracy_table,
        panel_sentences,
        panel_table,
    )
    from peerjudge.runs import read_ballots, read_source

    dataset = await read_source(source, stance=stance)
    names = split_names(reviewers)
    found = agreement(dataset, reviewers=names, gold=gold, weights=weights, seed=seed)
    together = None
    if panel:
        ballots = await read_ballots(source)
        stances = ballots.where(ballots.opening if stance == "private" else ballots.closing)
        together = measure_panel(select_judges(stances, reviewers=names, gold=gold), seed=seed)
    if json:
        document = {**agreement_document(found), "simulated": dataset.simulated}
        print_json(document if together is None else {**document, "panel": to_plain(together)})
        return 0
    say_if_simulated(dataset)
    say(*agreement_sentences(found, gold_name(dataset, gold)))
    if together is not None:
        show(panel_accuracy_table(together), panel_table(together))
        say("", *panel_sentences(together))
    return 0
