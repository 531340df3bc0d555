"""A simulated plan as tables, as figures of power, and as one document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from peerjudge.cli.console import results
from peerjudge.power import GAIN, LEADER, METHOD, VOTE, EffectOutlook, Expense, Outlook, Seen

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.reporting.drawing import Figure
    from peerjudge.reporting.figures import Series

__all__ = ["plan_document", "plan_figures", "print_plan"]

_CARDED, _STILL = "as carded", "no pull"
_SHORT = {GAIN: "private", VOTE: "vote", LEADER: "leader"}
_LEGEND = (
    "mean: how large the effect is on average. Then, by number of comparisons, its power: the share of "
    "studies whose 95 % interval lies above 0. needed: the fewest comparisons, from 20, that give the "
    "wanted power; ~ is computed, not simulated; none: no 100,000 would do, or there is no effect."
)
_PULLS = (
    f"{_CARDED}: a right argument pulls as the cards say (truth_pull). {_STILL}: it does not. The pull "
    "was fitted to published figures and is an assumption: trust what both rows show."
)
_EXPECTED = "What it takes where discussions end as early as the simulated ones, as carded"
_NO_VOTE = (
    "no condition is a vote, so whether discussing beats voting cannot be told; add one with "
    "protocol='vote' and the same seats"
)


def print_plan(found: Outlook) -> None:
    """Power by effect, then what studies of these sizes take, then what was assumed."""
    console = results()
    console.print(
        f"{found.experiment} (simulated): {found.studies:,} studies of each size", style="bold"
    )
    for group, effects in _grouped(found).items():
        title = group if effects[0].effect.discussed else f"against {group}"
        console.print(f"\n{title}", style="bold", markup=False)
        console.print(_power_table(effects, found.power))
    console.print(f"\n{_LEGEND}")
    if any(one.without_pull is not None for one in found.effects):
        console.print(_PULLS)
    console.print("\nWhat it takes at most", style="bold")
    console.print(_expense_table(found, found.expenses))
    if found.expected:
        console.print(f"\n{_EXPECTED}", style="bold")
        console.print(_expense_table(found, found.expected))
    for line in _closing(found):
        console.print(line, markup=False)


def plan_figures(found: Outlook) -> Mapping[str, Figure]:
    """For every discussion, and every judge of several methods, the power of its effects by size."""
    from peerjudge.reporting.drawing import Figure
    from peerjudge.reporting.figures import line_figure

    figures = [
        Figure(
            id=f"power-{number}",
            description=f"Power by the number of comparisons: {group}",
            drawing=line_figure(
                list(_curves(effects)),
                across="comparisons",
                up=f"power; at the right, the comparisons needed for {found.power:.0%}",
            ),
        )
        for number, (group, effects) in enumerate(_grouped(found).items(), 1)
    ]
    return {figure.id: figure for figure in figures}


def plan_document(found: Outlook) -> dict[str, object]:
    """Everything as plain values."""
    return {
        "experiment": found.experiment,
        "simulated": True,
        "studies": found.studies,
        "power": found.power,
        "comparisons_in_data": found.comparisons_in_data,
        "stand_ins": dict(found.stand_ins),
        "left_out": list(found.flawed),
        "unpriced": list(found.unpriced),
        "effects": [
            {
                "effect": one.effect.kind,
                "condition": one.effect.condition,
                "against": one.effect.against or None,
                "same_reviewers": one.effect.same_reviewers,
                "as_carded": _seen_document(one.as_carded),
                "without_pull": None
                if one.without_pull is None
                else _seen_document(one.without_pull),
            }
            for one in found.effects
        ],
        "expenses": [_expense_document(row) for row in found.expenses],
        "expected": [_expense_document(row) for row in found.expected],
        "assumed": {
            "reply_tokens": found.reply_tokens,
            "seconds_per_call": found.seconds_per_call,
            "max_connections": found.max_connections,
        },
    }


def _expense_document(row: Expense) -> dict[str, object]:
    return {
        "comparisons": row.comparisons,
        "discussions": row.discussions,
        "calls": row.calls,
        "tokens": row.tokens,
        "cost_usd": row.cost_usd,
        "hours": row.hours,
    }


def _seen_document(seen: Seen) -> dict[str, object]:
    return {
        "sizes": [
            {
                "comparisons": row.comparisons,
                "value": row.value,
                "low": row.low,
                "high": row.high,
                "power": row.power,
            }
            for row in seen.sizes
        ],
        "needed": seen.needed.comparisons,
        "power_at_needed": seen.needed.power,
    }


def _grouped(found: Outlook) -> dict[str, list[EffectOutlook]]:
    groups: dict[str, list[EffectOutlook]] = {}
    for one in found.effects:
        groups.setdefault(one.effect.group, []).append(one)
    return groups


def _worlds(one: EffectOutlook) -> Iterator[tuple[str, Seen]]:
    """Side by side where there are two."""
    yield _CARDED if one.without_pull else "", one.as_carded
    if one.without_pull is not None:
        yield _STILL, one.without_pull


def _label(one: EffectOutlook) -> str:
    kind, effect = one.effect.kind, one.effect
    if kind == METHOD:
        return effect.condition
    if kind == VOTE:
        return f"against {effect.against}" + ("" if effect.same_reviewers else ", of others")
    return kind.removeprefix("discussion ")


def _power_table(effects: list[EffectOutlook], wanted: float) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("effect", width=38)
    table.add_column("", width=9)
    table.add_column("mean", justify="right", width=6)
    for row in effects[0].as_carded.sizes:
        table.add_column(f"{row.comparisons:,}", justify="right", width=6)
    table.add_column(f"needed ({wanted:.0%})", justify="right", width=12)
    for one in effects:
        for number, (world, seen) in enumerate(_worlds(one)):
            table.add_row(
                "" if number else _label(one),
                world,
                f"{seen.sizes[-1].value:+.3f}",
                *(f"{row.power:.0%}" for row in seen.sizes),
                _needed(seen),
            )
    return table


def _needed(seen: Seen) -> str:
    size, power = seen.needed.comparisons, seen.needed.power
    if size is None:
        return "none"
    return f"~{size:,}" if power is None else f"{size:,}"


def _enough(found: Outlook) -> dict[int, str]:
    """Which sizes are enough for every effect that can be shown, in either world."""
    sizes: dict[int, str] = {}
    apart = any(one.without_pull is not None for one in found.effects)
    for world in (_CARDED, _STILL) if apart else (_CARDED,):
        seen = [
            one.as_carded if world == _CARDED else one.without_pull or one.as_carded
            for one in found.effects
        ]
        needed = [one.needed.comparisons for one in seen if one.needed.comparisons is not None]
        if needed:
            said = "enough for every effect found"
            sizes.setdefault(max(needed), f"{said}, {world}" if apart else said)
    return sizes


def _expense_table(found: Outlook, expenses: Sequence[Expense]) -> Table:
    from rich.table import Table

    enough = _enough(found)
    asked = {row.comparisons for row in found.effects[0].as_carded.sizes}
    table = Table(box=None, pad_edge=False)
    for name in ("comparisons", "discussions", "calls", "tokens", "cost", "hours"):
        table.add_column(name, justify="right")
    table.add_column("")
    for row in expenses:
        if row.comparisons in asked | enough.keys():
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


def _closing(found: Outlook) -> Iterator[str]:
    yield (
        f"with replies of {found.reply_tokens} tokens, {found.seconds_per_call:g} s a call and "
        f"{found.max_connections} calls at a time; `run --dry-run` says it step by step"
    )
    if all(row.cost_usd == 0 for row in found.expenses):
        yield "simulated reviewers cost nothing: seat model cards, with --stand-in, to see a price"
    if found.unpriced:
        named = ", ".join(found.unpriced)
        yield f"nobody knows what {named} costs; prices.toml can say it (USD per million tokens)"
    yield f"the data have {found.comparisons_in_data:,} comparisons; larger sizes take them again"
    if found.stand_ins:
        named = ", ".join(f"{who} as {whom}" for who, whom in found.stand_ins.items())
        yield f"stand-ins: {named}; what they show is theirs, not the models'"
    if found.flawed:
        yield f"unreadable and refused replies of {', '.join(found.flawed)} are left out of account"
    kinds = {one.effect.kind for one in found.effects}
    if GAIN in kinds and not found.votes:
        yield _NO_VOTE


def _curves(effects: list[EffectOutlook]) -> Iterator[Series]:
    from peerjudge.reporting.figures import Series

    for one in effects:
        for world, seen in _worlds(one):
            name = _SHORT.get(one.effect.kind, one.effect.condition)
            powers = [row.power for row in seen.sizes]
            yield Series(
                name=f"{name}, {world}" if world == _STILL else name,
                note=_needed(seen),
                at=[float(row.comparisons) for row in seen.sizes],
                values=powers,
                low=powers,
                high=powers,
            )
