"""Audits of pairs by judges that read nothing: length, place, overlap with the question, markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from peerjudge.analysis import measure_mean
from peerjudge.pairing.nouns import Audit, MadeAnswer, Pair

_WORD = re.compile(r"[^\W\d_]{3,}")
_MARKUP = re.compile(r"\*\*|^#+ |^\s*[-*] |^\s*\d+\. |```", re.MULTILINE)

Feature = Callable[[Pair, int, MadeAnswer], float]
"""A number for an answer at a place; the judge chooses the answer with the greatest one."""


def _measure_overlap(pair: Pair, place: int, answer: MadeAnswer) -> float:
    del place
    asked = {word.lower() for word in _WORD.findall(pair.item.text)}
    said = {word.lower() for word in _WORD.findall(answer.text)}
    return len(asked & said) / len(asked) if asked else 0.0


JUDGES: Mapping[str, Feature] = MappingProxyType(
    {
        "longer": lambda _, __, answer: float(len(answer.text)),
        "shorter": lambda _, __, answer: -float(len(answer.text)),
        "first": lambda _, place, __: -float(place),
        "last": lambda _, place, __: float(place),
        "overlap": _measure_overlap,
        "markup": lambda _, __, answer: float(len(_MARKUP.findall(answer.text))),
    }
)
"""The judges that read nothing. Equal answers count as half right (one in k)."""


def audit(pairs: Sequence[Pair]) -> tuple[Audit, ...]:
    """Return the accuracy of each judge on these pairs; questions are the unit. Empty without pairs."""
    if not pairs:
        return ()
    questions = [pair.item.question for pair in pairs]
    chance = float(np.mean([1 / len(pair.shown) for pair in pairs]))
    audits: list[Audit] = []
    for name, feature in JUDGES.items():
        credits_ = [_credit(pair, feature) for pair in pairs]
        accuracy = measure_mean(credits_, questions, limits=(0.0, 1.0))
        audits.append(Audit(judge=name, accuracy=accuracy, chance=chance))
    return tuple(audits)


def _credit(pair: Pair, feature: Feature) -> float:
    values = [feature(pair, place, answer) for place, answer in enumerate(pair.shown)]
    best = max(values)
    chosen = [place for place, value in enumerate(values) if value == best]
    return 1 / len(chosen) if pair.place in chosen else 0.0
