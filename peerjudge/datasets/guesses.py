"""Guesses which column of a file a missing field may be; they are shown, and never applied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SYNONYMS = {
    "question": ("question", "prompt", "instruction", "query", "input", "problem", "task"),
    "gold": ("gold", "label", "winner", "preference", "preferred", "better", "choice", "vote"),
    "annotator": ("annotator", "rater", "labeler", "worker", "user"),
    "judge": ("judge", "evaluator", "grader"),
    "speaker": ("speaker", "name", "source", "agent", "role"),
    "text": ("text", "content", "message"),
    "turns": ("turns", "messages", "conversation", "dialogue", "transcript"),
    "answer": ("answer", "response", "output", "completion", "reply"),
    "model": ("model", "generator", "system"),
}
"""Words for a field, the most telling first."""
_PAIRED = {"answer_a": 0, "answer_b": 1}
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def guess_columns(fields: Iterable[str], columns: Iterable[str]) -> dict[str, str]:
    """Return the column that each of these fields may be; fields without a likely column are left out."""
    found: dict[str, str] = {}
    left = sorted(columns)
    for field in fields:
        column = _guess_pair(left)[_PAIRED[field]] if field in _PAIRED else _guess(field, left)
        if column and column not in found.values():
            found[field] = column
    return found


def describe_guesses(fields: Iterable[str], columns: Iterable[str]) -> str:
    """Return advice on columns that these fields may be, to follow a message; empty without a guess."""
    found = guess_columns(fields, columns)
    if not found:
        return ""
    said = ", ".join(f"{column} -> {field}" for field, column in found.items())
    options = " ".join(f"--map {field}={_quote(column)}" for field, column in found.items())
    return f"; {said}? use {options}"


def _guess(field: str, columns: Sequence[str]) -> str:
    """Return the only column with the first word of this field that any column has."""
    words = {column: _split(column) for column in columns}
    for word in _SYNONYMS.get(field, (field,)):
        exact = [column for column, parts in words.items() if "".join(parts) == word]
        fitting = exact or [column for column, parts in words.items() if word in parts]
        if len(fitting) == 1:
            return fitting[0]
    return ""


def _guess_pair(columns: Sequence[str]) -> tuple[str, str]:
    """Return the only two columns of answers that differ in one word, such as its letter or number."""
    telling = _SYNONYMS["answer"]
    words = {column: _split(column) for column in columns}
    answers = [column for column, parts in words.items() if set(parts) & set(telling)]
    pairs = [
        (one, other)
        for place, one in enumerate(answers)
        for other in answers[place + 1 :]
        if _differ_once(words[one], words[other])
    ]
    return pairs[0] if len(pairs) == 1 else ("", "")


def _differ_once(one: Sequence[str], other: Sequence[str]) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def _split(column: str) -> list[str]:
    return [word.casefold() for word in _WORDS.findall(column)]


def _quote(column: str) -> str:
    return column if re.fullmatch(r"[\w.-]+", column) else f"'{column}'"
