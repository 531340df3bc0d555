"""What is played on what: the declaration of an experiment, and the data it runs over."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import field

from peerjudge.data.noun import Noun
from peerjudge.data.questions import Comparison, Scalar
from peerjudge.data.ranking import RecordedReview

__all__ = ["Condition", "Dataset", "Experiment", "Leader", "Orders", "Seating"]


class Leader(StrEnum):
    """Which of the named reviewers speaks first in the discussion."""

    FIRST = "first"
    SECOND = "second"
    RANDOM = "random"
    """Drawn once per comparison from the experiment's seed."""
    BOTH = "both"
    """Every comparison is discussed once under each leader."""


class Orders(StrEnum):
    """In which orders the answers of a comparison are shown."""

    GIVEN = "given"
    """As the dataset has them."""
    SWAPPED = "swapped"
    RANDOM = "random"
    """Drawn once per comparison from the experiment's seed."""
    BOTH = "both"
    """As given and reversed; for three and more answers, every rotation."""
    ALL = "all"
    """Every order there is: 2 of two answers, 6 of three, 24 of four."""


class Seating(Noun, frozen=True, kw_only=True):
    """A reviewer in a seat, with the temperature it speaks at there (`None`: the card's own)."""

    reviewer: str
    temperature: float | None = None


class Condition(Noun, frozen=True, kw_only=True):
    """One protocol with its reviewers: what is compared with what in an experiment.

    `seats` names cards (or `Seating`s), leader first. `options` are the protocol's; `prompts`
    names a pack where it differs from the experiment's.
    """

    name: str
    protocol: str
    seats: tuple[str | Seating, ...]
    leader: Leader = Leader.FIRST
    orders: Orders = Orders.BOTH
    options: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    prompts: str = ""


class Experiment(Noun, frozen=True, kw_only=True):
    """A question put to data: every condition is played on every comparison.

    `data` is a dataset `NAME` or `NAME:PATH`. `name` and `question` are filled from the file's stem
    and docstring when left empty. `reviewer_settings` overrides settings of the cards by name
    (`latency`, `temperature`, a trait) for every card that has them.
    """

    data: str
    conditions: tuple[Condition, ...]
    name: str = ""
    question: str = ""
    prompts: str = "long_form"
    seed: int = 0
    repetitions: int = 1
    reviewer_settings: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])


class Dataset(Noun, frozen=True, kw_only=True):
    """Comparisons with their gold, and the reviews of them that are on record, if any.

    `humans` names those recorded reviewers that are people: they serve as gold and judge only when
    asked for by name. `simulated` is true where some of the reviews are no real model's.
    """

    name: str
    description: str
    comparisons: tuple[Comparison, ...]
    reviews: tuple[RecordedReview, ...] = ()
    humans: tuple[str, ...] = ()
    simulated: bool = False
