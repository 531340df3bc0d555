"""Taken from `peerjudge.features.search.nouns`: Search, Objective."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import field

from peerjudge.data.comparisons import Scalar
from peerjudge.data.nouns import Noun

__all__ = ["Objective", "Search"]


Objective: TypeAlias = Literal["accuracy", "consistent", "margin", "error"]
"""What a search raises, per question from 0 to 1: the share of right verdicts, of comparisons right in
every order, the probability of gold, or the nearness of a rating to gold (1 - error / range)."""


class Search(Noun, frozen=True, kw_only=True):
    """A search that an experiment declares, as the constant `SEARCH` beside `EXPERIMENT`.

    Attributes:
        method: `grips`, `opro`, `factors` or `gepa`.
        targets: names of the texts that may change.
        objective: what the search raises.
        aspect: the aspect of the gold ratings, for the objective `error`.
        proposer: the card that writes texts; empty for none.
        steps: the greatest number of steps; 0 for the method's own.
        candidates: candidates per step; 0 for the method's own.
        factors: the grid of `factors`.
        split: `paper`, or the numbers of questions to search, select and test (`"20,20,40"`); empty
            for 30, 20 and 50 %.
    """

    method: Literal["grips", "opro", "factors", "gepa"] = "grips"
    targets: tuple[str, ...] = ()
    objective: Objective = "accuracy"
    aspect: str = ""
    proposer: str = ""
    steps: int = 0
    candidates: int = 0
    factors: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict[str, tuple[Scalar, ...]])
    split: str = ""
