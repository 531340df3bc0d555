"""`peerjudge bias`: position, self-preference and length bias of reviewers."""

from __future__ import annotations

from peerjudge.cli.console import print_json, say_if_few, say_if_simulated
from peerjudge.cli.rank_command import families_of, split_names
from peerjudge.cli.tables import gold_name, show
from peerjudge.data import replace


async def bias_command(
    source: str,
    /,
    *,
    reviewers: str | None = None,
    gold: str = "human",
    families: str | None = None,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Position, self-enhancement, verbosity and order consistency of every reviewer.

    Measured on the verdicts that reviewers gave before they heard another one; for a run also the
    position bias before and after the discussions. Intervals have questions as the unit.

    Parameters
    ----------
    source
        A run folder, a store URL, a transcript file (.jsonl or .jsonl.gz), or a dataset
        NAME:PATH or FILE.py:PATH with reviews.
    reviewers
        Only these, separated by commas.
    gold
        `human` for the gold of the data, or the name of a reviewer to measure against.
    families
        name=family, separated by commas: families of reviewers. The cards of a run name theirs.
    seed
        Seed of the resampling.
    json
        Print the result as one JSON document.
    """
    from peerjudge.analysis import build_bias_document, measure_bias
    from peerjudge.reporting.biases import build_bias_tables
    from peerjudge.runs import read_ballots

    ballots = await read_ballots(source)
    found = measure_bias(
        ballots,
        reviewers=split_names(reviewers),
        gold=gold,
        families=await families_of(source, families),
        seed=seed,
    )
    if json:
        print_json(build_bias_document(found))
    else:
        say_if_simulated(ballots)
        say_if_few(ballots.count_questions())
        show(*build_bias_tables(replace(found, gold=gold_name(ballots, gold))))
    return 0
