"""Battles, tournaments, rankings of contestants and weights of reviewers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Self

import numpy as np
import numpy.typing as npt
from msgspec import field

from peerjudge.data.comparisons import Verdict
from peerjudge.data.nouns import Noun, replace
from peerjudge.errors import DataError

LEVEL = 0.95
"""Level of every interval, unless another is asked for."""


class Scoring(StrEnum):
    """The scores of contestants."""

    WIN_RATE = "win-rate"
    ELO = "elo"
    BRADLEY_TERRY = "bradley-terry"


class Scheme(StrEnum):
    """The schemes by which reviewers' weights follow from their scores as contestants."""

    PRD = "prd"
    """Equation 2 of PRD: min-max, then normalise. The worst reviewer always weighs 0."""
    DAMPED = "damped"
    """A damped fixed point: weights positive, unique, sum 1."""


class RecordedReview(Noun, frozen=True, kw_only=True):
    """A recorded judgement: `text` as written (empty for humans), `verdict` as recorded.

    `shown` holds the answer ids in the order in which that reviewer saw them. A reviewer that rated
    instead of choosing has `scores`, one per shown answer (`None` where missing), for one `aspect`.
    The verdict on a lone answer is that answer.
    """

    comparison: str
    shown: tuple[str, ...]
    reviewer: str
    verdict: Verdict
    text: str = ""
    scores: tuple[float | None, ...] = ()
    aspect: str = ""


TIED = "tie"
"""Winner of a battle that neither contestant won."""


class Battle(Noun, frozen=True, kw_only=True):
    """One reviewer's verdict on two contestants' answers to one question.

    `first` and `second` are contestants in the shown order. `winner` is one of them, `"tie"`, or `None`
    when the verdict was not readable: such a battle is counted and excluded, never scored.
    """

    question: str
    reviewer: str
    first: str
    second: str
    winner: str | None

    def __post_init__(self) -> None:
        if TIED in (self.first, self.second):
            msg = f"a contestant cannot be called {TIED!r}, which is the winner of a tied battle"
            raise DataError(msg)
        if self.winner not in (self.first, self.second, TIED, None):
            msg = (
                f"the winner of a battle between {self.first!r} and {self.second!r} is one of them, "
                f"{TIED!r} or None, not {self.winner!r}"
            )
            raise DataError(msg)

    @classmethod
    def scored(
        cls, *, question: str, reviewer: str, first: str, second: str, score: int | None
    ) -> Self:
        """Return a battle from its score in the convention of PRD.

        `score` is -1 when the first won, 0 for a tie, +1 when the second won, and `None` when the verdict
        was not readable.
        """
        if score not in (-1, 0, 1, None):
            msg = f"a battle's score is -1, 0, +1 or None, not {score!r}"
            raise DataError(msg)
        winner = None if score is None else (first, TIED, second)[score + 1]
        return cls(question=question, reviewer=reviewer, first=first, second=second, winner=winner)

    @property
    def score(self) -> int | None:
        """The score in the convention of PRD; see `scored`."""
        if self.winner is None or self.winner == TIED:
            return None if self.winner is None else 0
        return -1 if self.winner == self.first else 1


IntArray = npt.NDArray[np.int32]


class Tournament(Noun, frozen=True, kw_only=True, eq=False):
    """Many battles as columns, one entry per battle, all of equal length.

    `question`, `reviewer`, `first`, `second` are int32 indices into `questions`, `reviewers` and
    (twice) `contestants`; `score` is int8 in {-1, 0, +1}; `readable` is false where there was no
    readable verdict (the score is then 0 and must not be used). `contestant_of` names the contestant
    that a reviewer is, for reviewers with another name than theirs.
    """

    questions: tuple[str, ...]
    reviewers: tuple[str, ...]
    contestants: tuple[str, ...]
    question: IntArray
    reviewer: IntArray
    first: IntArray
    second: IntArray
    score: npt.NDArray[np.int8]
    readable: npt.NDArray[np.bool_]
    contestant_of: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        columns = (self.question, self.reviewer, self.first, self.second, self.score, self.readable)
        lengths = {len(column) for column in columns}
        if len(lengths) != 1:
            msg = f"the columns of a tournament must be of equal length, not {sorted(lengths)}"
            raise DataError(msg)

    def __len__(self) -> int:
        return len(self.score)

    def where(self, rows: npt.NDArray[np.bool_]) -> Tournament:
        """Return the tournament with these battles only; all names are kept."""
        columns = ("question", "reviewer", "first", "second", "score", "readable")
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})

    @property
    def own(self) -> tuple[str, ...]:
        """The contestant that each reviewer is: its own name, unless `contestant_of` says otherwise."""
        return tuple(self.contestant_of.get(name, name) for name in self.reviewers)


