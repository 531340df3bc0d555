"""Discussions of a source by id: one of them, or all on one comparison."""

from __future__ import annotations

from collections.abc import Iterable

from peerjudge.data import Transcript
from peerjudge.data.choices import suggest_name
from peerjudge.datasets import load as load_dataset
from peerjudge.errors import DataError
from peerjudge.runs.imported import list_recorded
from peerjudge.runs.sources import is_run, open_run

__all__ = ["find_discussions"]

_SHORTEST = 4
"""Characters of the beginning of an id that are enough to look for a discussion."""


async def find_discussions(source: str, wanted: str) -> tuple[Transcript, ...]:
    """Return the discussions on a comparison, or the one whose id begins as given.

    Args:
        source: Run folder, store URL, transcript file, bundle, or dataset `NAME:PATH` with recorded reviews,
            of which each is the discussion of a lone judge.
        wanted: Id of a comparison, or at least the first four characters of the id of a discussion.

    Returns:
        The discussions, by order of the answers, condition and reviewers.

    Raises:
        DataError: There is no such discussion or comparison, or several discussions begin so.
        StoreError: There is no such run.
    """
    found, comparisons = await _find(source, wanted)
    if not found:
        first = ", ".join(sorted(comparisons)[:3]) or "none"
        msg = (
            f"{source} has no comparison and no discussion {wanted!r}{suggest_name(wanted, comparisons)} "
            f"(its first comparisons: {first})"
        )
        raise DataError(msg)
    if any(one.comparison.id != wanted for one in found) and len(found) > 1:
        listed = ", ".join(one.id[:12] for one in found[:3])
        msg = f"{len(found)} discussions of {source} begin with {wanted!r}: {listed}; give more of the id"
        raise DataError(msg)
    return tuple(sorted(found, key=_place))


def _place(one: Transcript) -> tuple[object, ...]:
    speakers = [seat.reviewer for seat in one.seats]
    return (one.comparison.shown, one.condition, speakers, one.repetition, one.id)


async def _find(source: str, wanted: str) -> tuple[list[Transcript], set[str]]:
    """Return what matches, and the ids of all comparisons where nothing does."""
    if not is_run(source):
        return _choose(list_recorded(load_dataset(source)), wanted)
    async with open_run(source) as opened:
        stored = opened.store.transcripts
        found = [one async for one in stored(run=opened.id, comparison=wanted)]
        if not found and len(wanted) >= _SHORTEST:
            found = [one async for one in stored(run=opened.id, beginning=wanted)]
        if found:
            return found, set()
        return [], {one.comparison.id async for one in opened.transcripts()}


def _choose(transcripts: Iterable[Transcript], wanted: str) -> tuple[list[Transcript], set[str]]:
    on_comparison: list[Transcript] = []
    beginning: list[Transcript] = []
    comparisons: set[str] = set()
    for one in transcripts:
        comparisons.add(one.comparison.id)
        if one.comparison.id == wanted:
            on_comparison.append(one)
        if len(wanted) >= _SHORTEST and one.id.startswith(wanted):
            beginning.append(one)
    return on_comparison or beginning, comparisons
