"""What a study would probably show, what it takes to show it, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from peerjudge.data import Card, Experiment, Scalar, replace
from peerjudge.errors import ExperimentError
from peerjudge.power.effects import VOTE_PROTOCOL, Effect, effects_of
from peerjudge.power.power import AtSize, Needed, at_sizes, needed
from peerjudge.power.simulated import reached, stage_of
from peerjudge.power.stand_ins import simulated_cast
from peerjudge.runs import Estimate, Prepared, estimate_calls, prepare
from peerjudge.shelf import Shelf

__all__ = ["SIZES", "EffectOutlook", "Expense", "Outlook", "Seen", "outlook"]

SIZES = (50, 100, 200, 400, 800)
_LATENCY = 5.0
_CONNECTIONS = 10
_LEAST_PLAYED = 20_000
"""Comparisons on which each discussion is simulated, to see how long it goes on."""

_LENGTHS = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An effect in one world: at every size, and the size it needs."""

    sizes: tuple[AtSize, ...]
    needed: Needed


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectOutlook:
    """An effect where hearing a right argument pulls as the cards say, and where it does not pull.

    `without_pull` is `None` where no card has such a pull, or nobody hears anybody.
    """

    effect: Effect
    as_carded: Seen
    without_pull: Seen | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expense:
    """What a study of this size takes. `hours` goes by an assumed time per call."""

    comparisons: int
    discussions: int
    calls: int
    tokens: int
    cost_usd: float | None
    hours: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """A planned study, simulated: every effect and every size.

    `votes` says whether a condition is a vote, `stand_ins` who was simulated as whom. `flawed` names
    reviewers whose unreadable and refused replies were left out of account, `unpriced` those whose
    price nobody knows.

    `expenses` are at most; `expected` are those of discussions as long as the simulated ones are on
    average, as carded: empty where none can end early.
    """

    experiment: str
    comparisons_in_data: int
    studies: int
    power: float
    votes: bool
    effects: tuple[EffectOutlook, ...]
    expenses: tuple[Expense, ...]
    expected: tuple[Expense, ...]
    stand_ins: Mapping[str, str]
    flawed: tuple[str, ...]
    unpriced: tuple[str, ...]
    reply_tokens: int
    seconds_per_call: float
    max_connections: int


def outlook(
    experiment: str | Path | Experiment,
    *,
    data: str | None = None,
    seed: int | None = None,
    settings: Mapping[str, str] | None = None,
    effects: Sequence[str] = (),
    sizes: Sequence[int] = SIZES,
    power: float = 0.8,
    studies: int = 1000,
    stand_ins: Mapping[str, str] | None = None,
    seconds_per_call: float = _LATENCY,
    max_connections: int = _CONNECTIONS,
    shelf: Shelf | None = None,
) -> Outlook:
    """Simulate an experiment at several sizes; nobody is called.

    Args:
        experiment: A name on the shelf, the path of a file, or a declaration.
        data: A dataset instead of the declared one. Its comparisons are taken as often as needed.
        seed: Instead of the declared one.
        settings: `key: value` settings; see `apply_settings`.
        effects: The names (`NAMES`) of the effects looked at, if not all that there are.
        sizes: Numbers of comparisons.
        power: The wanted share of studies that show an effect.
        studies: How many are simulated at each size.
        stand_ins: By reviewer, the simulated reviewer that stands in for it.
        seconds_per_call: How long a call takes, for the hours.
        max_connections: How many calls are under way at a time, for the hours.
        shelf: Where names are looked up.

    Raises:
        PeerJudgeError: Something is not there, does not fit, or cannot be simulated fast.
    """
    _require(sizes=sizes, power=power, studies=studies)
    shelf = shelf or Shelf()
    prepared = prepare(experiment, data=data, seed=seed, settings=settings, shelf=shelf)
    plan = prepared.plan
    cast = simulated_cast(plan.cast, stand_ins or {}, shelf)
    wanted = effects_of(plan, wanted=effects)
    seen = _seen(prepared, cast, wanted, sorted(sizes), power, studies)
    pulled = any(card.traits.get("truth_pull", 0) for card in cast.values())
    heard = [effect for effect in wanted if effect.discussed and pulled]
    flat = {name: _without_pull(card) for name, card in cast.items()}
    still = _seen(prepared, flat, heard, sorted(sizes), power, studies) if heard else {}
    priced = _sizes_to_price(sizes, seen, still)
    whole, likely = estimate_calls(plan, prepared.costs), _expected(prepared, cast)
    return Outlook(
        experiment=plan.experiment.name,
        comparisons_in_data=len(plan.comparisons),
        studies=studies,
        power=power,
        votes=any(part.protocol.name == VOTE_PROTOCOL for part in plan.parts),
        effects=tuple(
            EffectOutlook(effect=effect, as_carded=seen[effect], without_pull=still.get(effect))
            for effect in wanted
        ),
        expenses=tuple(_expense(whole, n, seconds_per_call, max_connections) for n in priced),
        expected=()
        if likely is None
        else tuple(_expense(likely, n, seconds_per_call, max_connections) for n in priced),
        stand_ins=dict(stand_ins or {}),
        flawed=tuple(
            name
            for name, card in cast.items()
            if card.traits.get("unreadable_rate", 0) or card.traits.get("refusal_rate", 0)
        ),
        unpriced=tuple(name for name, price in prepared.costs.prices.items() if price is None),
        reply_tokens=whole.reply_tokens,
        seconds_per_call=seconds_per_call,
        max_connections=max_connections,
    )


