"""Questions, answers, comparisons, and the verdicts on them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property

from msgspec import field

from peerjudge.data.nouns import Declared, Noun, replace
from peerjudge.errors import DataError

MAX_ANSWERS = 4

Scalar = str | int | float | bool | None


class Outcome(StrEnum):
    """The kinds of verdict. They are never numbers, so that none is mistaken for another."""

    CHOICE = "choice"
    TIE = "tie"
    INCONSISTENT = "inconsistent"
    """The same reviewer contradicted itself in the two orders."""
    UNREADABLE = "unreadable"
    """The reply holds no verdict, or contradictory ones."""
    REFUSED = "refused"
    """The reviewer declined to judge."""


class Verdict(Noun, frozen=True):
    """One judgement of a comparison, by answer id and so independent of the shown order.

    `choice` is the id of the chosen answer; it is set exactly when `outcome` is `CHOICE`.
    """

    outcome: Outcome
    choice: str | None = None

    def __post_init__(self) -> None:
        if (self.outcome is Outcome.CHOICE) != (self.choice is not None):
            msg = (
                "a verdict names an answer exactly when it is a choice, not "
                f"outcome={self.outcome!r}, choice={self.choice!r}"
            )
            raise DataError(msg)

    @classmethod
    def of(cls, answer_id: str) -> Verdict:
        """Return the verdict that the answer with this id is the better one."""
        return cls(Outcome.CHOICE, answer_id)

    @property
    def readable(self) -> bool:
        """True for a stance: a choice or a tie."""
        return self.outcome is Outcome.CHOICE or self.outcome is Outcome.TIE

    def __repr__(self) -> str:
        if self.choice is not None:
            return f"Verdict.of({self.choice!r})"
        return self.outcome.name

    def __str__(self) -> str:
        return self.choice if self.choice is not None else self.outcome.value


TIE = Verdict(Outcome.TIE)
INCONSISTENT = Verdict(Outcome.INCONSISTENT)
UNREADABLE = Verdict(Outcome.UNREADABLE)
REFUSED = Verdict(Outcome.REFUSED)


def reconcile(one: Verdict, other: Verdict) -> Verdict:
    """Return the verdict of a reviewer in two orders: the common verdict, else `INCONSISTENT`.

    If either cannot be read, the result is `UNREADABLE`, or `REFUSED` where one was refused.
    """
    if not (one.readable and other.readable):
        return REFUSED if REFUSED in (one, other) else UNREADABLE
    return one if one == other else INCONSISTENT


class Question(Declared, frozen=True, kw_only=True):
    """A question. `category` groups questions in tables; empty without a grouping."""

    id: str
    text: str
    category: str = ""

    def __post_init__(self) -> None:
        if not self.id:
            msg = "a question needs a non-empty id"
            raise DataError(msg)


WITHHELD = "sha256:"
"""Beginning of the digest that stands for a text that may not be passed on."""
_WITHHELD = re.compile(rf"{WITHHELD}[0-9a-f]{{64}}")


class Answer(Declared, frozen=True, kw_only=True):
    """An answer. `id` is unique within its comparison; `author` is the contestant that wrote it."""

    id: str
    text: str
    author: str = ""

    def __post_init__(self) -> None:
        if not self.id:
            msg = "an answer needs a non-empty id"
            raise DataError(msg)

    @property
    def known_text(self) -> str:
        """The text; empty where only its digest is known."""
        return "" if _WITHHELD.fullmatch(self.text) else self.text


class Comparison(Declared, frozen=True, kw_only=True, dict=True, gc=True):
    """Answers to one question in their shown order: one is rated, two are a pair, more a choice.

    `id` names the unordered set of answers, so a comparison and its `swapped` twin share it. `gold`
    is the accepted verdict where it is known. `subset` is the benchmark's own division (LLMBar:
    Natural, Neighbor, ...). `meta` keeps other values of the source, a reference answer as `reference`.
    """

    id: str
    question: Question
    answers: tuple[Answer, ...]
    gold: Verdict | None = None
    subset: str = ""
    meta: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])

    def __post_init__(self) -> None:
        ids = [answer.id for answer in self.answers]
        if not 1 <= len(ids) <= MAX_ANSWERS:
            msg = f"comparison {self.id!r} has {len(ids)} answers; give 1 to {MAX_ANSWERS}"
            raise DataError(msg)
        if len(set(ids)) != len(ids):
            msg = f"comparison {self.id!r} shows the same answer twice: {ids}"
            raise DataError(msg)
        if self.gold is not None and self.gold.choice is not None and self.gold.choice not in ids:
            msg = f"comparison {self.id!r} has gold {self.gold.choice!r}, which is none of {ids}"
            raise DataError(msg)

    def __hash__(self) -> int:
        return hash((self.id, self.answers))

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """The answer ids in the shown order."""
        return tuple([answer.id for answer in self.answers])

    @property
    def reference(self) -> str:
        """The reference answer, which is `reference` in `meta`; empty where there is none."""
        return str(self.meta.get("reference", "") or "")

    def answer(self, answer_id: str) -> Answer:
        """Return the answer with this id; raises `DataError` if there is none."""
        for answer in self.answers:
            if answer.id == answer_id:
                return answer
        msg = f"comparison {self.id!r} has no answer {answer_id!r}; it has {list(self.shown)}"
        raise DataError(msg)

    def reordered(self, shown: Sequence[str]) -> Comparison:
        """Return the comparison with its answers in this order of ids."""
        if sorted(shown) != sorted(self.shown):
            msg = f"comparison {self.id!r} cannot be shown as {list(shown)}: it has {list(self.shown)}"
            raise DataError(msg)
        return replace(self, answers=tuple(self.answer(answer_id) for answer_id in shown))

    def swapped(self) -> Comparison:
        """Return the comparison in the reverse order."""
        return replace(self, answers=self.answers[::-1])
