"""A grid of factors: every cell of levels is a candidate, or a balanced fraction of the cells is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from peerjudge.data import Scalar
from peerjudge.errors import DataError
from peerjudge.features.search.board import Board, Steps, draw_random, identify, race
from peerjudge.features.search.nouns import Candidate, Factor, SearchOptions
from peerjudge.features.search.texts import find_text_fault

__all__ = ["list_cells", "search_by_factors"]

MAX_CELLS = 1000
"""A larger grid needs a bound of its cells."""

_TRIES = 200


def search_by_factors(options: SearchOptions, draw: int, board: Board) -> Steps:
    """Evaluate the cells of the grid in one step; the base has its scores already."""
    cells = list_cells(options.factors, options.cells, random=draw_random(draw, "cells"))
    candidates = [one for one in (_build(cell, options, board) for cell in cells) if one]
    yield from race(
        board, [candidate for candidate in candidates if candidate.valid], options=options, step=1
    )
    board.promote(candidates)
    board.steps = 1


def list_cells(
    factors: Sequence[Factor], most: int, *, random: np.random.Generator
) -> list[Mapping[str, Scalar]]:
    """Return the cells of a grid, as levels by factor; at most so many, 0 for all.

    A fraction has every level of a factor equally often, up to one, and the factors are combined at
    random: main effects can be told apart, interactions cannot. Raises `DataError` for a grid of more
    than 1000 cells without a bound.
    """
    size = prod(len(factor.levels) for factor in factors)
    if most == 0 and size > MAX_CELLS:
        msg = f"the grid has {size} cells; give a greatest number of cells of at most {MAX_CELLS}"
        raise DataError(msg)
    names = [factor.name for factor in factors]
    if most == 0 or size <= most:
        return [
            dict(zip(names, levels, strict=True))
            for levels in product(*(f.levels for f in factors))
        ]
    drawn: dict[tuple[int, ...], None] = {}
    for _ in range(_TRIES):
        columns = [_draw_column(len(factor.levels), most, random) for factor in factors]
        rows = dict.fromkeys(zip(*columns, strict=True))
        drawn = max(drawn, rows, key=len)
        if len(drawn) == most:
            break
    return [
        {factor.name: factor.levels[at] for factor, at in zip(factors, row, strict=True)}
        for row in drawn
    ]


def _draw_column(levels: int, rows: int, random: np.random.Generator) -> list[int]:
    """Return a level for every row, each equally often, up to one, in random order."""
    order = random.permutation(levels)
    column = np.resize(order, rows)
    return [int(level) for level in random.permutation(column)]


def _build(cell: Mapping[str, Scalar], options: SearchOptions, board: Board) -> Candidate | None:
    """Build and keep the candidate of a cell; `None` where an equal one is there, such as the base."""
    targets = {target.name: target for target in options.targets}
    texts = dict(board.base.texts)
    for name in cell.keys() & targets.keys():
        if not isinstance(text := cell[name], str):
            msg = f"factor {name!r} is a text, and one of its levels is {text!r}"
            raise DataError(msg)
        texts[name] = text
    settings = {name: level for name, level in cell.items() if name not in targets}
    if board.knows(texts, settings):
        return None
    faults = (
        find_text_fault(texts[name], target=targets[name], options=options)
        for name in cell
        if name in targets
    )
    why = next(filter(None, faults), "")
    candidate = Candidate(
        id=identify(texts, settings, "cell" if why else ""),
        texts=texts,
        settings=settings,
        parent=board.base.id,
        step=1,
        origin="factors",
        target="",
        change=", ".join(f"{name} = {level!r:.60}" for name, level in cell.items()),
        valid=not why,
        why=why,
    )
    board.add(candidate)
    return candidate
