"""A study plan: its record, tables, figures and JSON document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from peerjudge.features.planning.effects import BETTER, GAIN, JUDGE, LEADER, METHOD, VOTE, Effect
from peerjudge.features.planning.sizes import Forecast, StopForecast
from peerjudge.reporting.figures import Curve, Curves, Figure
from peerjudge.reporting.layout import Cell, Column, Table, build_table
from peerjudge.results.columns import Cells
from peerjudge.shown import money

_CARDED, _UNPULLED = "card traits", "no truth pull"
_SHORT_NAMES = {GAIN: "mean seat", BETTER: "better seat", VOTE: "vote", LEADER: "leader"}
_LEGEND = (
    "mean: average size of the effect. Then the power by number of comparisons: the share of studies "
    "whose 95 % interval lies above 0. needed: the fewest comparisons, from 20, that reach the wanted "
    "power; ~ is computed, not simulated; none: more than 100,000, or there is no effect."
)
_PULL_NOTE = (
    f"{_CARDED}: a right argument pulls as the cards say (truth_pull). {_UNPULLED}: it does not. The "
    "pull was fitted to published figures and is an assumption: an effect in one row only depends on it."
)
_SEAT_NOTE = (
    "Private reviews are those of the mean seat. A gain over them is no reason to pay for a discussion: "
    "compare it with the better seat, which is one call."
)
_BETTER_NOTE = (
    "A gain over the better seat is claimed only if the discussion beats each seat, which needs many more "
    "comparisons where the seats are nearly equal than against a seat named in advance. Its mean leans "
    "against the discussion in small studies, as it is the least of the differences over the seats."
)
_JUDGE_NOTE = (
    "Two judges: the power is that of one interval. `compare` also corrects for the number of pairs; "
    "with `--to` and the most accurate judge these are the pairs above only."
)
_EXPECTED = "Expected cost: discussions end as early as the simulated ones (card traits)"
_STOPS = (
    "Comparisons used with `run --until decided`, if this is the primary contrast (card traits)"
)
_NO_VOTE = (
    "No condition is a vote, so the plan does not show whether discussion beats voting; add one with "
    "protocol='vote' and the same seats."
)


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


def describe_plan(plan: StudyPlan) -> list[str | Table]:
    """Return power by effect, then the cost of studies of these sizes, then the assumptions."""
    pulled = any(effect.without_pull is not None for effect in plan.effects)
    stops = any(one.stop is not None for one in plan.effects)
    return [
        f"{plan.experiment} (simulated): {plan.studies:,} studies of each size",
        *(
            _power_table(group, effects, plan.power)
            for group, effects in _group_effects(plan).items()
        ),
        f"\n{_LEGEND}",
        *([_PULL_NOTE] if pulled else []),
        *([_stops_table(plan)] if stops else []),
        _expense_table("Maximum cost", plan, plan.expenses),
        *([_expense_table(_EXPECTED, plan, plan.expected)] if plan.expected else []),
        *_notes(plan),
    ]


def list_forecasts(plan: StudyPlan) -> Iterator[Cells]:
    """Yield one row for each effect, with and without truth pull, and size."""
    for effect in plan.effects:
        for pulled, forecast in ((True, effect.as_carded), (False, effect.without_pull)):
            for size in forecast.sizes if forecast else ():
                yield {
                    "effect": effect.effect.kind,
                    "condition": effect.effect.condition,
                    "against": effect.effect.against or None,
                    "gain": effect.effect.gain,
                    "truth_pull": pulled,
                    "comparisons": size.comparisons,
                    "value": size.value,
                    "low": size.low,
                    "high": size.high,
                    "power": size.power,
                }


def draw_power(plan: StudyPlan) -> Mapping[str, Figure]:
    """Return the power curves of each discussion, of other methods, and of the most accurate judge."""
    figures = [
        Figure(
            id=f"power-{number}",
            description=f"Power by the number of comparisons: {group}",
            chart=Curves(
                curves=list(_curves(effects)),
                across="comparisons",
                up=f"power; at the right, the comparisons needed for {plan.power:.0%}",
            ),
        )
        for number, (group, effects) in enumerate(_group_effects(plan).items(), 1)
    ]
    return {figure.id: figure for figure in figures}


def build_plan_document(plan: StudyPlan) -> dict[str, object]:
    """Return the plan as plain values."""
    return {
        "experiment": plan.experiment,
        "simulated": True,
        "studies": plan.studies,
        "power": plan.power,
        "comparisons_in_data": plan.comparisons_in_data,
        "stand_ins": dict(plan.stand_ins),
        "left_out": list(plan.flawed),
        "unpriced": list(plan.unpriced),
        "effects": [
            {
                "effect": effect.effect.kind,
                "condition": effect.effect.condition,
                "against": effect.effect.against or None,
                "gain": effect.effect.gain,
                "same_reviewers": effect.effect.same_reviewers,
                "as_carded": _forecast_document(effect.as_carded),
                "without_pull": effect.without_pull and _forecast_document(effect.without_pull),
                "until_decided": effect.stop and asdict(effect.stop),
            }
            for effect in plan.effects
        ],
        "expenses": [asdict(row) for row in plan.expenses],
        "expected": [asdict(row) for row in plan.expected],
        "assumed": {
            "reply_tokens": plan.reply_tokens,
            "seconds_per_call": plan.seconds_per_call,
            "max_connections": plan.max_connections,
        },
    }


def _forecast_document(forecast: Forecast) -> dict[str, object]:
    keys = ("comparisons", "value", "low", "high", "power")
    return {
        "sizes": [{key: getattr(row, key) for key in keys} for row in forecast.sizes],
        "needed": forecast.needed,
        "power_at_needed": forecast.power_at_needed,
    }


def _group_effects(plan: StudyPlan) -> dict[str, list[EffectForecast]]:
    groups: dict[str, list[EffectForecast]] = {}
    for effect in plan.effects:
        groups.setdefault(effect.effect.group, []).append(effect)
    return groups


def _worlds(one: EffectForecast) -> Iterator[tuple[str, Forecast]]:
    """Yield the forecasts with their labels; a single one has no label."""
    yield _CARDED if one.without_pull else "", one.as_carded
    if one.without_pull is not None:
        yield _UNPULLED, one.without_pull


def _label(one: EffectForecast) -> str:
    kind, effect = one.effect.kind, one.effect
    if kind == METHOD:
        return effect.condition
    if kind == JUDGE:
        return f"against {effect.against}"
    if kind == VOTE:
        return f"against {effect.against}" + ("" if effect.same_reviewers else ", other reviewers")
    truly = f", truly {100 * effect.gain:+.0f} points" if effect.gain is not None else ""
    return kind.removeprefix("discussion ") + truly


def _power_table(group: str, effects: list[EffectForecast], wanted: float) -> Table:
    def power(place: int) -> Callable[[_World], Cell]:
        def show(row: _World) -> Cell:
            size = row.forecast.sizes[place]
            return Cell(f"{size.power:.0%}", {"": size.power})

        return show

    sizes = [row.comparisons for row in effects[0].as_carded.sizes]
    return build_table(
        group,
        [_World(effect, *world) for effect in effects for world in _worlds(effect)],
        Column("effect", lambda row: _label(row.effect)),
        Column("world", "name", key="world"),
        Column("mean", lambda row: _show_mean(row.forecast.sizes[-1].value)),
        *(
            Column(f"{size:,}", power(place), key=f"power_{size}")
            for place, size in enumerate(sizes)
        ),
        Column(f"needed ({wanted:.0%})", lambda row: _show_needed(row.forecast), key="needed"),
        names=2,
    )


@dataclass(frozen=True, slots=True)
class _World:
    """A forecast of an effect, and the name of the world that it is of, where there are two."""

    effect: EffectForecast
    name: str
    forecast: Forecast


def _show_mean(value: float) -> Cell:
    return Cell(f"{value:+.3f}", {"": value})


def _show_needed(forecast: Forecast) -> Cell:
    size = forecast.needed
    computed = "" if forecast.power_at_needed is not None or size is None else "~"
    return Cell("none" if size is None else f"{computed}{size:,}", {"": size})


def _enough_sizes(plan: StudyPlan) -> dict[int, str]:
    """Return notes on the sizes that are enough for every effect, with and without truth pull."""
    notes: dict[int, str] = {}
    apart = any(effect.without_pull is not None for effect in plan.effects)
    for world in (_CARDED, _UNPULLED) if apart else (_CARDED,):
        forecasts = [
            one.as_carded if world == _CARDED else one.without_pull or one.as_carded
            for one in plan.effects
            if one.effect.gain is None
        ]
        needed = [forecast.needed for forecast in forecasts if forecast.needed is not None]
        if needed:
            note = "enough for every effect found"
            notes.setdefault(max(needed), f"{note}, {world}" if apart else note)
    return notes


def _stops_table(plan: StudyPlan) -> Table:
    def show_share(name: str) -> Callable[[EffectForecast], Cell]:
        def show(row: EffectForecast) -> Cell:
            share: float = getattr(row.stop, name)
            return Cell(f"{share:.0%}", {"": share})

        return show

    return build_table(
        _STOPS,
        [effect for effect in plan.effects if effect.stop is not None],
        Column("condition", "effect.condition"),
        Column("effect", _label),
        Column("at most", "stop.most", key="at_most"),
        *(Column(name, show_share(name)) for name in ("better", "worse")),
        *(Column(name, f"stop.{name}", digits=0) for name in ("mean", "median")),
        names=2,
    )


def _expense_table(title: str, plan: StudyPlan, expenses: Sequence[Expense]) -> Table:
    enough = _enough_sizes(plan)
    wanted = {row.comparisons for row in plan.effects[0].as_carded.sizes}
    return build_table(
        title,
        [row for row in expenses if row.comparisons in wanted | enough.keys()],
        *(Column(name, name) for name in ("comparisons", "discussions", "calls", "tokens")),
        Column("cost", lambda row: Cell(money(row.cost_usd), {"_usd": row.cost_usd})),
        Column("hours", "hours", digits=2),
        Column("note", lambda row: enough.get(row.comparisons)),
        names=0,
    )


def _notes(plan: StudyPlan) -> Iterator[str]:
    yield (
        f"Assumptions: replies of {plan.reply_tokens} tokens, {plan.seconds_per_call:g} s per call, "
        f"{plan.max_connections} calls in flight. `run --dry-run` lists calls by task."
    )
    if all(row.cost_usd == 0 for row in plan.expenses):
        yield "Simulated reviewers are free; use model cards with --stand-in to see a cost."
    if plan.unpriced:
        names = ", ".join(plan.unpriced)
        yield f"Unknown price: {names}; add it to prices.toml (USD per million tokens)."
    yield f"The data have {plan.comparisons_in_data:,} comparisons; larger sizes repeat them."
    if plan.stand_ins:
        names = ", ".join(f"{stand_in} for {card}" for card, stand_in in plan.stand_ins.items())
        yield f"Stand-ins: {names}; the results are those of the stand-ins, not of the models."
    if plan.responsive:
        yield (
            f"Reactions of {', '.join(plan.responsive)} to the words of prompts are left out: the plan uses "
            "the traits of the card, and one wording."
        )
    if plan.flawed:
        yield f"Unreadable and refused replies of {', '.join(plan.flawed)} are left out."
    yield from _effect_notes(plan)


def _effect_notes(plan: StudyPlan) -> Iterator[str]:
    """Yield what to know about the effects of the plan."""
    kinds = {effect.effect.kind for effect in plan.effects}
    worse = [
        one.effect.condition
        for one in plan.effects
        if one.effect.kind == BETTER
        and one.effect.gain is None
        and one.as_carded.sizes[-1].high < 0.0
    ]
    told = (one.effect for one in plan.effects if one.effect.left_out)
    for condition, names in {one.condition: " and ".join(one.left_out) for one in told}.items():
        yield f"Seats of {condition} are those that judge alone; {names} never does."
    if worse:
        yield f"Worse than the better seat alone in 97.5 % of studies or more: {', '.join(worse)}."
    if sum(one.effect.kind == JUDGE for one in plan.effects) > 1:
        yield _JUDGE_NOTE
    if BETTER in kinds:
        yield _BETTER_NOTE
    if GAIN in kinds:
        yield _SEAT_NOTE
    if GAIN in kinds and not plan.votes:
        yield _NO_VOTE


def _curves(effects: list[EffectForecast]) -> Iterator[Curve]:
    for effect in effects:
        for world, forecast in _worlds(effect):
            one = effect.effect
            name = _SHORT_NAMES.get(one.kind, one.against if one.kind == JUDGE else one.condition)
            if effect.effect.gain is not None:
                name = f"{name}, truly {100 * effect.effect.gain:+.0f}"
            powers = [row.power for row in forecast.sizes]
            yield Curve(
                name=f"{name}, {world}" if world == _UNPULLED else name,
                note=_show_needed(forecast).text,
                at=[float(row.comparisons) for row in forecast.sizes],
                values=powers,
            )
