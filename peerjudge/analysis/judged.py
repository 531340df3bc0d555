"""Reviews of pairs as columns, with what is known of the two answers: what bias is measured on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.intervals import Floats, Numbers
from peerjudge.data import Answer, Comparison, Dataset, RecordedReview
from peerjudge.errors import DataError
from peerjudge.ranking import score

__all__ = ["HUMAN", "Judged", "gold_scores", "judged"]

HUMAN = "human"
"""The gold that the comparisons themselves carry."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """Readable reviews of two answers, one entry each in every column but the last three.

    `reviewer`, `question`, `comparison` and (twice) `authors` are indexed by number, an author that
    is not known being -1. `swapped` says that the answers were shown in the reverse of the
    comparison's own order. `score` is -1 for the first-shown answer, 0 for a tie, +1 for the second.
    `longer` is the binary logarithm of the first-shown answer's length in characters over the
    second's. By comparison, in its own order: `gold` (a score, NaN where it is not known), `one`
    and `other` (the authors). `unreadable` counts, by reviewer, the reviews left out.
    """

    reviewers: tuple[str, ...]
    authors: tuple[str, ...]
    questions: int
    reviewer: Numbers
    question: Numbers
    comparison: Numbers
    swapped: npt.NDArray[np.bool_]
    score: npt.NDArray[np.int8]
    longer: Floats
    unreadable: tuple[int, ...]
    gold: Floats
    one: Numbers
    other: Numbers

    def __len__(self) -> int:
        return len(self.score)

    @property
    def shown_gold(self) -> Floats:
        """The gold score of every review, in the order in which the answers were shown."""
        return np.where(self.swapped, -1.0, 1.0) * self.gold[self.comparison]


def judged(
    dataset: Dataset, *, reviewers: Collection[str] | None = None, gold: str = HUMAN
) -> Judged:
    """The reviews of pairs of a dataset, or of a run read as one.

    Args:
        dataset: comparisons of other than two answers are passed over.
        reviewers: whose reviews count; `None` is everybody but the humans and `gold`.
        gold: `human` for the comparisons' own gold, else a reviewer whose verdicts serve as gold.

    Raises:
        DataError: a named reviewer gave no review of a pair, or nobody did.
    """
    pairs = {one.id: one for one in dataset.comparisons if len(one.answers) == 2}
    wanted = None if reviewers is None else set(reviewers)
    silent = {*dataset.humans, gold}
    reviews = [
        review
        for review in dataset.reviews
        if review.comparison in pairs
        and (review.reviewer not in silent if wanted is None else review.reviewer in wanted)
    ]
    present = {review.reviewer for review in reviews}
    missing = sorted((wanted or present) - present)
    golds = gold_scores(pairs, dataset.reviews, gold)
    if gold != HUMAN and not golds:
        missing = [gold]
    if missing or not present:
        msg = f"there are no reviews of pairs by {', '.join(missing) or 'anybody'}"
        raise DataError(msg)
    return _columns(pairs, reviews, tuple(sorted(present)), golds)


def gold_scores(
    comparisons: Mapping[str, Comparison], reviews: Iterable[RecordedReview], gold: str
) -> dict[str, int]:
    """By comparison the score of its gold, in the comparison's own order, where there is one.

    Where a reviewer that serves as gold gave several verdicts on a comparison, it is the sign of
    their mean.
    """
    votes: defaultdict[str, list[int | None]] = defaultdict(list)
    if gold == HUMAN:
        for name, one in comparisons.items():
            if one.gold is not None:
                votes[name].append(score(one.gold, (one.shown[0], one.shown[1])))
    for review in reviews if gold != HUMAN else ():
        if review.reviewer == gold and review.comparison in comparisons:
            shown = comparisons[review.comparison].shown
            votes[review.comparison].append(score(review.verdict, (shown[0], shown[1])))
    readable = {name: [vote for vote in given if vote is not None] for name, given in votes.items()}
    return {name: (sum(given) > 0) - (sum(given) < 0) for name, given in readable.items() if given}


def _columns(
    pairs: Mapping[str, Comparison],
    reviews: Sequence[RecordedReview],
    names: tuple[str, ...],
    golds: Mapping[str, int],
) -> Judged:
    known = list(pairs.values())
    authors = tuple(sorted({answer.author for one in known for answer in one.answers} - {""}))
    author = {name: number for number, name in enumerate(authors)} | {"": -1}
    asked = {one.question.id: None for one in known}
    question = {name: number for number, name in enumerate(asked)}
    place = {name: number for number, name in enumerate(pairs)}
    judge = {name: number for number, name in enumerate(names)}
    unreadable = [0] * len(names)

    def rows() -> Iterator[tuple[int, int, int, bool, int, float]]:
        for review in reviews:
            one = pairs[review.comparison]
            said = score(review.verdict, (review.shown[0], review.shown[1]))
            if said is None:
                unreadable[judge[review.reviewer]] += 1
                continue
            swapped = review.shown != one.shown
            ratio = _log_ratio(*one.answers)
            yield (
                judge[review.reviewer],
                question[one.question.id],
                place[review.comparison],
                swapped,
                said,
                -ratio if swapped else ratio,
            )

    table = list(rows())
    columns = list(zip(*table, strict=True)) if table else [()] * 6
    return Judged(
        reviewers=names,
        authors=authors,
        questions=len(question),
        reviewer=np.array(columns[0], dtype=np.int32),
        question=np.array(columns[1], dtype=np.int32),
        comparison=np.array(columns[2], dtype=np.int32),
        swapped=np.array(columns[3], dtype=np.bool_),
        score=np.array(columns[4], dtype=np.int8),
        longer=np.array(columns[5], dtype=np.float64),
        unreadable=tuple(unreadable),
        gold=np.array([golds.get(name, np.nan) for name in pairs], dtype=np.float64),
        one=np.array([author[one.answers[0].author] for one in known], dtype=np.int32),
        other=np.array([author[one.answers[1].author] for one in known], dtype=np.int32),
    )


def _log_ratio(first: Answer, second: Answer) -> float:
    return log2((len(first.text) + 1) / (len(second.text) + 1))
