"""Conventions by which the authors of a dataset turn verdicts into the figures that they print."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from peerjudge.data.nouns import Noun


class Undecided(StrEnum):
    """Ways to count a verdict that is inconsistent, unreadable or refused."""

    LEFT_OUT = "left_out"
    """It is not counted: the accuracy is over readable verdicts."""
    AS_TIE = "as_tie"
    """An inconsistent one is a tie, right where gold is a tie; an unreadable or refused one is wrong."""
    AS_HALF = "as_half"
    """It is half right, as a toss of a coin between two answers would be on average."""


COUNTING: Mapping[Undecided, str] = MappingProxyType(
    {
        Undecided.LEFT_OUT: "inconsistent, unreadable and refused verdicts are left out",
        Undecided.AS_TIE: "an inconsistent verdict is a tie, an unreadable or refused one is wrong",
        Undecided.AS_HALF: "an inconsistent, unreadable or refused verdict is half right",
    }
)
"""What each way to count does, in words for readers."""


class Conventions(Noun, frozen=True, kw_only=True):
    """Conventions of the authors of a dataset, which `score --as-published` follows.

    `undecided` says how verdicts without a readable decision count. `votes` names the types of people
    each of whose votes is a gold verdict of its own (`("expert",)`); without any, each comparison has
    one gold. `by` names the groups of the published table. With `mean_of_groups` the figure of several
    subsets is the mean of theirs, without it all their verdicts are pooled. `ratings` says in words
    which figure the authors print of ratings. `source` is the publication.
    """

    source: str
    undecided: Undecided = Undecided.LEFT_OUT
    votes: tuple[str, ...] = ()
    by: str = ""
    mean_of_groups: bool = False
    ratings: str = ""
