"""Choice of discussions of a run by the words of the viewer's lists, such as `event=altered`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast
from urllib.parse import parse_qsl

from peerjudge.errors import ExperimentError
from peerjudge.places import find_cache
from peerjudge.runs.manifest import read_prices
from peerjudge.runs.sources import OpenRun
from peerjudge.store.browsing import (
    EVENTS,
    FACETS,
    FLAGS,
    GOLDS,
    MOVES,
    STATES,
    UNITS,
    Filter,
    IndexReader,
    Sort,
)
from peerjudge.store.database import locate
from peerjudge.store.index import IndexWriter
from peerjudge.store.numbered import NumberedArchive

_KNOWN: Mapping[str, Mapping[str, object]] = {
    "state": STATES,
    "gold": GOLDS,
    "event": EVENTS,
    "move": MOVES,
    "flag": FLAGS,
}
_IGNORED = {"sort", "after", "back"}
"""Words of an address that order a list and choose nothing."""


def parse_where(text: str) -> tuple[Filter, str]:
    """Return the filter that a text such as `event=altered&gold=wrong` names, and the id that it wants.

    Args:
        text: The query of a list of `peerjudge view`, or `id=` with the beginning of an id.

    Raises:
        ExperimentError: A word is unknown, or has no such value.
    """
    facets: dict[str, str] = {}
    least: dict[Sort, int] = {}
    wanted = words = ""
    pairs = parse_qsl(text.removeprefix("?"), keep_blank_values=True)
    if text and not pairs:
        raise ExperimentError(_explain(text))
    for name, value in pairs:
        bound = cast("Sort", name.removesuffix("_min"))
        if name == "id":
            wanted = value
        elif name == "q":
            words = value
        elif name in FACETS and (name not in _KNOWN or value in _KNOWN[name]):
            facets[name] = value
        elif name in FACETS:
            msg = f"unknown {name} {value!r} in --where; choose one of {', '.join(_KNOWN[name])}"
            raise ExperimentError(msg)
        elif name.endswith("_min") and bound in UNITS:
            try:
                least[bound] = round(float(value) * UNITS[bound])
            except (ValueError, OverflowError) as cause:
                msg = f"{name} in --where is a number, not {value!r}"
                raise ExperimentError(msg) from cause
        elif name not in _IGNORED:
            raise ExperimentError(_explain(name))
    return Filter(**facets, words=words, least=least), wanted


async def choose_discussions(opened: OpenRun, where: str) -> Sequence[str]:
    """Return the ids of the complete discussions of a run that pass the filter.

    Raises:
        ExperimentError: The filter cannot be read, or no discussion passes it.
        StoreError: The run cannot be read.
    """
    chosen, wanted = parse_where(where)
    location = locate(opened.place)
    place = location.name if location.file is None else str(location.file.resolve())
    async with NumberedArchive.open(opened.place) as store:
        prices = {run.id: read_prices(run.manifest) for run in await store.runs()}
        writer = IndexWriter.open(find_cache("view"), place)
        try:
            while await writer.refresh(store, prices):
                pass
            listed = _read_ids(IndexReader(writer.file), opened.id, chosen)
        finally:
            writer.close()
    ids = [id_ for id_ in dict.fromkeys(listed) if id_.startswith(wanted)]
    if not ids:
        msg = (
            f"no discussion passes --where {where!r}; `peerjudge view` shows how many pass a filter"
        )
        raise ExperimentError(msg)
    return ids


def _read_ids(reader: IndexReader, run: str, chosen: Filter) -> list[str]:
    ids: list[str] = []
    after = None
    while rows := reader.page(run, chosen, after=after, limit=1000):
        ids += [row.id for row in rows]
        after = rows[-1].key
    return ids


def _explain(word: str) -> str:
    bounds = ", ".join(f"{name}_min" for name in UNITS)
    return (
        f"unknown word {word!r} in --where; write NAME=VALUE, joined by '&', with a NAME of "
        f"{', '.join(FACETS)}, q, id, {bounds}"
    )
