"""Studies: comparisons that several people judge at a desk, their items, claims and checks."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import field
from msgspec.structs import force_setattr

from peerjudge.data.comparisons import Scalar
from peerjudge.data.experiments import read_choice
from peerjudge.data.nouns import Declared, Noun
from peerjudge.errors import DataError

_LONGEST_NAME = 40


class StudyOrders(StrEnum):
    """The orders in which the people of a study see the answers of a comparison."""

    BALANCED = "balanced"
    """One order for each person and comparison; each order equally often, by comparison and by person."""
    GIVEN = "given"
    """The order of the dataset."""


class Study(Declared, frozen=True, kw_only=True):
    """Comparisons that several people judge, each by `judgments` different `annotators`.

    Attributes:
        data: A dataset `NAME` or `NAME:PATH`.
        annotators: Names of the people; pseudonyms are enough.
        judgments: Number of people who judge a comparison.
        name: Name of the study.
        protocol: A protocol of one seat that asks once, such as `pairwise` or `n_way`.
        options: Its options.
        prompts: The prompt pack whose instruction people read.
        orders: The orders in which answers are shown.
        checks: Share of attention checks among the tasks of a person.
        seed: Seed of the order of the tasks, the orders of answers, and the checks.
        limit: Number of comparisons; `None` for all.
    """

    data: str
    annotators: tuple[str, ...]
    judgments: int = 1
    name: str = ""
    protocol: str = "pairwise"
    options: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    prompts: str = "long_form"
    orders: StudyOrders = StudyOrders.BALANCED
    checks: float = 0.1
    seed: int = 0
    limit: int | None = None

    def __post_init__(self) -> None:
        force_setattr(self, "orders", read_choice(StudyOrders, self.orders, "orders of a study"))
        _check_names(self.annotators)
        if not 1 <= self.judgments <= len(self.annotators):
            msg = (
                f"judgments={self.judgments}: a comparison is judged by 1 to {len(self.annotators)} "
                f"different people here, the annotators {', '.join(self.annotators)}"
            )
            raise DataError(msg)
        if not 0 <= self.checks <= 0.5:
            msg = f"checks is a share from 0 to 0.5, not {self.checks}"
            raise DataError(msg)


class CheckKind(StrEnum):
    """The kinds of attention check."""

    TOLD = "told"
    """The instruction says which answer to choose."""
    REVERSED = "reversed"
    """A comparison that the person judged before, in the reverse order."""
    PLAIN = "plain"
    """One of the two answers is to another question."""


class Claim(Noun, frozen=True, kw_only=True):
    """The claim of a person on an item, or on a check.

    Attributes:
        task: The id of the task.
        item: The id of the comparison.
        annotator: The person.
        order: Number of the order shown.
        check: The kind of check, `None` for a judgement.
        expected: The choice that passes a check.
        answered: Whether the person has answered.
        live: Whether the claim holds: it is answered, or has not lapsed.
        left: Whether the person left the task for later.
    """

    task: str
    item: str
    annotator: str
    order: int
    check: CheckKind | None = None
    expected: str = ""
    answered: bool = False
    live: bool = True
    left: bool = False


class StudyAnswer(Noun, frozen=True, kw_only=True):
    """An answer of a person in a study, also one that was superseded.

    Attributes:
        annotator: The person.
        item: The id of the comparison.
        question: Its question, as shown.
        shown: The ids of the answers in the order shown; empty for a check whose answers are others.
        check: The kind of check, `None` for a judgement.
        expected: The choice that passes the check; empty for a judgement.
        choice: Number of the answer as shown, a rating, `tie` or `none`.
        chosen: The id of the chosen answer; empty for anything else.
        reason: The reason as written.
        confidence: From 0 to 100, where it was given.
        seconds: Active time up to this answer. [s]
        version: Number of the draft or answer of this task.
        superseded: Whether a later answer replaced it.
        posted: When the person claimed the task, in UTC.
        saved: When the answer was saved, in UTC.
        task: The id of the task.
    """

    annotator: str
    item: str
    question: str
    shown: tuple[str, ...]
    check: CheckKind | None
    expected: str
    choice: str
    chosen: str
    reason: str
    confidence: int | None
    seconds: float
    version: int
    superseded: bool
    posted: str
    saved: str
    task: str

    @property
    def passed(self) -> bool | None:
        """Whether the answer passes its check; `None` for a judgement."""
        return None if self.check is None else self.choice == self.expected


def _check_names(annotators: tuple[str, ...]) -> None:
    if not annotators:
        msg = "a study needs annotators; name them, pseudonyms are enough"
        raise DataError(msg)
    repeated = sorted({annotator for annotator in annotators if annotators.count(annotator) > 1})
    if repeated:
        msg = f"annotator {repeated[0]!r} is named twice; each person needs a name of their own"
        raise DataError(msg)
    for one in annotators:
        if not (one.isprintable() and one == one.strip() and 0 < len(one) <= _LONGEST_NAME):
            msg = f"an annotator has a name of 1 to {_LONGEST_NAME} letters, not {one!r:.60}"
            raise DataError(msg)
        if "," in one:
            msg = f"the name of an annotator has no comma: {one!r}"
            raise DataError(msg)
