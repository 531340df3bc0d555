"""Ballots from recorded reviews, and the tables of names that every source of ballots shares."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

import numpy as np

from peerjudge.analysis.ballots import (
    NONE,
    OUTCOME_CODES,
    ROW_COLUMNS,
    SHARED,
    Ballots,
    Discussions,
    Stage,
    no_discussions,
)
from peerjudge.analysis.left_out import leave_out_own_votes
from peerjudge.analysis.styles import MARKDOWN, count_markdown
from peerjudge.data import MAX_ANSWERS, Comparison, Dataset, GoldRule, Verdict, replace as changed
from peerjudge.errors import DataError

Key = TypeVar("Key", bound=Hashable)


class Vocabulary(dict[Key, int], Generic[Key]):
    """Numbers values from 0 in the order in which they first appear."""

    def __missing__(self, key: Key) -> int:
        self[key] = number = len(self)
        return number


class ComparisonTable:
    """Comparisons in the order in which they first appear, and the codes of their verdicts.

    Args:
        keep_texts: keep the comparisons with their texts.
        own_order: they come in their own order. Else, as in a run, where they come as shown, the
            order of the answers' ids is taken, so that it does not depend on what came first.
    """

    def __init__(self, *, keep_texts: bool, own_order: bool) -> None:
        self.questions = Vocabulary[str]()
        self.orders = Vocabulary[tuple[int, ...]]()
        self.comparisons: list[Comparison] = []
        self._keep, self._known = keep_texts, own_order
        self._numbers: dict[str, int] = {}
        self._places: list[dict[str, int]] = []
        self._question_of: list[int] = []
        self._gold_of: list[int] = []
        self._lengths: list[list[int]] = []
        self._markdown: list[list[list[int]]] = []

    def number(self, comparison: Comparison) -> int:
        """Return the number of a comparison, which is added where it is new."""
        known = self._numbers.get(comparison.id)
        if known is not None:
            return known
        if not self._known:
            comparison = comparison.reordered(sorted(comparison.shown))
        number = self._numbers[comparison.id] = len(self.comparisons)
        self.comparisons.append(comparison if self._keep else drop_texts(comparison))
        self._places.append({answer.id: n for n, answer in enumerate(comparison.answers)})
        gold = comparison.gold
        readable = gold is not None and gold.readable
        self._gold_of.append(self.code(number, gold) if readable else NONE)
        self._question_of.append(self.questions[comparison.question.id])
        lengths = [len(answer.known_text) for answer in comparison.answers]
        absent = MAX_ANSWERS - len(lengths)
        self._lengths.append(lengths + [0] * absent)
        marks = [count_markdown(answer.known_text) for answer in comparison.answers]
        self._markdown.append(marks + [[0] * len(MARKDOWN)] * absent)
        return number

    def find(self, comparison: str, reviewer: str) -> int:
        """Return the number of the comparison with this id.

        Raises:
            DataError: it is unknown; names the reviewer of the review that refers to it.
        """
        if comparison not in self._numbers:
            msg = f"a review by {reviewer!r} is of the unknown comparison {comparison!r}"
            raise DataError(msg)
        return self._numbers[comparison]

    def code(self, number: int, verdict: Verdict | None) -> int:
        """Return the code of a verdict on the comparison of this number; `NONE` for `None`.

        Raises:
            DataError: it chooses an answer that the comparison does not have.
        """
        if verdict is None:
            return NONE
        if verdict.choice is None:
            return OUTCOME_CODES[verdict.outcome]
        places = self._places[number]
        if verdict.choice not in places:
            msg = (
                f"the verdict chooses {verdict.choice!r}, which is not among the answers "
                f"{tuple(places)}"
            )
            raise DataError(msg)
        return places[verdict.choice]

    def order(self, number: int, shown: Sequence[str]) -> int:
        """Return the code of an order of the answers of the comparison of this number."""
        places = self._places[number]
        return self.orders[tuple([places[answer] for answer in shown])]

    def columns(self) -> dict[str, object]:
        """Return the fields of `Ballots` that describe comparisons."""
        return {
            "questions": tuple(self.questions),
            "comparisons": tuple(self.comparisons),
            "orders": tuple(self.orders),
            "own_order": self._known,
            "question_of": np.array(self._question_of, dtype=np.int32),
            "gold_of": np.array(self._gold_of, dtype=np.int8),
            "lengths": np.array(self._lengths, dtype=np.int32).reshape(-1, MAX_ANSWERS),
            "markdown": np.array(self._markdown, dtype=np.int32).reshape(
                -1, MAX_ANSWERS, len(MARKDOWN)
            ),
        }


def drop_texts(comparison: Comparison) -> Comparison:
    """Return the same comparison with empty texts."""
    return changed(
        comparison,
        question=changed(comparison.question, text=""),
        answers=tuple(changed(answer, text="") for answer in comparison.answers),
    )


def collect_reviews(dataset: Dataset) -> Ballots:
    """Return the recorded reviews of a dataset as ballots, in the order of the dataset.

    Raises:
        DataError: a review is of an unknown comparison, or chooses an answer that it does not have.
    """
    table = ComparisonTable(keep_texts=True, own_order=True)
    for comparison in dataset.comparisons:
        table.number(comparison)
    reviewers, aspects = Vocabulary[str](), Vocabulary[str]()
    rows: list[tuple[int, int, int, int, int]] = []
    ratings: list[float] = []
    for review in dataset.reviews:
        number = table.find(review.comparison, review.reviewer)
        order = table.order(number, review.shown)
        verdict = table.code(number, review.verdict)
        judge, aspect = reviewers[review.reviewer], aspects[review.aspect]
        rows.append((number, judge, order, verdict, aspect))
        alone = len(review.shown) == 1 and review.scores
        rating = review.scores[0] if alone else None
        ratings.append(np.nan if rating is None else rating)
    columns = np.array(rows, dtype=np.int32).reshape(-1, 5).T
    own = dict(zip(("comparison", "reviewer", "order", "verdict", "aspect"), columns, strict=True))
    ballots = build_ballots(
        {**own, "rating": ratings, "opening": True, "closing": True, "stage": Stage.RECORDED},
        size=len(rows),
        name=dataset.name,
        simulated=dataset.simulated,
        simulated_reviewers=[name for name in reviewers if name not in dataset.humans]
        if dataset.simulated
        else (),
        humans=dataset.humans,
        unordered=dataset.unordered,
        gold_rule=dataset.gold_rule,
        reviewers=reviewers,
        aspects=aspects,
        panels=(),
        table=table,
        discussions=no_discussions(),
    )
    return leave_out_own_votes(ballots, labeled=dataset.labeled)


_DTYPES: Mapping[str, type[np.generic]] = {
    **dict.fromkeys(ROW_COLUMNS, np.int32),
    **dict.fromkeys(("stage", "verdict", "event", "before", "others"), np.int8),
    **dict.fromkeys(("gold_move", "majority_move", "first_move", "voter_gold"), np.int8),
    **dict.fromkeys(("opening", "closing"), np.bool_),
    **dict.fromkeys(("rating", "usd"), np.float64),
    "probabilities": np.float32,
}
_MISSING: Mapping[str, float] = {
    **dict.fromkeys(ROW_COLUMNS, -1),
    "before": NONE,
    "others": NONE,
    **dict.fromkeys(("opening", "closing", "round"), 0),
    **dict.fromkeys(("rating", "usd"), np.nan),
    "voter_gold": SHARED,
}


def build_ballots(
    rows: Mapping[str, object],
    *,
    size: int,
    name: str,
    simulated: bool,
    simulated_reviewers: Iterable[str] = (),
    humans: Iterable[str] = (),
    unordered: Iterable[str] = (),
    gold_rule: GoldRule = GoldRule.SIGN_OF_MEAN,
    reviewers: Iterable[str],
    aspects: Iterable[str] = (),
    panels: Iterable[tuple[str, ...]] = (),
    table: ComparisonTable,
    discussions: Discussions,
) -> Ballots:
    """Return the table with these row columns; a column that is left out holds missing values.

    Args:
        rows: by name of a row column its values, or one value for all rows.
        size: number of rows.
        name: of the source.
        simulated: true if any ballot is of no real model.
        simulated_reviewers: reviewers that no real model spoke for.
        humans: reviewers that are people.
        unordered: reviewers who saw the answers in an order that is not known.
        gold_rule: settles their votes that disagree.
        reviewers: names in the order of their codes.
        aspects: the same of aspects.
        panels: the same of groups of reviewers.
        table: the comparisons.
        discussions: facts about discussions.
    """
    columns: dict[str, object] = {}
    given = {"probabilities": np.empty((size, 0)), **rows}
    for column in ROW_COLUMNS:
        values = np.asarray(given.get(column, _MISSING.get(column))).astype(
            _DTYPES[column], copy=False
        )
        columns[column] = np.broadcast_to(values, (size,)) if values.ndim == 0 else values
    columns["number"] = np.arange(size, dtype=np.int32)
    return Ballots(
        name=name,
        simulated=simulated,
        simulated_reviewers=tuple(simulated_reviewers),
        humans=tuple(humans),
        unordered=tuple(unordered),
        gold_rule=gold_rule,
        reviewers=tuple(reviewers),
        aspects=tuple(aspects),
        panels=tuple(panels),
        discussions=discussions,
        **table.columns(),  # pyright: ignore[reportArgumentType]  the fields of comparisons
        **columns,  # pyright: ignore[reportArgumentType]  one array per row column
    )
