"""Order of play: the comparisons of a run in blocks, each complete before the next one is chosen."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import takewhile
from typing import Protocol

from peerjudge.data import Comparison, Transcript, content_hash, replace
from peerjudge.runs.schedule import Plan
from peerjudge.store import Archive


class OrderOfPlay(Protocol):
    """Source of the blocks of comparisons of a run."""

    async def next_block(self) -> Sequence[Comparison]:
        """Return the next block, once all discussions of the last one have ended; empty at the end."""
        ...


class PlainOrder:
    """All comparisons in one block."""

    def __init__(self, comparisons: Sequence[Comparison]) -> None:
        self._comparisons = comparisons

    async def next_block(self) -> Sequence[Comparison]:
        """Return all comparisons the first time, then none."""
        block, self._comparisons = self._comparisons, ()
        return block


async def read_discussions(
    archive: Archive, plan: Plan, comparisons: Sequence[Comparison]
) -> list[Transcript]:
    """Return the stored discussions of a plan on these comparisons, under its own conditions.

    They come in the order of the plan; those that have not begun are left out.
    """
    heads = list(dataclasses.replace(plan, comparisons=comparisons))
    found = archive.transcripts_of(head.id for head in heads)
    known = {transcript.id: transcript async for transcript in found}
    return [replace(known[head.id], condition=head.condition) for head in heads if head.id in known]


def shuffle_questions(comparisons: Sequence[Comparison], *, seed: int) -> tuple[Comparison, ...]:
    """Return the comparisons in a random order of their questions, in the given order within each.

    The place of a question depends on the seed and its id alone, so that more data keep this order.
    """
    place = {
        question: content_hash(seed, "order of questions", question)
        for question in {comparison.question.id for comparison in comparisons}
    }
    return tuple(sorted(comparisons, key=lambda one: place[one.question.id]))


def keep_questions(comparisons: Sequence[Comparison], limit: int | None) -> tuple[Comparison, ...]:
    """Return the first whole questions with at most `limit` comparisons; all without a limit."""
    if limit is None or limit >= len(comparisons):
        return tuple(comparisons)
    cut = comparisons[limit].question.id
    return tuple(takewhile(lambda one: one.question.id != cut, comparisons))
