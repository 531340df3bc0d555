"""320 sums with a right and a wrong answer: gold by construction, for searches and rehearsals.

Made by a rule for PeerJudge. The wrong answer is off by one, off by ten, has forgotten the carry, or has its
last two digits swapped (`category`); the right one is shown first in half of the pairs. A search of prompts
needs 20 questions in each of three splits, more than the built-in sample has. The questions are no test of
a judge: any model can add.
"""

from __future__ import annotations

from pathlib import Path

from peerjudge.data import Dataset
from peerjudge.datasets.lines import Row
from peerjudge.datasets.source import Request, Source
from peerjudge.datasets.table import build_dataset

SIZE = 320
_KINDS = ("off by one", "off by ten", "forgotten carry", "swapped digits")


def _read(request: Request) -> Dataset:
    rows = [
        Row(path=request.path, line=number + 1, fields=_make_row(number)) for number in range(SIZE)
    ]
    return build_dataset(rows, request, name="sums", description=SOURCE.description)


def _make_row(number: int) -> dict[str, object]:
    # Both steps have no common factor with their range, so no sum comes twice.
    one, other = 105 + (37 * number) % 389, 107 + (53 * number) % 397
    right, kind = one + other, _KINDS[number % len(_KINDS)]
    texts = [f"{one} + {other} = {total}" for total in (right, _miss(one, other, kind))]
    first = number // len(_KINDS) % 2
    return {
        "id": f"sum-{number + 1:03}",
        "question": f"What is {one} plus {other}?",
        "answer_a": texts[first],
        "answer_b": texts[1 - first],
        "gold": "ab"[first],
        "category": kind,
    }


def _miss(one: int, other: int, kind: str) -> int:
    """Return a wrong sum; a sum without a carry, or with two equal last digits, is off by one."""
    right = one + other
    tens, ones = right // 10 % 10, right % 10
    if kind == "off by ten":
        return right + 10
    if kind == "forgotten carry" and one % 10 + other % 10 >= 10:
        return right - 10
    if kind == "swapped digits" and tens != ones:
        return right + 9 * (ones - tens)
    return right + 1


SOURCE = Source(
    description="320 sums with a right and a wrong answer, to rehearse searches of prompts (built in)",
    read=_read,
    place=Path(__file__),
)
