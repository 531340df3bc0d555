"""`peerjudge model`: one model of all verdicts."""

from __future__ import annotations

from peerjudge.cli.tables import (
    Contestants,
    Layout,
    parse_contestants,
    print_result,
    split_families,
    split_names,
)


def model_command(
    source: str,
    /,
    *,
    reviewers: str | None = None,
    gold: str = "human",
    families: str | None = None,
    contestants: Contestants = (),
    pooled: bool = False,
    layout: Layout = "text",
    json: bool = False,
) -> int:
    """Effects on verdicts in one model: ability, difficulty, position, length, own answers, discussion.

    A logistic mixed model of the verdicts before discussions and at every turn of them. Each effect is
    with all others equal, which single measures (`bias`, `score`) are not. Intervals have questions
    as the unit.

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
    pooled
        One effect of position, length, own answer and family for all reviewers, instead of one for
        each.
    json
        Print the result as one JSON document.
    """
    from peerjudge.results.models import model

    found = model(
        source,
        reviewers=split_names(reviewers),
        gold=gold,
        families=split_families(families),
        contestant_of=parse_contestants(contestants),
        pooled=pooled,
    )
    print_result(found, json=json, layout=layout)
    return 0
