"""The candidates of a search and their scores, while its history is replayed; the race of a step."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from math import ceil, fsum, log
from typing import TypeAlias, TypeVar

import numpy as np

from peerjudge.data import content_hash, replace
from peerjudge.errors import DataError
from peerjudge.features.search.nouns import (
    Candidate,
    CandidateScores,
    Evaluate,
    Evaluated,
    Record,
    SearchOptions,
    SearchState,
    Step,
)

__all__ = [
    "Board",
    "Steps",
    "count_characters",
    "draw_number",
    "draw_random",
    "expect",
    "identify",
    "list_rungs",
    "pool_scores",
    "race",
]

R = TypeVar("R")

Steps: TypeAlias = Generator[Step, Record, None]
"""A method of searching: yields steps, is sent their records, and returns at the end of the search."""


class Board:
    """Candidates in the order in which they came about, with pooled scores and the incumbents.

    It is built anew by every replay and never leaves one.
    """

    def __init__(self, options: SearchOptions) -> None:
        texts = {target.name: target.text for target in options.targets}
        self.base = Candidate(id=identify(texts), texts=texts)
        self.incumbent = self.base
        self.steps = 0
        self._entropy = options.entropy
        self._asked = frozenset(options.questions)
        self._candidates = [self.base]
        self._scores: dict[str, CandidateScores] = {}
        self._path = [self.base.id]
        self._known = {_normalize(texts)}

    def knows(self, texts: Mapping[str, str]) -> bool:
        """Return whether a candidate with this content was there before, white space aside."""
        return _normalize(texts) in self._known

    def add(self, candidate: Candidate) -> None:
        """Keep a new candidate, or a proposal that is not valid."""
        self._candidates.append(candidate)
        if candidate.valid:
            self._known.add(_normalize(candidate.texts))

    def book(self, results: Sequence[CandidateScores]) -> None:
        """Add scores to those that the candidates have; a refused candidate becomes invalid."""
        for result in results:
            before = self._scores.get(result.candidate)
            self._scores[result.candidate] = pool_scores(before, result) if before else result
            if result.refused:
                self._candidates = [
                    replace(candidate, valid=False, why=result.refused)
                    if candidate.id == result.candidate
                    else candidate
                    for candidate in self._candidates
                ]

    def measure(self, candidate: str) -> float:
        """Return the score that the search compares: the mean, with the weighted entropy of GRIPS."""
        pooled = self._scores[candidate]
        value = fsum(pooled.scores.values()) / len(pooled.scores)
        return value + self._entropy * _entropy(pooled.predictions) if self._entropy else value

    def lead(self, candidate: str, over: Sequence[str]) -> float:
        """Return how far a candidate is ahead of the incumbent on these questions, on average."""
        ours, theirs = self._scores[candidate].scores, self._scores[self.incumbent.id].scores
        return fsum(ours[question] - theirs[question] for question in over) / len(over)

    def is_refused(self, candidate: str) -> bool:
        """Return whether the candidate could not be played."""
        return candidate in self._scores and bool(self._scores[candidate].refused)

    def is_complete(self, candidate: str) -> bool:
        """Return whether the candidate has a score on every question of the search split."""
        pooled = self._scores.get(candidate)
        return pooled is not None and pooled.scores.keys() >= self._asked

    def list_complete(self) -> list[Candidate]:
        """Return the candidates that were scored on every question, in order."""
        return [
            candidate
            for candidate in self._candidates
            if candidate.valid and self.is_complete(candidate.id)
        ]

    def promote(self, candidates: Sequence[Candidate]) -> bool:
        """Make the best of these the incumbent if it is strictly better; return whether it is.

        Of equal candidates the one with the shorter texts is better, then the earlier one.
        """
        complete = [
            candidate
            for candidate in candidates
            if self.is_complete(candidate.id) and not self.is_refused(candidate.id)
        ]
        if not complete:
            return False
        best = min(
            complete, key=lambda one: (-round(self.measure(one.id), 12), count_characters(one))
        )
        if self.measure(best.id) <= self.measure(self.incumbent.id) + 1e-12:
            return False
        self.incumbent = best
        self._path.append(best.id)
        return True

    def describe(self, *, finished: bool) -> SearchState:
        """Return the state as a noun."""
        return SearchState(
            candidates=tuple(self._candidates),
            scores=dict(self._scores),
            incumbent=self.incumbent.id,
            path=tuple(self._path),
            steps=self.steps,
            finished=finished,
        )


def race(
    board: Board, candidates: Sequence[Candidate], *, options: SearchOptions, step: int
) -> Generator[Evaluate, Record, None]:
    """Evaluate the candidates of a step, rung by rung.

    At every rung all that are left are scored on the next questions, and the better half goes on (of
    an odd number, the middle one too): better means further ahead of the incumbent on the questions
    so far, then shorter, then earlier. The incumbent has scores on all questions already, is not
    scored again, and is never dropped. Source: Jamieson and Talwalkar 2016 (successive halving).
    """
    racing = list(candidates)
    seen: list[str] = []
    for rung, questions in list_rungs(options.questions, options.halving, step=step):
        racing = [one for one in racing if not board.is_refused(one.id)]
        if not racing:
            return
        asked = Evaluate(step=step, candidates=tuple(racing), questions=questions, rung=rung)
        board.book(expect((yield asked), Evaluated).results)
        seen += questions
        racing = [one for one in racing if not board.is_refused(one.id)]
        if rung < 1.0 and len(racing) > 1:
            leads = {one.id: board.lead(one.id, seen) for one in racing}
            best = sorted(
                racing, key=lambda one: (-round(leads[one.id], 12), count_characters(one))
            )
            kept = {one.id for one in best[: ceil(len(racing) / 2)]}
            racing = [one for one in racing if one.id in kept]


def list_rungs(
    questions: Sequence[str], shares: Sequence[float], *, step: int
) -> list[tuple[float, tuple[str, ...]]]:
    """Return the rungs of a step: the share seen after it, and the questions that are new in it.

    Each step begins at another question, so that the first rung, which drops most, does not judge
    every step by the same questions. The order goes round, so that any beginning of it remains
    balanced. Rungs without a new question are left out.
    """
    n = len(questions)
    ends = [min(n, ceil(share * n - 1e-9)) for share in shares]
    start = step * ends[0] % n
    turned = [*questions[start:], *questions[:start]]
    rungs: list[tuple[float, tuple[str, ...]]] = []
    before = 0
    for share, end in zip(shares, ends, strict=True):
        if end > before:
            rungs.append((share if end < n else 1.0, tuple(turned[before:end])))
        before = end
    return rungs


def expect(record: Record, kind: type[R]) -> R:
    """Return the record if it is of this kind; raises `DataError` for any other."""
    if not isinstance(record, kind):
        msg = f"a step of the search needs a record {kind.__name__}, not {type(record).__name__}"
        raise DataError(msg)
    return record


def identify(texts: Mapping[str, str], salt: str = "") -> str:
    """Return the id of a candidate; a proposal that is not valid has the id of its request as salt."""
    # The empty table is part of the ids in searches that are stored and published.
    content = [dict(texts), {}, salt] if salt else [dict(texts), {}]
    return content_hash(*content)[:12]


def count_characters(candidate: Candidate) -> int:
    """Return the length of all texts of a candidate."""
    return sum(map(len, candidate.texts.values()))


def pool_scores(one: CandidateScores, other: CandidateScores) -> CandidateScores:
    """Return the scores of a candidate on the questions of both; rates are weighted by questions."""
    n, m = len(one.scores), len(other.scores)

    def average(ours: float, theirs: float) -> float:
        return (n * ours + m * theirs) / (n + m) if n + m else 0.0

    known = one.consistency is not None and other.consistency is not None
    names = [*one.predictions, *(name for name in other.predictions if name not in one.predictions)]
    priced = one.cost is not None and other.cost is not None
    return CandidateScores(
        candidate=one.candidate,
        scores={**one.scores, **other.scores},
        consistency=average(one.consistency or 0.0, other.consistency or 0.0) if known else None,
        unreadable=average(one.unreadable, other.unreadable),
        predictions={
            name: one.predictions.get(name, 0) + other.predictions.get(name, 0) for name in names
        },
        tokens=one.tokens + other.tokens,
        cost=(one.cost or 0.0) + (other.cost or 0.0) if priced else None,
        refused=one.refused or other.refused,
    )


def draw_random(draw: int, *place: int | str) -> np.random.Generator:
    """Return a generator for one place of a search; equal for equal seeds on every machine."""
    return np.random.default_rng(int(content_hash(draw, *place), 16))


def draw_number(draw: int, *place: int | str) -> int:
    """Return a number of 31 bits for one place of a search, as a sampling seed takes it."""
    return int(content_hash(draw, *place)[:8], 16) >> 1


def _normalize(texts: Mapping[str, str]) -> str:
    """The content of a candidate, with single spaces: a prompt does not differ by more of them."""
    return identify({name: " ".join(text.split()) for name, text in texts.items()})


def _entropy(counts: Mapping[str, int]) -> float:
    total = sum(counts.values())
    return -fsum(n / total * log(n / total) for n in counts.values() if n) if total else 0.0
