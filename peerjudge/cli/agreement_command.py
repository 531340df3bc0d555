"""`peerjudge agreement`: agreement of reviewers with gold, alone or as a panel."""

from __future__ import annotations

from typing import Literal

from peerjudge.cli.console import print_json, say_if_few, say_if_simulated
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
        A run folder, a store URL, a transcript file (.jsonl or .jsonl.gz), or a dataset
        NAME:PATH or FILE.py:PATH with reviews.
    gold
        `human` for the gold of the data, or the name of a reviewer to measure against.
    reviewers
        Only these, separated by commas; one alone, or several as a panel.
    weights
        equal, or peer: weight reviewers by their rank as contestants.
    stance
        For a run: private verdicts, before a seat heard another one, or final ones.
    panel
        Also measure each reviewer and each pair: kappas, common errors, the equivalent number of
        independent reviewers, and tests of which is better, adjusted for the number of pairs.
    seed
        Seed of the resampling for the intervals.
    json
        Print the result as one JSON document.
    """
    from peerjudge.analysis import (
        build_agreement_document,
        measure_agreement,
        measure_panel,
        select_judges,
    )
    from peerjudge.data import to_plain
    from peerjudge.reporting.biases import (
        build_panel_accuracy_table,
        build_panel_table,
        describe_agreement,
        describe_panel,
    )
    from peerjudge.runs import read_ballots

    ballots = await read_ballots(source)
    stances = ballots.where(ballots.opening if stance == "private" else ballots.closing)
    names = split_names(reviewers)
    found = measure_agreement(stances, reviewers=names, gold=gold, weights=weights, seed=seed)
    together = None
    if panel:
        together = measure_panel(select_judges(stances, reviewers=names, gold=gold), seed=seed)
    if json:
        document = {**build_agreement_document(found), "simulated": ballots.simulated}
        print_json(document if together is None else {**document, "panel": to_plain(together)})
        return 0
    say_if_simulated(ballots)
    say_if_few(stances.count_questions())
    say(*describe_agreement(found, gold_name(ballots, gold)))
    if together is not None:
        show(build_panel_accuracy_table(together), build_panel_table(together))
        say("", *describe_panel(together))
    return 0
