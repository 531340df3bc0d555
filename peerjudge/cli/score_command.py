"""`peerjudge score`: how right reviewers are, on record or in a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerjudge.cli.console import print_json
from peerjudge.cli.rank_command import split_names

if TYPE_CHECKING:
    from peerjudge.analysis.scoring import Beside, Judged, PublishedTable, Scores

__all__ = ["score_command"]


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
    """Accuracy of reviewers against gold, with intervals, in all and by group.

    Of a run, every condition is scored: what its discussions concluded, and what its reviewers
    thought in private. Ratings of single answers are scored by their correlation with gold.

    Parameters
    ----------
    source
        A run folder, a store URL, or a dataset NAME:PATH that carries reviews.
    by
        subset, category, labeler (every vote is then a gold of its own), or a column of your data.
    reviewers
        Only these, separated by commas; `*` stands for any letters, as in 'GPT-4/*'.
    gold
        A dataset NAME:PATH to take gold, groups and votes from, instead of those of the source.
    own_reading
        Read recorded texts again and score that reading as well.
    disagreements
        List the replies in which that reading is not what is on record; JSON always has them.
    beside
        Published figures to put beside a run's, NAME or NAME:EVALUATOR; `prepair` is there.
    seed
        Of the resampling of questions that makes the intervals.
    json
        Print one JSON document.
    """
    from peerjudge.analysis.scoring import score, score_document, with_gold
    from peerjudge.datasets import load as load_dataset

    judged = await _judged(source, split_names(reviewers), own_reading=own_reading)
    if gold is not None:
        judged = with_gold(judged, load_dataset(gold))
    scores = score(judged, by=by, seed=seed)
    published = None if beside is None else _beside(scores, beside)
    if json:
        print_json(score_document(scores, published=published))
    else:
        _print(scores, disagreements=disagreements, published=published)
    return 0


async def _judged(source: str, reviewers: list[str] | None, *, own_reading: bool) -> Judged:
    from peerjudge.analysis.scoring import Gathering, judged_from_dataset
    from peerjudge.cli import reporting
    from peerjudge.datasets import load as load_dataset
    from peerjudge.runs import is_run, open_run

    if not is_run(source):
        return judged_from_dataset(
            load_dataset(source), reviewers=reviewers, own_reading=own_reading
        )
    gathering = Gathering()
    async with open_run(source) as opened:
        async for transcript in reporting.played(opened):
            gathering.add(transcript)
    return gathering.judged(source, reviewers=reviewers)


def _beside(scores: Scores, wanted: str) -> tuple[PublishedTable, tuple[Beside, ...]]:
    from peerjudge.analysis.scoring import beside
    from peerjudge.datasets.published import read_published_tables

    name, _, setting = wanted.partition(":")
    return beside(scores, read_published_tables(name), setting=setting)


def _print(
    scores: Scores,
    *,
    disagreements: bool,
    published: tuple[PublishedTable, tuple[Beside, ...]] | None,
) -> None:
    from peerjudge.cli import score_tables

    if published is not None:
        score_tables.print_beside(scores, *published)
        return
    if scores.scores:
        score_tables.print_accuracy(scores)
        score_tables.print_details(scores)
        score_tables.print_ratings(scores)
    if scores.correlations:
        score_tables.print_correlations(scores)
    if disagreements:
        score_tables.print_disagreements(scores)
