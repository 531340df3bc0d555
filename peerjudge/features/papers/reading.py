"""Papers whose values are printed beside ours, read from `tables/NAME.toml`.

A paper is the head of its file: `title`, `source`, `[names]` (its models, with the letters by which a
reviewer or contestant is known to be one of them) and `[[items]]`. An item is a table, figure or section
with `name`, `title`, `needs` (which sources give it) and, where it has them, its own `source` and `data` (the
dataset it is about). Its values are in `[[items.grids]]`:
`columns`, `rows` by name, `digits` (decimals as printed) and a `name` where an item has several grids; an
item may have `columns` and `digits` for all of them. A value is a number, a word, "" for no value, or "drawn"
for one that the paper draws without a number. A grid that no source can give says why in `impossible`.

Values that are printed twice stand in one item; the other has `[[items.parts]]`: `of` (the item that has
them), and the `grids`, `rows` and `columns` to take, all by default.

The tables of `score --beside` are items with `by` (the groups of their columns), `counts` (comparisons by
column) and, where they have their own prompts, `prompts` (the pack). Their grids are the evaluators of
`[names]`, their rows the methods: `[methods]` of the paper has their names by protocol (that of self_metrics
with its option `then`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import cast

from peerjudge.analysis.published import PublishedTable
from peerjudge.errors import DataError
from peerjudge.features.papers.reproducing import (
    Dialogue,
    Paper,
    PublishedCell,
    PublishedItem,
    list_tables,
)

_TABLES = Path(__file__).parent / "tables"
_DRAWN = "drawn"

_Toml = dict[str, object]


def list_papers() -> tuple[Paper, ...]:
    """Return all papers that have items, sorted by name."""
    return tuple(read_paper(name) for name in _names())


def read_paper(name: str) -> Paper:
    """Return a paper; raise `DataError` for an unknown one."""
    if name not in _names():
        msg = f"there is no paper {name!r}; choose one of {', '.join(_names())}"
        raise DataError(msg)
    read = _read(name)
    names = cast("dict[str, list[str]]", read.get("names", {}))
    items = cast("list[_Toml]", read["items"])
    cells = {str(item["name"]): tuple(_cells(item, read)) for item in items}
    return Paper(
        name=name,
        title=str(read["title"]),
        source=str(read["source"]),
        without_values=str(read.get("without_values", "")),
        names={model: tuple(letters) for model, letters in names.items()},
        items=tuple(_item(one, read, cells) for one in items),
        methods=cast("dict[str, str]", read.get("methods", {})),
    )


def read_published_tables(name: str) -> tuple[PublishedTable, ...]:
    """Return the tables of one paper for `score --beside`; raise `DataError` if it has none."""
    tables = {paper.name: list_tables(paper) for paper in list_papers()}
    if not tables.get(name):
        known = ", ".join(one for one, found in tables.items() if found)
        msg = f"there are no published figures {name!r}; choose one of {known}"
        raise DataError(msg)
    return tables[name]


def _names() -> list[str]:
    return sorted(path.stem for path in _TABLES.glob("*.toml") if "items" in _read(path.stem))


@cache  # read by every table that has values of a paper beside it
def _read(name: str) -> _Toml:
    return tomllib.loads((_TABLES / f"{name}.toml").read_text("utf-8"))


def _item(item: _Toml, paper: _Toml, cells: Mapping[str, Sequence[PublishedCell]]) -> PublishedItem:
    parts = cast("list[_Toml]", item.get("parts", []))
    shared = [cell for part in parts for cell in cells[str(part["of"])] if _is_of(cell, part)]
    return PublishedItem(
        name=str(item["name"]),
        title=str(item["title"]),
        source=str(item.get("source", paper["source"])),
        data=str(item.get("data", "")),
        needs=str(item.get("needs", "")),
        cells=(*cells[str(item["name"])], *shared),
        dialogues=tuple(
            Dialogue(reviewers=tuple(cast("list[str]", one["reviewers"])), moves=str(one["moves"]))
            for one in cast("list[_Toml]", item.get("dialogues", []))
        ),
        of=tuple(str(part["of"]) for part in parts),
        by=str(item.get("by", "")),
        prompts=str(item.get("prompts", "")),
        counts=cast("dict[str, int]", item.get("counts", {})),
    )


def _is_of(cell: PublishedCell, part: _Toml) -> bool:
    """Return whether a cell is in the grids, rows and columns of a part."""
    chosen = (cast("list[str] | None", part.get(kind)) for kind in ("grids", "rows", "columns"))
    return all(names is None or name in names for name, names in zip(cell.key, chosen, strict=True))


def _cells(item: _Toml, paper: _Toml) -> Iterator[PublishedCell]:
    fits = cast("list[dict[str, list[str]]]", paper.get("fitted", []))
    of_item = [fit for fit in fits if item["name"] in fit["items"]]
    for given in cast("list[_Toml]", item.get("grids", [])):
        grid = {key: item[key] for key in ("columns", "digits") if key in item} | given
        columns = cast("list[str]", grid["columns"])
        for row, values in cast("dict[str, list[float | str]]", grid["rows"]).items():
            for column, value in zip(columns, values, strict=True):
                if value != "":
                    yield PublishedCell(
                        key=(str(grid.get("name", "")), row, column),
                        value=None if value == _DRAWN else value,
                        digits=cast("int", grid.get("digits", 0)),
                        impossible=str(grid.get("impossible", "")),
                        fitted=frozenset(
                            card
                            for fit in of_item
                            if row not in fit.get("except_rows", ())
                            for card in fit["cards"]
                        ),
                    )