def _require(*, sizes: Sequence[int], power: float, studies: int) -> None:
    if not sizes or min(sizes) < 2:
        msg = f"sizes are numbers of comparisons from 2, not {list(sizes)}"
        raise ExperimentError(msg)
    if not 0 < power < 1:
        msg = f"power is a share between 0 and 1, not {power:g}"
        raise ExperimentError(msg)
    if studies < 1:
        msg = f"at least one study has to be simulated, not {studies}"
        raise ExperimentError(msg)


def _without_pull(card: Card) -> Card:
    traits: dict[str, Scalar] = {**card.traits, "truth_pull": 0.0}
    return replace(card, traits=traits)


def _seen(
    prepared: Prepared,
    cast: Mapping[str, Card],
    effects: Sequence[Effect],
    sizes: Sequence[int],
    power: float,
    studies: int,
) -> dict[Effect, Seen]:
    named = {name for effect in effects for name in (effect.condition, effect.against)}
    stage, seed = stage_of(prepared.plan, cast).only(*named), prepared.plan.experiment.seed
    rows = at_sizes(stage, effects, sizes=sizes, studies=studies, seed=seed)
    return {
        effect: Seen(
            sizes=rows[effect],
            needed=needed(stage, effect, rows[effect], power=power, studies=studies, seed=seed),
        )
        for effect in effects
    }


def _sizes_to_price(sizes: Sequence[int], *worlds: Mapping[Effect, Seen]) -> list[int]:
    wanted = {seen.needed.comparisons for world in worlds for seen in world.values()}
    return sorted({*sizes, *(size for size in wanted if size is not None)})


def _expected(prepared: Prepared, cast: Mapping[str, Card]) -> Estimate | None:
    """What discussions take that end where the simulated ones do; `None` where all go on to the end."""
    plan = prepared.plan
    random = np.random.default_rng([plan.experiment.seed, _LENGTHS])
    size = len(plan.comparisons)
    studies = -(-_LEAST_PLAYED // size)
    shares = reached(stage_of(plan, cast), comparisons=size, studies=studies, random=random)
    if all(share == 1.0 for turns in shares.values() for share in turns):
        return None
    return estimate_calls(plan, prepared.costs, reached=shares)


def _expense(whole: Estimate, size: int, seconds: float, connections: int) -> Expense:
    scale = size / whole.comparisons
    discussions = sum(whole.discussions.values())
    return Expense(
        comparisons=size,
        discussions=round(discussions * scale),
        calls=round(whole.calls * scale),
        tokens=round(whole.tokens * scale),
        cost_usd=None if whole.cost_usd is None else whole.cost_usd * scale,
        hours=whole.calls * scale * seconds / connections / 3600,
    )
