"""`peerjudge agreement`: agreement of reviewers with gold, alone or as a panel."""

from __future__ import annotations

from typing import Literal

from peerjudge.cli.tables import Contestants, Layout, parse_contestants, print_result, split_names


def agreement_command(
    source: str,
    /,
    *,
    gold: str = "human",
    reviewers: str | None = None,
    weights: Literal["equal", "peer"] = "equal",
    stance: Literal["private", "final"] = "private",
    contestants: Contestants = (),
    panel: bool = False,
    between: str | None = None,
    seed: int = 0,
    layout: Layout = "text",
    json: bool = False,
) -> int:
    """Accuracy and Fleiss' kappa of the reviewers' combined verdict against gold.

    Parameters
    ----------
    source
        A run folder, a store URL, a transcript file (.jsonl, .jsonl.gz), a bundle (.zip), or a dataset
        NAME:PATH or FILE.py:PATH with reviews.
    gold
        `human` for the gold of the data, or the name of a reviewer to measure against.
    reviewers
        Only these, separated by commas; one alone, or several as a panel. `*` stands for any letters, and
        `human` for all people, who are held against gold of one another's votes.
    weights
        equal, or peer: weight reviewers by their rank as contestants.
    stance
        For a run: private verdicts, before a seat heard another one, or final ones.
    panel
        Also measure each reviewer and each pair: kappas, Krippendorff's alpha, common errors, the
        equivalent number of independent reviewers, and tests of which is better, adjusted for the
        number of pairs.
    between
        Only pairs of answers by two of these contestants, separated by commas.
    seed
        Seed of the resampling for the intervals.
    json
        Print the result as one JSON document.
    """
    from peerjudge.results.agreements import agreement

    found = agreement(
        source,
        gold=gold,
        reviewers=split_names(reviewers),
        weights=weights,
        stance=stance,
        contestant_of=parse_contestants(contestants),
        panel=panel,
        between=split_names(between),
        seed=seed,
    )
    print_result(found, json=json, layout=layout)
    return 0
