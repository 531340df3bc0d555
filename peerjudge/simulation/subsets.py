"""What the subsets of a benchmark are like: how clear the better answer is, how alluring the worse."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from peerjudge.data import Comparison

__all__ = ["Subset", "subset_of", "subsets"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subset:
    """Scale of the margins, and attractiveness of the wrong answer (LLMBar Manual = 1)."""

    clarity: float = 1.0
    lure: float = 0.0


@cache
def subsets() -> Mapping[str, Subset]:
    """The known subsets by lower-case name, as `subsets.toml` in this folder has them."""
    text = files("peerjudge.simulation").joinpath("subsets.toml").read_text("utf-8")
    return {name: Subset(**values) for name, values in tomllib.loads(text).items()}


def subset_of(comparison: Comparison) -> Subset:
    """That of the comparison's name; unknown ones are ordinary unless marked as adversarial."""
    named = subsets().get(comparison.subset.lower())
    if named is not None:
        return named
    return Subset(lure=1.0 if comparison.meta.get("adversarial") is True else 0.0)
