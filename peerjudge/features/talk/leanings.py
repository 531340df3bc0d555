"""Bias by round: how often seats hold the first-shown and the longest answer, before and after talking."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from peerjudge.analysis.ballots import NONE, Bools, Codes
from peerjudge.data import Measurement, Noun
from peerjudge.features.talk.stances import Room
from peerjudge.statistics.interval import PairedDifference
from peerjudge.statistics.sampler import Sampler

__all__ = ["FIRST", "LONGEST", "Leaning", "list_leanings"]

FIRST, LONGEST = "first shown", "longest"


class Leaning(Noun, frozen=True, kw_only=True):
    """How often the seats of a condition hold a kind of answer, by round.

    Seats that call a tie at some round are left out; `seats` counts the others. `before` is the share of
    private stances, and `change` the difference from it after each round. The answer shown first is counted
    on comparisons that the condition shows in all orders alike, so that a reviewer without position bias
    holds it in one of as many cases as there are answers. Beside the longest one stands `gold`, the share of
    the same seats whose gold is the longest; `None` where gold is not known of all.
    """

    condition: str
    towards: str
    seats: int
    before: Measurement
    change: tuple[PairedDifference, ...]
    gold: Measurement | None


def list_leanings(room: Room, sampler: Sampler) -> Iterator[Leaning]:
    """Yield the leanings of a condition, those that its comparisons can show."""
    choosing = (room.stances >= 0).all(axis=1)
    for towards, answer, chosen in (
        (FIRST, room.first, choosing & _find_balanced(room)),
        (LONGEST, room.longest, choosing & (room.longest != NONE)),
    ):
        if chosen.any():
            yield _measure(room, towards, answer, chosen, sampler)


def _measure(room: Room, towards: str, answer: Codes, chosen: Bools, sampler: Sampler) -> Leaning:
    holds = (room.stances[chosen] == answer[chosen, None]).astype(np.float64)
    question, gold = room.question[chosen], room.gold[chosen]
    known = towards == LONGEST and bool((gold != NONE).all())
    return Leaning(
        condition=room.condition,
        towards=towards,
        seats=int(chosen.sum()),
        before=sampler.mean(holds[:, 0], question),
        change=tuple(
            sampler.difference(holds[:, after] - holds[:, 0], question)
            for after in range(1, room.rounds + 1)
        ),
        gold=sampler.mean((gold == answer[chosen]).astype(np.float64), question) if known else None,
    )


def _find_balanced(room: Room) -> Bools:
    """Return the units whose comparison has as many units for each of its answers in first place."""
    most = int(room.answers.max(initial=0))
    counts = np.zeros((int(room.comparison.max(initial=-1)) + 1, most), dtype=np.int64)
    np.add.at(counts, (room.comparison, room.first), 1)
    shown = np.arange(most) < room.answers[:, None]
    here = counts[room.comparison]
    return ((here == here.max(axis=1, keepdims=True)) | ~shown).all(axis=1)
