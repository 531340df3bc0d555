"""Splits of the questions: those a search may ask for, those that choose, and those that test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from peerjudge.data import replace
from peerjudge.errors import DataError
from peerjudge.features.search.board import draw_random
from peerjudge.features.search.nouns import Splits

__all__ = ["SHARES", "halve_search", "split_questions"]

SHARES = (0.3, 0.2, 0.5)
"""Shares of the questions: search, select, test."""
LEAST = 20
"""Questions that each split needs: with fewer, an interval tells little."""
PAPER_SHARES = (0.1, 0.0, 0.9)
_PAPER_LEAST = (5, 0, 20)
"""The sequencing paper searches on 10 of 100 documents, with OPRO on 5 of them."""
_BLOCK = 10
"""Neighbours in the rank of gold among which chance decides."""


def split_questions(
    strata: Mapping[str, str | float],
    *,
    draw: int,
    sizes: tuple[int, int, int] | None = None,
    paper: bool = False,
) -> Splits:
    """Split questions into search, select and test; each split has its share of every stratum.

    Args:
        strata: by question id, its subset (text), or its mean gold (number): by gold, every split has
            its share of every range of ranks, as in the sequencing paper.
        draw: seed.
        sizes: numbers of questions of the three splits; questions beyond them are left out. Without
            sizes, 30, 20 and 50 %.
        paper: take the paper's 10, 0 and 90 %.

    Raises:
        DataError: a split has fewer than 20 questions (in the paper's split: fewer than 5 to
            search, or 20 to test), or the sizes are more than there are questions.
    """
    n = len(strata)
    wanted = sizes or _apply_shares(n, PAPER_SHARES if paper else SHARES)
    _check_sizes(wanted, n, paper=paper)
    deck = _deal([*wanted, n - sum(wanted)])
    ordered = _order(strata, draw_random(draw, "splits"))
    parts = [
        tuple([question for question, split in zip(ordered, deck, strict=True) if split == part])
        for part in range(3)
    ]
    search, select, test = (_spread(part) for part in parts)
    return Splits(search=search, select=select, test=test, paper=paper)


def halve_search(splits: Splits) -> Splits:
    """Return splits with the first half of the search split, on which the paper ran OPRO."""
    return replace(splits, search=splits.search[: max(1, len(splits.search) // 2)])


def _apply_shares(n: int, shares: tuple[float, float, float]) -> tuple[int, int, int]:
    search, select = round(n * shares[0]), round(n * shares[1])
    return search, select, n - search - select


def _check_sizes(wanted: tuple[int, int, int], n: int, *, paper: bool) -> None:
    if sum(wanted) > n:
        msg = f"the splits take {sum(wanted)} questions, and there are {n}"
        raise DataError(msg)
    least = _PAPER_LEAST if paper else (LEAST, LEAST, LEAST)
    for name, size, needed in zip(("search", "select", "test"), wanted, least, strict=True):
        if size < needed:
            advice = "" if paper else f", sizes such as {LEAST},{LEAST},{2 * LEAST},"
            msg = (
                f"the {name} split has {size} of {n} questions, and it needs at least {needed}; "
                f"give more questions{advice} or another split"
            )
            raise DataError(msg)


def _deal(sizes: Sequence[int]) -> list[int]:
    """Return the number of a split for every place, each split evenly spread over the places."""
    n = sum(sizes)
    given = [0] * len(sizes)
    deck: list[int] = []
    for place in range(1, n + 1):
        behind = [size * place / n - had for size, had in zip(sizes, given, strict=True)]
        open_ = [one for one, size in enumerate(sizes) if given[one] < size]
        chosen = max(open_, key=lambda one: (round(behind[one], 9), -one))
        given[chosen] += 1
        deck.append(chosen)
    return deck


def _order(strata: Mapping[str, str | float], random: np.random.Generator) -> list[str]:
    """Return the questions by stratum, in random order within a subset or among near ranks."""
    ids = list(strata)
    shuffled = [ids[int(at)] for at in random.permutation(len(ids))]
    if any(isinstance(stratum, str) for stratum in strata.values()):
        return sorted(shuffled, key=lambda question: str(strata[question]))
    ranked = sorted(shuffled, key=lambda question: strata[question])
    blocks = [ranked[start : start + _BLOCK] for start in range(0, len(ranked), _BLOCK)]
    return [block[int(at)] for block in blocks for at in random.permutation(len(block))]


def _spread(ordered: Sequence[str]) -> tuple[str, ...]:
    """Return the questions so that any beginning is evenly spread over the given order.

    The order of van der Corput: places by their binary digits reversed.
    """
    places = sorted(range(len(ordered)), key=_reverse_digits)
    return tuple(ordered[place] for place in places)


def _reverse_digits(number: int) -> float:
    value, weight = 0.0, 0.5
    while number:
        value += weight * (number & 1)
        number, weight = number >> 1, weight / 2
    return value
