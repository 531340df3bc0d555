"""Datasets and discussions that the tests of measures build by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from peerjudge.data import (
    INCONSISTENT,
    REFUSED,
    TIE,
    UNREADABLE,
    Answer,
    Comparison,
    Dataset,
    Question,
    RecordedReview,
    Role,
    Seat,
    Transcript,
    Verdict,
    replace,
)
from peerjudge.statistics.sampler import Sampler
from peerjudge.testing import comparison_of, transcript_of

QUICK = Sampler(samples=50)
MARKS = {"=": TIE, "?": UNREADABLE, "-": REFUSED, "x": INCONSISTENT}
ANN, BOB = (
    Seat(id=f"seat-{n}", reviewer=name, role=role)
    for n, (name, role) in enumerate((("ann", Role.LEADER), ("bob", Role.FOLLOWER)), start=1)
)
EVE = Seat(id="seat-3", reviewer="eve", role=Role.JUDGE)
COURT = (*(replace(seat, role="debater") for seat in (ANN, BOB)), EVE)
"""Two debaters and a judge, who has no private review in these moves: ann is right alone on three of four
questions, bob on one, and the judge is right after the debate on three."""
COURT_MOVES = ("1|2|- 1 1 1", "1|2|- 1 1 2", "2|1|- 1 1 1", "1|2|- 1 1 1")
BOB_LEADS = (
    replace(BOB, id="seat-1", role=Role.LEADER),
    replace(ANN, id="seat-2", role=Role.FOLLOWER),
)


def read_mark(mark: str, answers: Comparison | None = None) -> Verdict:
    """Return the verdict of a mark: the number of an answer, or one of `MARKS`."""
    if mark in MARKS:
        return MARKS[mark]
    return Verdict.of(answers.answers[int(mark) - 1].id if answers else f"answer-{mark}")


def pair_of(
    name: str = "c",
    authors: tuple[str, str] = ("ann", "bob"),
    *,
    gold: str = "",
    lengths: tuple[int, int] = (3, 3),
) -> Comparison:
    """Return a pair of answers by two authors, whose names are its ids, with the gold of a mark."""
    answers = tuple(
        Answer(id=author, text="x" * length, author=author)
        for author, length in zip(authors, lengths, strict=True)
    )
    made = Comparison(id=name, question=Question(id=f"q-{name}", text="Why?"), answers=answers)
    return replace(made, gold=read_mark(gold, made)) if gold else made


def review_of(
    comparison: Comparison, mark: str, *, by: str = "judge", swap: bool = False, **changes
) -> RecordedReview:
    """Return the review of a comparison, in its own order or the other.

    A mark is that of `read_mark`, or `f` or `s` for the first-shown or the second-shown answer.
    """
    shown = comparison.shown[::-1] if swap else comparison.shown
    return RecordedReview(
        comparison=comparison.id,
        shown=shown,
        reviewer=by,
        verdict=Verdict.of(shown["fs".index(mark)])
        if mark in "fs"
        else read_mark(mark, comparison),
        **changes,
    )


def dataset_of(
    comparisons: Iterable[Comparison], reviews: Iterable[RecordedReview] = (), **changes
) -> Dataset:
    """Return the dataset `made` of these comparisons and reviews."""
    return Dataset(
        name="made",
        description="",
        comparisons=tuple(comparisons),
        reviews=tuple(reviews),
        **changes,
    )


def told(
    moves: str,
    name: str = "c1",
    *,
    seats: tuple[Seat, ...] | None = (ANN, BOB),
    gold: int | None = 1,
    swap: bool = False,
    **changes,
) -> Transcript:
    """Return a discussion of a pair whose gold is `answer-1` in both orders."""
    comparison = comparison_of(2, gold=gold, name=name)
    shown = comparison.swapped() if swap else comparison
    return replace(
        transcript_of(moves, comparison=shown, seats=seats), **{"condition": "talk", **changes}
    )


def rated_by(
    ratings: Mapping[str, Sequence[float | None]],
    golds: Sequence[float],
    *,
    size: int = 2,
    aspect: str = "style",
) -> Dataset:
    """Return ratings by several reviewers of the same answers, `size` of each question."""
    comparisons, reviews = [], []
    for number, gold in enumerate(golds):
        made = comparison_of(1, name=f"c{number}")
        question = Question(id=f"q{number // size}", text="Summarise.")
        comparisons.append(replace(made, question=question, meta={"gold_style": gold}))
        reviews += [
            review_of(made, "1", by=name, scores=(given[number],), aspect=aspect)
            for name, given in ratings.items()
        ]
    return dataset_of(comparisons, reviews)