class Measurement(Noun, frozen=True, kw_only=True):
    """A value with its interval from `low` to `high` at `level`, from `n` observations.

    `value` is NaN without observations. `method` names the method of the interval.
    """

    value: float
    low: float
    high: float
    n: int
    level: float = LEVEL
    method: str = ""

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


class ReviewerWeights(Noun, frozen=True, kw_only=True):
    """The weights of reviewers; they sum to 1. `residual` is the last change (max norm).

    `converged` is false where Elo's weights did not settle in every order of the battles.
    """

    weights: Mapping[str, float]
    scheme: Scheme | None
    iterations: int
    residual: float
    converged: bool


class Standing(Noun, frozen=True, kw_only=True):
    """A contestant's score and rank (1 is best), with the bounds of both where they are known."""

    score: float
    rank: int
    low: float | None = None
    high: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None


class LightPair(Noun, frozen=True, kw_only=True):
    """Two contestants whose battles were judged by `reviewers` only, who have `weight` of all 1."""

    one: str
    other: str
    reviewers: tuple[str, ...]
    weight: float


class Ranking(Noun, frozen=True, kw_only=True):
    """Contestants in order of score, best first, and the reviewer weights behind it.

    `questions` counts those with a readable battle. Of the `resamples` of these, `unsettled` have peer
    weights that did not converge (the last ones are used), and in `propped` Bradley-Terry had no
    finite estimate and got one tied battle between every pair. `outranks[x][y]` is the share of
    resamples in which x scored above y (ties as half), and `weight_bounds` has low and high of every
    estimated weight. `between_orders` has the standard deviation of each Elo rating between random
    orders of the battles. Where the peer weights are those of Elo within each order, the ones of
    `unsettled_orders` did not settle and count with their last weights.

    `by_opponent` is true where reviewers judged different pairs, as after the exclusion of
    self-reviews: the weights are then shared among the judges of every pair, and a win rate is the
    mean over opponents. `light_pairs` are the pairs that are left to reviewers of little weight,
    lightest first. `mute` names the reviewers without a readable battle, which weigh 0.
    `contestant_of` is that of the tournament.

    `groups` has the contestants that met, directly or through others, best first; usually there is
    one group. Scores of different groups have no common measure: ranks and `outranks` are within a
    group. A contestant without a readable battle is in no group.
    """

    scoring: Scoring
    contestants: Mapping[str, Standing]
    groups: tuple[tuple[str, ...], ...]
    weights: ReviewerWeights
    reviews: int
    unreadable: int
    questions: int
    resamples: int = 0
    unsettled: int = 0
    propped: int = 0
    outranks: Mapping[str, Mapping[str, float]] | None = None
    weight_bounds: Mapping[str, tuple[float, float]] | None = None
    between_orders: Mapping[str, float] | None = None
    unsettled_orders: int | None = None
    by_opponent: bool = False
    light_pairs: tuple[LightPair, ...] = ()
    mute: tuple[str, ...] = ()
    contestant_of: Mapping[str, str] = field(default_factory=dict[str, str])

    def is_contestant(self, reviewer: str) -> bool:
        """Return whether this reviewer is one of the ranked contestants."""
        return self.contestant_of.get(reviewer, reviewer) in self.contestants
