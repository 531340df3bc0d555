"""What scoring takes and gives: judgements, gold, and the frozen numbers of every reviewer."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from peerjudge.analysis.conditions import Consistency
from peerjudge.data import Comparison, Measurement, Noun, Outcome, Verdict

__all__ = [
    "Cell",
    "Correlation",
    "Disagreement",
    "GoldRow",
    "Judge",
    "Judged",
    "Judgement",
    "OrderShares",
    "OwnReading",
    "Ratings",
    "Score",
    "Scores",
]


class Judge(NamedTuple):
    """Whose verdicts are scored together: a reviewer, in a run under one condition.

    `reviewer` joins the names of those who concluded together with ` & `. `condition` and
    `protocol` are empty outside runs. `stance` says whether its verdicts are on record, were held
    before anybody was heard, or are what discussions came to.
    """

    reviewer: str
    condition: str = ""
    protocol: str = ""
    stance: Literal["recorded", "private", "concluded"] = "recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One verdict, and what is needed to score it.

    `own` and `rule` are our own reading of the text behind a recorded verdict, where there is one.
    `again` tells judgements apart that only differ in repetition or seating, so that two orders of
    the same judgement find each other. `score` is the rating of a lone answer, `aspect` what of it.
    """

    judge: Judge
    comparison: str
    shown: tuple[str, ...]
    verdict: Verdict
    own: Verdict | None = None
    rule: str = ""
    text: str = ""
    again: Hashable = ()
    score: float | None = None
    aspect: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """How the ratings that a reviewer gave under a condition count.

    `weighted` are expectations from log-probabilities; `stated`, of which there were none, are the
    numbers in the replies. `unreadable` are missing, those that were declined among them.
    """

    condition: str
    reviewer: str
    weighted: int
    stated: int
    unreadable: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """All judgements of a source, the comparisons they are of, and the votes behind the gold.

    `comparisons` are in the order of the source, each as the source shows it. `votes` are those of
    labelers, by comparison: (labeler type, verdict). `ratings` are those of a run.
    """

    name: str
    comparisons: Mapping[str, Comparison]
    judgements: tuple[Judgement, ...]
    votes: Mapping[str, tuple[tuple[str, Verdict], ...]]
    simulated: bool = False
    left_out: int = 0
    ratings: tuple[Ratings, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldRow:
    """One gold verdict on a comparison, and the groups in whose shares it counts."""

    comparison: str
    gold: Verdict
    groups: tuple[str, ...]


class OrderShares(Noun, frozen=True, kw_only=True):
    """Right verdicts by shown order, as shares of **all** verdicts: the unreadable count as wrong.

    `given` is the order in which the source shows a comparison, `other` every other one; `average`
    is their mean. `both` is the share of judgements right in every order, `same` the share that
    says the same in every order, of those made in more than one; NaN where there are none. These
    are LLMBar's `correct_False`, `correct_True`, `correct_average`, `correct_both` and `equal`.
    """

    given: float
    other: float
    average: float
    both: float
    same: float


class Cell(Noun, frozen=True, kw_only=True):
    """How the verdicts of one judge on one group of comparisons meet gold, both orders pooled.

    `judged` verdicts have a gold; `outcomes` counts their kinds. `accuracy` is over the readable
    ones, a tie being right exactly when gold is a tie. `worst_case` and `best_case` are the shares
    if everything else (unreadable, refused, inconsistent) were wrong or right. `decided` is the
    accuracy where both the verdict and gold choose. `questions` is what the intervals resample.
    """

    judged: int
    questions: int
    right: int
    outcomes: Mapping[Outcome, int]
    accuracy: Measurement
    worst_case: float
    best_case: float
    decided: Measurement
    orders: OrderShares
    consistency: Consistency


class OwnReading(Noun, frozen=True, kw_only=True):
    """The same replies as we read them, and how often that is not what is on record.

    The four counts are over verdicts with a gold: `same` on record and in our reading, `different`
    choices, and what only one of the two could read.
    """

    total: Cell
    groups: Mapping[str, Cell]
    same: int
    different: int
    only_recorded: int
    only_own: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One judge: all its verdicts, and those in each group."""

    judge: Judge
    total: Cell
    groups: Mapping[str, Cell]
    own_reading: OwnReading | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A reply of which our reading is not what is on record."""

    judge: Judge
    comparison: str
    shown: tuple[str, ...]
    recorded: Verdict
    own: Verdict
    rule: str
    text: str


class Correlation(Noun, frozen=True, kw_only=True):
    """Ratings of single answers against the mean rating that is gold, on one aspect.

    `pearson` pools all answers, with bounds that resample questions; `spearman`, `kendall` (tau-b)
    and `mean_error` (absolute) do so too. `by_question` are the same three coefficients within each
    question, averaged over the questions that have one; `by_author` those of the authors' means.
    NaN where a coefficient does not exist: fewer than two answers, or ratings that never vary; the
    bounds are NaN for a single question.
    """

    judge: Judge
    aspect: str
    answers: int
    unrated: int
    mean: float
    mean_gold: float
    mean_error: float
    pearson: Measurement
    spearman: float
    kendall: float
    by_question: Mapping[str, float]
    by_author: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Everything that scoring a source found. `groups` are in the order of the source.

    `left_out` counts discussions that have not come to their end.
    """

    source: str
    by: str
    groups: tuple[str, ...]
    simulated: bool
    seed: int
    level: float
    left_out: int
    scores: tuple[Score, ...]
    correlations: tuple[Correlation, ...]
    disagreements: tuple[Disagreement, ...]
    ratings: tuple[Ratings, ...]
