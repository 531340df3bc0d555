"""What a cue shows, the question and the answers, and the parts of a pack with it in them."""

from __future__ import annotations

from collections.abc import Sequence

from peerjudge.data import Comparison
from peerjudge.prompts.fence import unused_mark
from peerjudge.prompts.templates import Fill

__all__ = ["Material"]


class Material:
    """The same for all seats of a discussion that are shown the same answers in the same order."""

    __slots__ = ("_filled", "_given", "_mark", "_texts")

    def __init__(self, comparison: Comparison, sees: tuple[str, ...]) -> None:
        question = comparison.question.text
        seen = [comparison.answer(answer_id).text for answer_id in sees]
        self._texts = (question, *seen)
        self._mark = unused_mark(self._texts)
        self._given = {"question": question}
        for number, text in enumerate(seen, 1):
            self._given[f"answer{number}"] = text
        self._filled: dict[tuple[Fill, str], str] = {}

    def mark(self, others: Sequence[str]) -> str:
        """The mark of what is shown, unless it occurs in what else is said."""
        for text in others:
            if self._mark in text:
                return unused_mark(self._texts, others)
        return self._mark

    def put_into(self, part: Fill, mark: str) -> str:
        """The part with this material between fences of this mark."""
        known = self._filled.get((part, mark))
        if known is None:
            known = self._filled[part, mark] = part({"mark": mark, **self._given})
        return known
