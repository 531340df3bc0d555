"""Papers that `peerjudge reproduce` knows: one module here, and one file in `tables` beside this folder.

A further paper needs two files of one name, and no other change:

- `tables/NAME.toml` has what the paper prints; `reading.py` describes its form. No value stands in Python.
- `declared/NAME.py` has `ITEMS`: for the name of every item a function from `Evidence` to `Estimates`. It
  returns a `Measurement` (or a word) by the key of the cell: the name of the grid (empty where there is only
  one), the row and the column. A cell that the source does not give is left out, so that the line `needs`
  of the item is printed; nothing found at all is `Estimates()`. An item whose grids are all `impossible`
  needs no function, and may have one that shows what we find.

The function reads `evidence.ballots`, names models as the paper does, and finds them in the source with
`find_reviewer` and `find_contestant`. It estimates by functions of `peerjudge.analysis`, so intervals
resample questions. `tests/features/papers/test_papers.py` finds the paper by itself and holds it to this
contract.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TypeAlias, cast

from peerjudge.features.papers.reproducing import Estimates, Evidence

Estimate: TypeAlias = Callable[[Evidence], Estimates]
"""A function that estimates the values of one item."""


def find_estimates(paper: str) -> Mapping[str, Estimate]:
    """Return the functions of a paper by the name of the item."""
    module = import_module(f"{__name__}.{paper}")
    return cast("Mapping[str, Estimate]", module.ITEMS)
