"""Worse answers by rule: another question's answer, shuffled sentences, altered facts, a cut text.

A rule makes gold by construction: whatever the accepted answer is worth, the made one is worse. Every rule is
a pure function of the item, a strength from 1 to 3 and a seed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import log

import numpy as np

from peerjudge.data import content_hash
from peerjudge.features.pairs.nouns import Item

Rule = Callable[[Item, Sequence[Item], int, int], str]
"""Returns the made text; empty where the item gives none."""

LONGEST_RATIO = 0.1
"""Greatest absolute logarithm of the ratio of two lengths, except where a recipe changes lengths."""

_SENTENCE = re.compile(r"\S(?:[^.!?\n]|[.!?](?!\s|$)|(?<=\d)\.(?= ))*[.!?]*")
"""A sentence or a line; the point after a number of a list does not end one."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?\n] )(?<!^)\b[A-Z][a-z]{2,}\b", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]{3,}")
_LEAST_SENTENCES = 3
_LEAST_PERMUTED = 2


def borrow_neighbour(item: Item, others: Sequence[Item], strength: int, seed: int) -> str:
    """Return the answer to the most similar other question whose answer is about as long.

    Similar means many common words. Strength 2 and 3 take the next ones. (LLMBar's Neighbor: a similar
    instruction's answer.)
    """
    del seed
    words = list_words(item.text)
    ranked = sorted(
        (
            other
            for other in others
            if other.question != item.question and other.answer != item.answer
        ),
        key=lambda one: (-_overlap(words, list_words(one.text)), one.question),
    )
    fitting = [one.answer for one in ranked if is_as_long(one.answer, item.answer)]
    return fitting[strength - 1] if len(fitting) >= strength else ""


def shuffle_sentences(item: Item, others: Sequence[Item], strength: int, seed: int) -> str:
    """Return the answer with its sentences in another order, at least three of them.

    What stands between sentences stays in its place, so length and layout are those of the answer.
    """
    del others
    spans = list_sentences(item.answer)
    if len(spans) < _LEAST_SENTENCES:
        return ""
    random = _draw(seed, "shuffled", item, strength)
    drawn: list[int] = []
    order = list(range(len(spans)))
    moved = len(order) if strength > 1 else max(_LEAST_PERMUTED, round(len(order) * 0.7))
    places = sorted(int(one) for one in random.choice(len(order), size=moved, replace=False))
    for _ in range(20):
        drawn = [places[int(one)] for one in random.permutation(moved)]
        if drawn != places:
            break
    for place, other in zip(places, drawn, strict=True):
        order[place] = other
    pieces: list[str] = []
    end = 0
    for (start, stop), other in zip(spans, order, strict=True):
        pieces += [item.answer[end:start], item.answer[slice(*spans[other])]]
        end = stop
    text = "".join([*pieces, item.answer[end:]])
    return "" if text == item.answer else text


def alter_facts(item: Item, others: Sequence[Item], strength: int, seed: int) -> str:
    """Return the answer with changed numbers and exchanged names; nothing else changes.

    Strength 1 changes half of them, higher ones all.
    """
    del others
    random = _draw(seed, "altered", item, strength)
    named = list(_NAME.finditer(item.answer))
    names = sorted({found[0] for found in named})
    # A name that is alone has no other to be exchanged with.
    spots = [*_NUMBER.finditer(item.answer), *(named if len(names) > 1 else ())]
    if not spots:
        return ""
    size = len(spots) if strength > 1 else max(1, len(spots) // 2)
    chosen = {int(one) for one in random.choice(len(spots), size=size, replace=False)}
    text = item.answer
    for number in sorted(chosen, key=lambda one: -spots[one].start()):
        found = spots[number]
        if found[0][0].isdigit():
            new = _change_number(found[0], random)
        else:
            others_named = [name for name in names if name != found[0]]
            new = others_named[int(random.integers(len(others_named)))]
        text = text[: found.start()] + new + text[found.end() :]
    return text if text != item.answer else ""


def cut_short(item: Item, others: Sequence[Item], strength: int, seed: int) -> str:
    """Return the first part of the answer: two thirds, a half or a third of its words."""
    del others, seed
    words = item.answer.split()
    kept = max(1, round(len(words) * (0.67, 0.5, 0.33)[strength - 1]))
    return "" if kept >= len(words) else item.answer[: _find_end(item.answer, kept)].rstrip()


RULES: Mapping[str, Rule] = {
    "neighbour": borrow_neighbour,
    "shuffled": shuffle_sentences,
    "altered": alter_facts,
    "cut": cut_short,
}
"""The recipes that need no model."""


def list_sentences(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text begin and end, without the space between them."""
    found = [match.span() for match in _SENTENCE.finditer(text)]
    return [(start, start + len(text[start:end].rstrip())) for start, end in found]


def is_as_long(one: str, other: str) -> bool:
    """Return whether two texts are about equally long."""
    return abs(log(max(len(one), 1) / max(len(other), 1))) <= LONGEST_RATIO


def _find_end(text: str, words: int) -> int:
    """Return where so many words of a text end."""
    ends = [found.end() for found in re.finditer(r"\S+", text)]
    return ends[words - 1]


def _change_number(text: str, random: np.random.Generator) -> str:
    """Return another number with as many digits, so that nothing but the value changes."""
    digits = [place for place, letter in enumerate(text) if letter.isdigit()]
    place = digits[0] if len(digits) == 1 else digits[int(random.integers(len(digits)))]
    least = 1 if place == 0 and len(digits) > 1 else 0
    choices = [str(one) for one in range(least, 10) if str(one) != text[place]]
    return text[:place] + choices[int(random.integers(len(choices)))] + text[place + 1 :]


def list_words(text: str) -> frozenset[str]:
    """Return the different words of a text, without the shortest."""
    return frozenset(word.lower() for word in _WORD.findall(text))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _draw(seed: int, recipe: str, item: Item, strength: int) -> np.random.Generator:
    key = content_hash(seed, recipe, item.question, item.answer, strength)
    return np.random.default_rng(int(key[:16], 16))
