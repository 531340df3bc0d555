"""Plan of a study: expected effects, needed size and cost, with simulated reviewers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import ClassVar

import numpy as np

from peerjudge.analysis.contrasts import VOTE as VOTE_PROTOCOL
from peerjudge.data import Card, Experiment, ReviewerKind, replace
from peerjudge.data.arguments import check_arguments
from peerjudge.errors import CardError, ExperimentError
from peerjudge.features.planning.effects import Effect, list_effects, list_judges
from peerjudge.features.planning.sizes import Forecast, forecast_effects, forecast_stops
from peerjudge.features.planning.studies import (
    StudyDesign,
    build_design,
    simulate_accuracies,
    simulate_lengths,
)
from peerjudge.features.planning.views import (
    EffectForecast,
    Expense,
    StudyPlan,
    build_plan_document,
    describe_plan,
    draw_power,
    list_forecasts,
)
from peerjudge.reporting.figures import Figure
from peerjudge.results.base import Document, DrawnResult, Shown
from peerjudge.results.columns import Cells
from peerjudge.results.plain import make_plain
from peerjudge.runs import Estimate, Plan, Prepared, estimate_calls, prepare
from peerjudge.shelf import Shelf
from peerjudge.simulation import reads_wording

SIZES = (50, 100, 200, 400, 800)
GAINED = 0.1
"""True gain over the better seat whose power every plan prints."""
_LATENCY = 5.0
_CONNECTIONS = 10
_LEAST_PLAYED = 20_000
"""Fewest comparisons on which lengths of discussions and accuracies of judges are simulated."""
_SEEDS = 1 << 64
_FLAWS = ("unreadable_rate", "refusal_rate")
_LENGTH_SEED = 18
_JUDGE_SEED = 20


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PlanResult(DrawnResult):
    """A simulated study, as tables, power curves and a document."""

    frame: ClassVar[str] = "plan"
    study: StudyPlan
    simulated: bool = True

    def document(self) -> Document:
        """Return the document of `peerjudge plan --json`."""
        return make_plain(build_plan_document(self.study))

    def parts(self) -> Shown:
        """Return power by effect, the cost of studies of these sizes, and the assumptions."""
        return describe_plan(self.study)

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each effect, truth pull and size."""
        yield from list_forecasts(self.study)

    @property
    def figures(self) -> Mapping[str, Figure]:
        """Power curves by name."""
        return draw_power(self.study)


