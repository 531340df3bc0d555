"""Filters of made answers: length, duplicates, and the place of the better answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from peerjudge.data import content_hash, replace
from peerjudge.features.pairs.nouns import MadeAnswer, Pair
from peerjudge.features.pairs.recipes import Recipe
from peerjudge.features.pairs.rules import is_as_long

_GRAM = 5
_SAME = 0.9
"""Share of common 5-grams of words from which two texts are duplicates."""
_SPACE = re.compile(r"\s+")


class Seen:
    """Texts up to now, and whether a new one is a duplicate of one of them."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._whole: set[str] = set()
        self._grams: dict[str, set[int]] = {}
        self._sizes: list[int] = []
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Keep a text."""
        self._whole.add(normalize(text))
        number = len(self._sizes)
        grams = list_grams(text)
        self._sizes.append(len(grams))
        for gram in grams:
            self._grams.setdefault(gram, set()).add(number)

    def has(self, text: str) -> bool:
        """Return whether an equal or nearly equal text was kept: 5-gram Jaccard of at least .9."""
        if normalize(text) in self._whole:
            return True
        grams = list_grams(text)
        common: dict[int, int] = {}
        for gram in grams:
            for number in self._grams.get(gram, ()):
                common[number] = common.get(number, 0) + 1
        return any(
            shared / (len(grams) + self._sizes[number] - shared) >= _SAME
            for number, shared in common.items()
        )


def normalize(text: str) -> str:
    """Return a text without what does not count: case, form of characters, white space."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()


def list_grams(text: str) -> frozenset[str]:
    """Return the runs of five words of a text; the whole text where it has fewer."""
    words = normalize(text).split()
    if len(words) < _GRAM:
        return frozenset([" ".join(words)])
    return frozenset(" ".join(words[n : n + _GRAM]) for n in range(len(words) - _GRAM + 1))


def find_fault(recipe: Recipe, better: str, worse: Sequence[MadeAnswer]) -> str:
    """Return why these answers make no pair; empty if they do."""
    texts = [normalize(better), *(normalize(one.text) for one in worse)]
    if not all(texts):
        return "empty"
    if len(set(texts)) < len(texts):
        return "the same text"
    if recipe.same_length and not all(is_as_long(one.text, better) for one in worse):
        return "another length"
    return ""


def place_better(pairs: Sequence[Pair], *, seed: int) -> list[Pair]:
    """Return the pairs with the better answer first in exactly half of them (one of k for k answers).

    The same holds for each recipe; of an odd number, one place has one more. The draw depends on the seed
    and the pairs alone.
    """
    placed: dict[str, Pair] = {}
    for answers in sorted({len(pair.shown) for pair in pairs}):
        group = [pair for pair in pairs if len(pair.shown) == answers]
        ordered = sorted(
            group, key=lambda pair: (pair.recipe, content_hash(seed, "place", pair.id))
        )
        for number, pair in enumerate(ordered):
            placed[pair.id] = replace(pair, place=number % answers)
    return [placed[pair.id] for pair in pairs]
