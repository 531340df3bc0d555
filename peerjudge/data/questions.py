"""What is judged: a question, one to four answers to it, and which of them is known to be better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import field

from peerjudge.data.noun import Noun, replace
from peerjudge.data.outcomes import Verdict
from peerjudge.errors import DataError

__all__ = ["MAX_ANSWERS", "Answer", "Comparison", "Question", "Scalar"]

MAX_ANSWERS = 4

Scalar = str | int | float | bool | None


class Question(Noun, frozen=True, kw_only=True):
    """What was asked. `category` groups questions in tables; empty when there is no grouping."""

    id: str
    text: str
    category: str = ""

    def __post_init__(self) -> None:
        if not self.id:
            msg = "a question needs a non-empty id"
            raise DataError(msg)


class Answer(Noun, frozen=True, kw_only=True):
    """One answer. `id` is unique within its comparison; `author` is the contestant who wrote it."""

    id: str
    text: str
    author: str = ""

    def __post_init__(self) -> None:
        if not self.id:
            msg = "an answer needs a non-empty id"
            raise DataError(msg)


class Comparison(Noun, frozen=True, kw_only=True, dict=True, gc=True):
    """Answers to one question, **in the order in which they are shown**: one is rated, two battle.

    `id` names the unordered set of answers to that question, so a comparison and its `swapped`
    twin share it and differ only in the order of `answers`. `gold` is the accepted verdict, if one
    is known; it speaks of answer ids and so holds in every order. `subset` is the benchmark's own
    division (LLMBar: Natural, Neighbor, ...). `meta` keeps whatever else the source knew.
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

    def answer(self, answer_id: str) -> Answer:
        """The answer with this id; raises `DataError` if there is none."""
        for answer in self.answers:
            if answer.id == answer_id:
                return answer
        msg = f"comparison {self.id!r} has no answer {answer_id!r}; it has {list(self.shown)}"
        raise DataError(msg)

    def reordered(self, shown: Sequence[str]) -> Comparison:
        """The same comparison with its answers shown in this order of ids."""
        if sorted(shown) != sorted(self.shown):
            msg = f"comparison {self.id!r} cannot be shown as {list(shown)}: it has {list(self.shown)}"
            raise DataError(msg)
        return replace(self, answers=tuple(self.answer(answer_id) for answer_id in shown))

    def swapped(self) -> Comparison:
        """The same comparison in the reverse order."""
        return replace(self, answers=self.answers[::-1])