@check_arguments
def plan(
    experiment: str | Path | Experiment,
    *,
    data: str | None = None,
    seed: int | None = None,
    settings: Mapping[str, str] | None = None,
    seats: Mapping[str, str] | None = None,
    effects: Sequence[str] = (),
    gain: float = GAINED,
    sizes: int | Sequence[int] = SIZES,
    power: float = 0.8,
    studies: int = 1000,
    stand_ins: Mapping[str, str] | None = None,
    seconds_per_call: float = _LATENCY,
    max_connections: int = _CONNECTIONS,
    shelf: Shelf | None = None,
) -> PlanResult:
    """Simulate an experiment at several sizes before paying for it; no model is called.

    For each effect that the experiment can show: the power of studies of several sizes, the number of
    comparisons it needs, and the cost of such studies, at most and as expected where discussions may end
    early. Effects of discussion are shown twice: with the card's traits, and without `truth_pull`, an
    assumption that makes every discussion help.

    Args:
        experiment: A name from `peerjudge list experiments`, or the path of a .py file; in Python also a
            declaration.
        data: Dataset `NAME`, `NAME:PATH` or `FILE.py:PATH` in place of the declared one. Larger sizes repeat
            its comparisons, each time with new difficulty and new errors.
        seed: Seed of all random choices, in place of the declared one.
        settings: `key: value` settings; see `apply_settings`.
        seats: Card by seat, for other reviewers than those declared; see `apply_seats`.
        effects: `private`, `better-seat`, `vote`, `leader`, `pairwise` or `judge`; by default all. A
            discussion is compared with its private reviews, its better seat and a vote, its leader with its
            follower, another method with pairwise judgement, the most accurate judge of one seat with each
            other one.
        gain: True gain over the better seat, 0.1 for 10 points, whose power is added; 0 for none.
        sizes: Size of the studies in comparisons, or several sizes.
        power: Wanted share of studies whose 95 % interval lies above 0.
        studies: Number of simulated studies per size.
        stand_ins: Simulated reviewers by the card that they replace.
        seconds_per_call: Assumed time per call, for the hours. [s]
        max_connections: Assumed calls in flight, for the hours.
        shelf: Shelf to look names up on.

    Raises:
        PeerJudgeError: A name is unknown, options do not fit, or a protocol cannot be simulated.

    Example:
        >>> found = pj.plan("leader_follower", sizes=(40,), studies=20)
        >>> found.df["comparisons"].unique().tolist()
        [40]
    """
    sizes = (sizes,) if isinstance(sizes, int) else sizes
    _check_arguments(
        sizes=sizes,
        power=power,
        studies=studies,
        gain=gain,
        seconds=seconds_per_call,
        connections=max_connections,
    )
    shelf = shelf or Shelf()
    prepared = prepare(
        experiment, data=data, seed=seed, settings=settings, seats=seats, shelf=shelf
    )
    declared, stand_ins = prepared.plan, stand_ins or {}
    cast = replace_reviewers(_list_judges(declared), stand_ins, shelf)
    design = build_design(declared, cast)
    best = _find_best(design.select(*list_judges(declared)), declared)
    wanted = list_effects(declared, wanted=effects, gain=gain or None, best=best)
    forecasts = _forecast(design, declared, cast, wanted, sizes, power, studies)
    needed = (
        one.needed for each in forecasts for one in (each.as_carded, each.without_pull) if one
    )
    priced = sorted({*sizes, *(size for size in needed if size is not None)})
    whole = estimate_calls(declared, prepared.costs)
    expected = _estimate_expected(prepared, cast)
    study = StudyPlan(
        experiment=declared.experiment.name,
        comparisons_in_data=len(declared.comparisons),
        studies=studies,
        power=power,
        votes=any(part.protocol.name == VOTE_PROTOCOL for part in declared.parts),
        effects=forecasts,
        expenses=_price(whole, priced, seconds_per_call, max_connections),
        expected=_price(expected, priced, seconds_per_call, max_connections) if expected else (),
        stand_ins=dict(stand_ins),
        responsive=tuple(name for name, card in cast.items() if reads_wording(card)),
        flawed=tuple(name for name, card in cast.items() if any(map(card.traits.get, _FLAWS))),
        unpriced=tuple(name for name, price in prepared.costs.prices.items() if price is None),
        reply_tokens=whole.reply_tokens,
        seconds_per_call=seconds_per_call,
        max_connections=max_connections,
    )
    return PlanResult(study=study)


def _list_judges(plan: Plan) -> dict[str, Card]:
    """Return the cards of all seats; the second model has no stand-in, as no simulated reply is reread."""
    seated = {seat.reviewer for part in plan.parts for seat in part.seats}
    return {name: card for name, card in plan.cast.items() if name in seated}


def _forecast(
    design: StudyDesign,
    plan: Plan,
    cast: Mapping[str, Card],
    effects: Sequence[Effect],
    sizes: Sequence[int],
    power: float,
    studies: int,
) -> tuple[EffectForecast, ...]:
    """Return the forecast of each effect, and without truth pull of those that it may make."""
    seed = _seed_of(plan.experiment)

    def forecast(cards: Mapping[str, Card], some: Sequence[Effect]) -> dict[Effect, Forecast]:
        names = {name for effect in some for name in (effect.condition, effect.against)}
        own = build_design(plan, cards).select(*names)
        return forecast_effects(
            own, some, sizes=sorted(sizes), power=power, studies=studies, seed=seed
        )

    carded = forecast(cast, effects)
    flat = {
        name: replace(card, traits={**card.traits, "truth_pull": 0.0})
        for name, card in cast.items()
    }
    pulled = any(card.traits.get("truth_pull", 0) for card in cast.values())
    heard = [effect for effect in effects if effect.discussed and pulled and effect.gain is None]
    unpulled = forecast(flat, heard) if heard else {}
    stops = forecast_stops(design, effects, most=max(sizes), studies=studies, seed=seed)
    return tuple(
        EffectForecast(
            effect=effect,
            as_carded=carded[effect],
            without_pull=unpulled.get(effect),
            stop=stops.get(effect),
        )
        for effect in effects
    )


