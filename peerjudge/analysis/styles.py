"""Style of answers: their length and markdown, as differences of the two answers of a pair."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from peerjudge.analysis.ballots import Ballots, Bools, Floats

MARKDOWN: Mapping[str, re.Pattern[str]] = {
    "headers": re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE),
    "lists": re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S", re.MULTILINE),
    "bold": re.compile(r"\*\*(?=\S)[^*\n]+\*\*|__(?=\S)[^_\n]+__"),
}
"""Elements of markdown by name: headers, items of lists, and words in bold."""


def count_markdown(text: str) -> list[int]:
    """Return the number of elements of each kind of `MARKDOWN`."""
    return [len(pattern.findall(text)) for pattern in MARKDOWN.values()]


def find_texts(ballots: Ballots) -> Bools:
    """Return, by ballot, whether the text of an answer of its pair is known."""
    return np.asarray((ballots.lengths[:, :2] > 0).any(axis=1))[ballots.comparison]


def has_both_orders(ballots: Ballots) -> bool:
    """Return `True` if one of the pairs was shown in both orders."""
    shown = np.unique(np.stack([ballots.comparison, ballots.order]), axis=1).shape[1]
    return shown > len(np.unique(ballots.comparison))


def measure_styles(ballots: Ballots) -> dict[str, Floats]:
    """Return `length` and the elements of `MARKDOWN` by ballot: the first-shown answer over the second.

    The difference of the two numbers divided by their sum, from -1 to 1; 0 where both are 0 (the
    features of style control in Chatbot Arena).
    """
    kinds = {"length": ballots.lengths[:, :2]}
    kinds |= {name: ballots.markdown[:, :2, kind] for kind, name in enumerate(MARKDOWN)}
    turned = np.where(ballots.swapped, -1.0, 1.0)
    differences: dict[str, Floats] = {}
    for name, counts in kinds.items():
        numbers = counts.astype(np.float64)
        total = numbers.sum(axis=1)
        over = np.divide(
            numbers[:, 0] - numbers[:, 1], total, out=np.zeros(len(total)), where=total > 0.0
        )
        differences[name] = turned * over[ballots.comparison]
    return differences
