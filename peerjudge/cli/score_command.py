"""`peerjudge score`: the accuracy of reviewers, recorded or in a run."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from peerjudge.cli.tables import Layout, print_result, say, split_names
from peerjudge.errors import DataError


def score_command(
    source: str,
    /,
    *,
    by: str = "",
    reviewers: str | None = None,
    gold: str | None = None,
    as_published: bool = False,
    own_reading: Annotated[bool, Parameter(negative="--no-own-reading")] = True,
    disagreements: bool = False,
    annotators: bool = False,
    beside: str | None = None,
    between: str | None = None,
    seed: int = 0,
    layout: Layout = "text",
    json: bool = False,
) -> int:
    """Accuracy of reviewers against gold, with intervals, in total and by group.

    For a run, every condition is scored: the conclusions of its discussions, and the private
    verdicts of its reviewers. Every discussion is then compared with cheaper ways to judge: its mean
    seat, its better seat alone, asked once or as often, and a vote. The margin, for
    replies with log-probabilities, is the probability of the gold answer. Ratings of single answers
    are scored by their correlation with gold and their mean absolute error, and those of two
    conditions or reviewers are compared with each other.

    Parameters
    ----------
    source
        A run folder, a store URL, a transcript file (.jsonl, .jsonl.gz), a bundle (.zip), or a dataset
        NAME:PATH or FILE.py:PATH with reviews.
    by
        subset, category, labeler (every vote is then a gold verdict), a column of your data, or for a run
        leader: the seat that leads a discussion. Names separated by commas group by all of them together.
    reviewers
        Only these, separated by commas; `*` stands for any letters, as in 'GPT-4/*', and `human` for all
        people, each held against gold of the others' votes.
    gold
        A dataset NAME:PATH whose gold, groups and votes replace those of the source.
    as_published
        Count as the authors of the dataset do in their own figures: what inconsistent and unreadable
        verdicts are, which votes are gold, and how groups are averaged.
    own_reading
        Read recorded texts again and score that reading as well.
    disagreements
        List the replies whose reading differs from the record; JSON always has them.
    annotators
        Instead, estimate how often each person errs from votes that disagree (Dawid and Skene's
        model), and compare accuracy against gold with accuracy against the labels of the model.
        A run needs --gold with a dataset that has the votes.
    beside
        Published figures to compare with those of a run, NAME or NAME:EVALUATOR; `prepair` is there. The
        table is chosen by the prompts and the temperature of each condition.
    between
        Only pairs of answers by two of these contestants, separated by commas.
    seed
        Seed of the resampling of questions for the intervals.
    json
        Print the result as one JSON document.
    """
    if annotators:
        from peerjudge.results.annotators import annotators as judge_annotators

        if by or beside is not None or disagreements or between is not None:
            msg = (
                "--annotators prints tables of its own; leave --by, --beside, --between and "
                "--disagreements out"
            )
            raise DataError(msg)
        model = judge_annotators(source, gold=gold, reviewers=split_names(reviewers), seed=seed)
        print_result(model, json=json, layout=layout)
        return 0
    from peerjudge.results.scores import score

    found = score(
        source,
        by=by,
        reviewers=split_names(reviewers),
        gold=gold,
        as_published=as_published,
        own_reading=own_reading,
        beside=beside,
        between=split_names(between),
        seed=seed,
    )
    print_result(found, json=json, layout=layout)
    if disagreements and not json and found.published is None:
        say(*found.describe_disagreements())
    return 0
