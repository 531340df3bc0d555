"""`peerjudge plan`: what a study would show, how large it has to be, and what that takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from peerjudge.cli.console import print_json, results, status

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.plan import EffectOutlook, Outlook, Seen

__all__ = ["plan_command"]


def plan_command(
    experiment: str,
    /,
    *,
    data: str | None = None,
    seed: int | None = None,
    setting: Annotated[tuple[str, ...], Parameter(name=["--setting", "-S"], negative=())] = (),
    comparisons: tuple[int, ...] = (50, 100, 200, 400, 800),
    power: float = 0.8,
    studies: int = 1000,
    stand_in: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    seconds_per_call: float = 5.0,
    max_connections: int = 10,
    json: bool = False,
) -> int:
    """Simulate an experiment before paying for it; nobody is called.

    Shows for every effect that the experiment could find how often studies of several sizes would show
    it, how many comparisons it needs, and what studies of these sizes take at most. Whatever is said
    about discussing is said twice: as the reviewers' cards have it, and with their `truth_pull` at 0,
    because that pull makes every discussion help and is an assumption.

    Parameters
    ----------
    experiment
        A name that `peerjudge list experiments` shows, or the path of a .py file.
    data
        A dataset, NAME or NAME:PATH, instead of the one the experiment declares. Larger sizes take
        its comparisons several times, each time with new difficulty and new errors.
    seed
        The seed of every random choice, instead of the declared one.
    setting
        key=value, as for `run`.
    comparisons
        A size to be simulated; give it again for more.
    power
        The wanted share of studies whose 95 % interval lies above 0.
    studies
        How many studies are simulated at each size.
    stand_in
        CARD=SIMULATED: who stands in for a reviewer that is not simulated; give it for each.
    seconds_per_call
        How long a call is taken to last, for the hours.
    max_connections
        How many calls are taken to be under way at a time, for the hours.
    json
        Print one JSON document.
    """
    from peerjudge.experiment import parse_settings
    from peerjudge.plan import outlook

    status().print(f"{experiment}: simulating; nobody is called")
    found = outlook(
        experiment,
        data=data,
        seed=seed,
        settings=parse_settings(setting),
        sizes=comparisons,
        power=power,
        studies=studies,
        stand_ins=parse_settings(stand_in),
        seconds_per_call=seconds_per_call,
        max_connections=max_connections,
    )
    if json:
        print_json(_document(found))
        return 0
    console = results()
    console.print(f"{found.experiment}, simulated: {found.studies:,} studies of each size")
    console.print()
    console.print(_effects(found))
    console.print(f"\n{_legend(found)}")
    console.print()
    console.print(_expenses(found))
    console.print(_closing(found))
    return 0


def _legend(found: Outlook) -> str:
    said = (
        "A cell is the mean of the effect, then the power: the share of studies whose 95 % interval lies "
        "above 0."
    )
    said += " Needed is 'none' where no size up to 100,000 would do."
    if any(one.without_pull is not None for one in found.effects):
        return f"{said} 'no pull': the same reviewers with truth_pull = 0."
    return said


def _effects(found: Outlook) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("effect")
    table.add_column("")
    for row in found.effects[0].as_carded.sizes:
        table.add_column(f"{row.comparisons:,}", justify="right")
    table.add_column(f"needed for {found.power:.0%}", justify="right")
    for one in found.effects:
        worlds = [("as the cards say", one.as_carded), ("no pull", one.without_pull)]
        for number, (name, seen) in enumerate(worlds):
            if seen is not None:
                label = "" if number else one.effect.name
                world = name if one.without_pull is not None else ""
                table.add_row(label, world, *_cells(seen), _needed(seen))
    return table


def _cells(seen: Seen) -> list[str]:
    return [f"{row.value:+.3f} {row.power:4.0%}" for row in seen.sizes]


def _needed(seen: Seen) -> str:
    size, power = seen.needed.comparisons, seen.needed.power
    if size is None:
        return "none"
    return f"about {size:,}" if power is None else f"{size:,}"


def _expenses(found: Outlook) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("comparisons", "discussions", "calls", "tokens", "cost", "hours"):
        table.add_column(name, justify="right")
    for row in found.expenses:
        table.add_row(
            f"{row.comparisons:,}",
            f"{row.discussions:,}",
            f"{row.calls:,}",
            f"{row.tokens:,}",
            "unknown" if row.cost_usd is None else f"${row.cost_usd:,.2f}",
            f"{row.hours:,.2f}",
        )
    return table


def _closing(found: Outlook) -> str:
    assumed = (
        f"at most, with replies of {found.reply_tokens} tokens, {found.seconds_per_call:g} s a call and "
        f"{found.max_connections} calls at a time; `run --dry-run` says it step by step"
    )
    have = f"the data have {found.comparisons_in_data:,} comparisons"
    lines = [assumed, f"{have}; larger sizes take them several times"]
    if found.stand_ins:
        named = ", ".join(f"{who} as {whom}" for who, whom in found.stand_ins.items())
        lines.append(f"stand-ins: {named}; what they show is theirs, not the models'")
    if found.flawed:
        lines.append(
            f"unreadable and refused replies of {', '.join(found.flawed)} are left out of account"
        )
    return "\n".join(lines)


def _document(found: Outlook) -> dict[str, object]:
    return {
        "experiment": found.experiment,
        "simulated": True,
        "studies": found.studies,
        "power": found.power,
        "comparisons_in_data": found.comparisons_in_data,
        "stand_ins": dict(found.stand_ins),
        "left_out": list(found.flawed),
        "effects": [_effect(one) for one in found.effects],
        "expenses": [
            {
                "comparisons": row.comparisons,
                "discussions": row.discussions,
                "calls": row.calls,
                "tokens": row.tokens,
                "cost_usd": row.cost_usd,
                "hours": row.hours,
            }
            for row in found.expenses
        ],
        "assumed": {
            "reply_tokens": found.reply_tokens,
            "seconds_per_call": found.seconds_per_call,
            "max_connections": found.max_connections,
        },
    }


def _effect(one: EffectOutlook) -> dict[str, object]:
    return {
        "effect": one.effect.kind,
        "condition": one.effect.condition,
        "against": one.effect.against or None,
        "as_carded": _seen(one.as_carded),
        "without_pull": None if one.without_pull is None else _seen(one.without_pull),
    }


def _seen(seen: Seen) -> dict[str, object]:
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
