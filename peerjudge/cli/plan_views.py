"""Tables, figures and the JSON document of a study plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from peerjudge.cli.console import results
from peerjudge.power import (
    BEST,
    GAIN,
    LEADER,
    METHOD,
    VOTE,
    EffectForecast,
    Expense,
    Forecast,
    StudyPlan,
)

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.reporting.drawing import Figure
    from peerjudge.reporting.figures import Series

_CARDED, _UNPULLED = "card traits", "no truth pull"
_SHORT_NAMES = {GAIN: "mean seat", BEST: "best seat", VOTE: "vote", LEADER: "leader"}
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
    "compare it with the best seat, which is one call."
)
_EXPECTED = "Expected cost: discussions end as early as the simulated ones (card traits)"
_STOPS = (
    "Comparisons used with `run --until decided`, if this is the primary contrast (card traits)"
)
_NO_VOTE = (
    "No condition is a vote, so the plan does not show whether discussion beats voting; add one with "
    "protocol='vote' and the same seats."
)


def print_plan(plan: StudyPlan) -> None:
    """Print power by effect, then the cost of studies of these sizes, then the assumptions."""
    console = results()
    console.print(
        f"{plan.experiment} (simulated): {plan.studies:,} studies of each size", style="bold"
    )
    for group, effects in _group_effects(plan).items():
        title = group if effects[0].effect.discussed else f"against {group}"
        console.print(f"\n{title}", style="bold")
        console.print(_power_table(effects, plan.power))
    console.print(f"\n{_LEGEND}")
    if any(one.without_pull is not None for one in plan.effects):
        console.print(_PULL_NOTE)
    if any(one.stop is not None for one in plan.effects):
        console.print(f"\n{_STOPS}", style="bold")
        console.print(_stops_table(plan))
    console.print("\nMaximum cost", style="bold")
    console.print(_expense_table(plan, plan.expenses))
    if plan.expected:
        console.print(f"\n{_EXPECTED}", style="bold")
        console.print(_expense_table(plan, plan.expected))
    for line in _notes(plan):
        console.print(line)


def plan_figures(plan: StudyPlan) -> Mapping[str, Figure]:
    """Return the power curves of each discussion, and of each judge with several methods."""
    from peerjudge.reporting.drawing import Figure
    from peerjudge.reporting.figures import draw_lines

    figures = [
        Figure(
            id=f"power-{number}",
            description=f"Power by the number of comparisons: {group}",
            drawing=draw_lines(
                list(_curves(effects)),
                across="comparisons",
                up=f"power; at the right, the comparisons needed for {plan.power:.0%}",
            ),
        )
        for number, (group, effects) in enumerate(_group_effects(plan).items(), 1)
    ]
    return {figure.id: figure for figure in figures}


def plan_document(plan: StudyPlan) -> dict[str, object]:
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
                "effect": one.effect.kind,
                "condition": one.effect.condition,
                "against": one.effect.against or None,
                "same_reviewers": one.effect.same_reviewers,
                "as_carded": _forecast_document(one.as_carded),
                "without_pull": one.without_pull and _forecast_document(one.without_pull),
                "until_decided": one.stop and asdict(one.stop),
            }
            for one in plan.effects
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
    for one in plan.effects:
        groups.setdefault(one.effect.group, []).append(one)
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
    if kind == VOTE:
        return f"against {effect.against}" + ("" if effect.same_reviewers else ", other reviewers")
    return kind.removeprefix("discussion ")


def _power_table(effects: list[EffectForecast], wanted: float) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("effect", width=36)
    table.add_column("", width=13)
    table.add_column("mean", justify="right", width=6)
    for row in effects[0].as_carded.sizes:
        table.add_column(f"{row.comparisons:,}", justify="right", width=6)
    table.add_column(f"needed ({wanted:.0%})", justify="right", width=12)
    for one in effects:
        for number, (world, forecast) in enumerate(_worlds(one)):
            table.add_row(
                "" if number else _label(one),
                world,
                f"{forecast.sizes[-1].value:+.3f}",
                *(f"{row.power:.0%}" for row in forecast.sizes),
                _format_needed(forecast),
            )
    return table


def _format_needed(forecast: Forecast) -> str:
    size = forecast.needed
    if size is None:
        return "none"
    return f"~{size:,}" if forecast.power_at_needed is None else f"{size:,}"


def _enough_sizes(plan: StudyPlan) -> dict[int, str]:
    """Return notes on the sizes that are enough for every effect, with and without truth pull."""
    notes: dict[int, str] = {}
    apart = any(one.without_pull is not None for one in plan.effects)
    for world in (_CARDED, _UNPULLED) if apart else (_CARDED,):
        forecasts = [
            one.as_carded if world == _CARDED else one.without_pull or one.as_carded
            for one in plan.effects
        ]
        needed = [each.needed for each in forecasts if each.needed is not None]
        if needed:
            note = "enough for every effect found"
            notes.setdefault(max(needed), f"{note}, {world}" if apart else note)
    return notes


def _stops_table(plan: StudyPlan) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("condition", "effect"):
        table.add_column(name)
    for name in ("at most", "better", "worse", "mean", "median"):
        table.add_column(name, justify="right")
    for one in plan.effects:
        if (stop := one.stop) is not None:
            counts = [f"{round(each):,}" for each in (stop.mean, stop.median)]
            shares = [f"{share:.0%}" for share in (stop.better, stop.worse)]
            name = one.effect.condition
            table.add_row(name, _label(one), f"{stop.most:,}", *shares, *counts)
    return table


def _expense_table(plan: StudyPlan, expenses: Sequence[Expense]) -> Table:
    from rich.table import Table

    enough = _enough_sizes(plan)
    wanted = {row.comparisons for row in plan.effects[0].as_carded.sizes}
    table = Table(box=None, pad_edge=False)
    for name in ("comparisons", "discussions", "calls", "tokens", "cost", "hours"):
        table.add_column(name, justify="right")
    table.add_column("")
    for row in expenses:
        if row.comparisons in wanted | enough.keys():
            table.add_row(
                f"{row.comparisons:,}",
                f"{row.discussions:,}",
                f"{row.calls:,}",
                f"{row.tokens:,}",
                "unknown" if row.cost_usd is None else f"${row.cost_usd:,.2f}",
                f"{row.hours:,.2f}",
                enough.get(row.comparisons, ""),
            )
    return table


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
    if plan.flawed:
        yield f"Unreadable and refused replies of {', '.join(plan.flawed)} are left out."
    kinds = {one.effect.kind for one in plan.effects}
    worse = [
        one.effect.condition
        for one in plan.effects
        if one.effect.kind == BEST and one.as_carded.sizes[-1].high < 0.0
    ]
    if worse:
        yield f"Worse than the best seat alone in 97.5 % of studies or more: {', '.join(worse)}."
    if GAIN in kinds:
        yield _SEAT_NOTE
    if GAIN in kinds and not plan.votes:
        yield _NO_VOTE


def _curves(effects: list[EffectForecast]) -> Iterator[Series]:
    from peerjudge.reporting.figures import Series

    for one in effects:
        for world, forecast in _worlds(one):
            name = _SHORT_NAMES.get(one.effect.kind, one.effect.condition)
            powers = [row.power for row in forecast.sizes]
            yield Series(
                name=f"{name}, {world}" if world == _UNPULLED else name,
                note=_format_needed(forecast),
                at=[float(row.comparisons) for row in forecast.sizes],
                values=powers,
                low=powers,
                high=powers,
            )
