"""`peerjudge bias`: position, self-preference and length bias of reviewers."""

from __future__ import annotations

from peerjudge.cli.tables import (
    Contestants,
    Layout,
    parse_contestants,
    print_result,
    split_families,
    split_names,
)


def bias_command(
    source: str,
    /,
    *,
    reviewers: str | None = None,
    gold: str = "human",
    families: str | None = None,
    contestants: Contestants = (),
    seed: int = 0,
    layout: Layout = "text",
    json: bool = False,
) -> int:
    """Position, self-enhancement, verbosity and order consistency of every reviewer.

    Measured on the verdicts that reviewers gave before they heard another one; for a run also the
    position bias before and after the discussions. Intervals have questions as the unit.

    Parameters
    ----------
    source
        A run folder, a store URL, a transcript file (.jsonl, .jsonl.gz), a bundle (.zip), or a dataset
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
    from peerjudge.results.biases import bias

    found = bias(
        source,
        reviewers=split_names(reviewers),
        gold=gold,
        families=split_families(families),
        contestant_of=parse_contestants(contestants),
        seed=seed,
    )
    print_result(found, json=json, layout=layout)
    return 0
