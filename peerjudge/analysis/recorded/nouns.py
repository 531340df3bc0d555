"""What recorded reviews say, as frozen numbers: everything that their report shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from peerjudge.analysis.agreement import GoldAgreement
from peerjudge.analysis.panel import Panel
from peerjudge.analysis.peers import HeadToHead, Trajectory
from peerjudge.analysis.position import OrderConsistency, Position
from peerjudge.analysis.scoring import Score
from peerjudge.analysis.self_enhancement import SelfEnhancement
from peerjudge.analysis.verbosity import Verbosity
from peerjudge.data import Measurement, Noun, Ranking

__all__ = ["Evaluator", "Jury", "JuryAgreement", "RecordedFindings"]


class Jury(Noun, frozen=True, kw_only=True):
    """Reviewers who judge together, each counting alike or as well as it does as a contestant."""

    name: str
    reviewers: tuple[str, ...]
    weights: Literal["equal", "peer"] = "equal"


class JuryAgreement(Noun, frozen=True, kw_only=True):
    """How well a jury's combined verdict agrees with the human gold (PRD Table 3)."""

    jury: Jury
    agreement: GoldAgreement


class Evaluator(Noun, frozen=True, kw_only=True):
    """A jury as it ranks the contestants (PRD Table 2); people vote as one.

    `elo` is `None`, and `elo_missing` says why, where its peer weights do not settle. `trajectory`
    follows the Elo rating of the contestant that is best in the eyes of all, for at most twice as
    many battles as the shortest of the evaluators' tournaments has.
    """

    jury: Jury
    win_rate: Ranking
    elo: Ranking | None
    elo_missing: str
    head_to_head: HeadToHead
    trajectory: Trajectory | None


class RecordedFindings(Noun, frozen=True, kw_only=True):
    """Everything that a dataset's recorded reviews say. Intervals are of `level`, by question.

    `scores`, `positions`, `consistency`, `self_enhancement` and `verbosity` are by reviewer, people
    left out: they saw a pair in one order only. `awarded` has the ranking by each reviewer alone,
    and `together` how alike they judge and err, where there are few. `weights` has the peer weights
    of each scheme that settles. `reviews` and `unreadable` count those of reviewers, `humans` the
    names under which people voted. Where there is no gold or no ranking, a sentence says why.
    """

    dataset: str
    description: str
    seed: int
    level: float
    comparisons: int
    questions: int
    reviews: int
    unreadable: int
    reviewers: tuple[str, ...]
    humans: int
    groups: tuple[str, ...]
    scores: tuple[Score, ...]
    agreement: tuple[JuryAgreement, ...]
    gold_missing: str
    evaluators: tuple[Evaluator, ...]
    awarded: Mapping[str, Ranking]
    weights: Mapping[str, Mapping[str, Measurement]]
    ranking_missing: str
    positions: tuple[Position, ...]
    consistency: tuple[OrderConsistency, ...]
    self_enhancement: tuple[SelfEnhancement, ...]
    verbosity: tuple[Verbosity, ...]
    together: Panel | None
