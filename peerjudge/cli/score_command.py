"""`peerjudge score`: the accuracy of reviewers, recorded or in a run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from peerjudge.cli.console import print_json, say_if_few
from peerjudge.cli.rank_command import split_names
from peerjudge.cli.tables import say, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from peerjudge.analysis.ballots import Ballots
    from peerjudge.analysis.contrasts import ConditionContrasts
    from peerjudge.analysis.published import Match, PublishedTable
    from peerjudge.analysis.ratings import RatingKind
    from peerjudge.analysis.scoring import Scores
    from peerjudge.data import Primary, RecordedReview


async def score_command(
    source: str,
    /,
    *,
    by: str = "",
    reviewers: str | None = None,
    gold: str | None = None,
    own_reading: bool = True,
    disagreements: bool = False,
    beside: str | None = None,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Accuracy of reviewers against gold, with intervals, in total and by group.

    For a run, every condition is scored: the conclusions of its discussions, and the private
    verdicts of its reviewers. Every discussion is then compared with cheaper ways to judge: its mean
    seat, its better seat alone, asked once or as often, and a vote. The margin, for
    replies with log-probabilities, is the probability of the gold answer. Ratings of single answers
    are scored by their correlation with gold.

    Parameters
    ----------
    source
        A run folder, a store URL, a transcript file (.jsonl or .jsonl.gz), or a dataset
        NAME:PATH or FILE.py:PATH with reviews.
    by
        subset, category, labeler (every vote is then a gold verdict), or a column of your data.
    reviewers
        Only these, separated by commas; `*` stands for any letters, as in 'GPT-4/*'.
    gold
        A dataset NAME:PATH whose gold, groups and votes replace those of the source.
    own_reading
        Read recorded texts again and score that reading as well.
    disagreements
        List the replies whose reading differs from the record; JSON always has them.
    beside
        Published figures to compare with those of a run, NAME or NAME:EVALUATOR; `prepair` is there.
    seed
        Seed of the resampling of questions for the intervals.
    json
        Print the result as one JSON document.
    """
    from peerjudge.analysis import Sampler, build_contrasts, collect_reviews
    from peerjudge.analysis.golds import align_comparisons
    from peerjudge.analysis.score_document import build_score_document
    from peerjudge.analysis.scoring import score_ballots
    from peerjudge.datasets import load as load_dataset

    ballots, reviews, ratings, primary = await _read(source)
    replaced = None if gold is None else load_dataset(gold)
    scores = score_ballots(
        ballots,
        by=by,
        reviewers=split_names(reviewers),
        gold=replaced,
        reviews=reviews if own_reading else (),
        ratings=ratings,
        seed=seed,
    )
    published = None if beside is None else _match(scores, beside)
    judged = ballots if replaced is None else align_comparisons(ballots, collect_reviews(replaced))
    contrasts = build_contrasts(judged, sampler=Sampler(seed=seed), primary=primary)
    if json:
        print_json(build_score_document(scores, contrasts=contrasts, published=published))
    else:
        say_if_few(ballots.count_questions())
        _print(scores, contrasts, published, disagreements=disagreements)
    return 0


async def _read(
    source: str,
) -> tuple[Ballots, Sequence[RecordedReview], Counter[RatingKind], Primary | None]:
    """Return the ballots, the reviews of a dataset, the kinds of ratings and the primary of a run."""
    from peerjudge.analysis.assembling import collect_reviews
    from peerjudge.analysis.collecting import BallotCollector
    from peerjudge.analysis.ratings import find_ratings
    from peerjudge.cli import reporting
    from peerjudge.datasets import load as load_dataset
    from peerjudge.runs import is_run, open_run

    ratings: Counter[RatingKind] = Counter()
    if not is_run(source):
        dataset = load_dataset(source)
        return collect_reviews(dataset), dataset.reviews, ratings, None
    collector = BallotCollector()
    async with open_run(source) as opened:
        async for transcript in reporting.played(opened):
            collector.add(transcript)
            ratings.update(find_ratings(transcript))
        primary = opened.primary
    return collector.ballots(name=source), (), ratings, primary


def _match(scores: Scores, wanted: str) -> tuple[PublishedTable, tuple[Match, ...]]:
    from peerjudge.analysis.published import match_published
    from peerjudge.datasets.published import read_published_tables

    name, _, setting = wanted.partition(":")
    return match_published(scores, read_published_tables(name), setting=setting)


def _print(
    scores: Scores,
    contrasts: Sequence[ConditionContrasts],
    published: tuple[PublishedTable, tuple[Match, ...]] | None,
    *,
    disagreements: bool,
) -> None:
    from peerjudge.reporting.contrasts import build_contrasts_table, describe_missing
    from peerjudge.reporting.formats import SIMULATED
    from peerjudge.reporting.scores import (
        build_published_table,
        build_score_tables,
        describe_disagreements,
        describe_scores,
    )

    if published is not None:
        show(build_published_table(scores, *published))
        say(*([SIMULATED] if scores.simulated else []))
        return
    show(*build_score_tables(scores), build_contrasts_table(contrasts))
    say("", *describe_missing(contrasts), *describe_scores(scores))
    if disagreements:
        say(*describe_disagreements(scores))