def replace_reviewers(
    cast: Mapping[str, Card], stand_ins: Mapping[str, str], shelf: Shelf
) -> dict[str, Card]:
    """Return a simulated card for each reviewer, with the reviewer's own name and family.

    Raises:
        CardError: A reviewer is not simulated and has no stand-in, a stand-in is not simulated, or it
            replaces a reviewer that has no seat.
    """
    unseated = sorted(set(stand_ins) - set(cast))
    if unseated:
        msg = f"{unseated[0]!r} has no seat in this experiment; choose one of {', '.join(sorted(cast))}"
        raise CardError(msg)
    missing = [
        name
        for name, card in cast.items()
        if name not in stand_ins and card.kind is not ReviewerKind.SIMULATED
    ]
    if missing:
        example = " ".join(f"--stand-in {name}=sim_gpt4" for name in missing)
        msg = (
            f"{', '.join(map(repr, missing))} cannot be simulated; name a simulated reviewer that "
            f"replaces each, for example {example} (see `peerjudge list agents`)"
        )
        raise CardError(msg)
    return {
        name: _load_stand_in(stand_ins[name], card, shelf) if name in stand_ins else card
        for name, card in cast.items()
    }


def _load_stand_in(name: str, card: Card, shelf: Shelf) -> Card:
    found = shelf.card(name)
    if found.kind is not ReviewerKind.SIMULATED:
        msg = f"card {name!r} cannot stand in for {card.name!r}: it is not simulated"
        raise CardError(msg)
    return replace(found, name=card.name, family=card.family or found.family)


def _check_arguments(
    *,
    sizes: Sequence[int],
    power: float,
    studies: int,
    gain: float,
    seconds: float,
    connections: int,
) -> None:
    for fine, sentence in (
        (
            bool(sizes) and min(sizes) >= 2,
            f"sizes are numbers of comparisons from 2, not {list(sizes)}",
        ),
        (0 < power < 1, f"power is a share between 0 and 1, not {power:g}"),
        (0 <= gain < 1, f"a gain is a share from 0 to 1 (0.1 is 10 points), not {gain:g}"),
        (studies >= 1, f"at least one study has to be simulated, not {studies}"),
        (0 <= seconds < inf, f"the seconds per call are 0 or more, not {seconds:g}"),
        (connections >= 1, f"a run takes 1 connection or more, not {connections}"),
    ):
        if not fine:
            raise ExperimentError(sentence)


def _seed_of(experiment: Experiment) -> int:
    """Return the seed of a study as numpy takes it, which is not negative."""
    return experiment.seed % _SEEDS


def _find_best(judges: StudyDesign, plan: Plan) -> str:
    """Return the most accurate of these conditions in simulated studies; empty for fewer than two."""
    if len(judges.discussions) < 2:
        return ""
    accuracies = simulate_accuracies(
        judges,
        comparisons=len(plan.comparisons),
        studies=-(-_LEAST_PLAYED // len(plan.comparisons)),
        random=np.random.default_rng([_seed_of(plan.experiment), _JUDGE_SEED]),
    )
    return max(accuracies, key=accuracies.__getitem__)


def _estimate_expected(prepared: Prepared, cast: Mapping[str, Card]) -> Estimate | None:
    """Estimate discussions as long as the simulated ones; `None` if none can end early."""
    plan = prepared.plan
    random = np.random.default_rng([_seed_of(plan.experiment), _LENGTH_SEED])
    size = len(plan.comparisons)
    studies = -(-_LEAST_PLAYED // size)
    design = build_design(plan, cast)
    reached = simulate_lengths(design, comparisons=size, studies=studies, random=random)
    if all(share == 1.0 for turns in reached.values() for share in turns):
        return None
    return estimate_calls(plan, prepared.costs, reached=reached)


def _price(
    whole: Estimate, sizes: Sequence[int], seconds: float, connections: int
) -> tuple[Expense, ...]:
    scales = [(size, size / whole.comparisons) for size in sizes]
    return tuple(
        Expense(
            comparisons=size,
            discussions=round(sum(whole.discussions.values()) * scale),
            calls=round(whole.calls * scale),
            tokens=round(whole.tokens * scale),
            cost_usd=None if whole.cost_usd is None else whole.cost_usd * scale,
            hours=whole.calls * scale * seconds / connections / 3600,
        )
        for size, scale in scales
    )
