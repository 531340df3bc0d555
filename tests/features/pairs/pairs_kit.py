"""Pairs of answers by named authors, for runs that rank or compare these."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path


def write_pairs(folder: Path, authors: Sequence[str], questions: int = 4) -> str:
    """Write a pair of answers by every two authors to each question; return the data as runs name them.

    The order of the authors changes from question to question.
    """
    rows = [
        {
            "question": f"Question {number}?",
            "answer_a": f"The answer of {one} to question {number}.",
            "answer_b": f"The answer of {other} to question {number}.",
            "author_a": one,
            "author_b": other,
            "gold": "a" if (number + place) % 3 else "b",
        }
        for number in range(questions)
        for place, (one, other) in enumerate(combinations(authors[:: (-1) ** number], 2))
    ]
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"jsonl:{path}"
