"""Simulated studies: effects at each size, and expenses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from peerjudge.power.effects import Effect
from peerjudge.power.sizes import Forecast
from peerjudge.power.stopping import StopForecast


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectForecast:
    """An effect with the card's traits, and without truth pull; `stop` is with the card's traits.

    `truth_pull` makes a reviewer yield sooner to a right argument. `without_pull` is `None` if no card
    has it or the effect does not depend on hearing others.
    """

    effect: Effect
    as_carded: Forecast
    without_pull: Forecast | None
    stop: StopForecast | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expense:
    """Calls, tokens, cost and time of a study of one size; `hours` assumes a time per call."""

    comparisons: int
    discussions: int
    calls: int
    tokens: int
    cost_usd: float | None
    hours: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan:
    """A simulated study: its effects at each size, and its expenses.

    `votes` is true if a condition is a vote. `stand_ins` maps reviewers to the simulated ones that
    replaced them. `flawed` names reviewers whose unreadable and refused replies were left out,
    `responsive` those whose reactions to the words of prompts were left out, `unpriced` those without a
    known price.

    `expenses` are upper bounds; `expected` assumes discussions as long as the simulated ones, and is
    empty if no discussion can end early.
    """

    experiment: str
    comparisons_in_data: int
    studies: int
    power: float
    votes: bool
    effects: tuple[EffectForecast, ...]
    expenses: tuple[Expense, ...]
    expected: tuple[Expense, ...]
    stand_ins: Mapping[str, str]
    flawed: tuple[str, ...]
    responsive: tuple[str, ...]
    unpriced: tuple[str, ...]
    reply_tokens: int
    seconds_per_call: float
    max_connections: int
