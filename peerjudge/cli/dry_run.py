"""Prints what a run would take: calls, tokens and cost, condition by condition and step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerjudge.cli.console import print_json, results

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.runs import Estimate, Part, PartEstimate, Prepared, Step

__all__ = ["print_estimate"]


def print_estimate(prepared: Prepared, *, json: bool) -> None:
    """The plan with its estimate; nobody is called."""
    from peerjudge.runs import estimate

    found = estimate(prepared.plan, prepared.costs)
    if json:
        print_json(_document(prepared, found))
        return
    from rich.table import Table

    table = Table(
        "condition", "protocol", "seats", "options", "discussions", box=None, pad_edge=False
    )
    for part, counted in zip(prepared.plan.parts, found.parts, strict=True):
        options = ", ".join(f"{key}={value}" for key, value in part.condition.options.items())
        seats = ", ".join(seat.reviewer for seat in part.seats)
        table.add_row(
            part.condition.name, part.protocol.name, seats, options, f"{counted.discussions:,}"
        )
    console = results()
    console.print(table)
    console.print()
    console.print(_steps(found))
    console.print(_closing(prepared, found), soft_wrap=True)


def _steps(found: Estimate) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("condition", "task"):
        table.add_column(name)
    for name in ("calls", "shared", "prompt tokens", "reply tokens", "cost"):
        table.add_column(name, justify="right")
    for part in found.parts:
        for step in part.steps:
            table.add_row(
                part.condition,
                f"{step.task} (private)" if step.private else step.task,
                f"{step.calls:,}",
                f"{step.shared:,}",
                f"{step.prompt_tokens:,}",
                f"{step.completion_tokens:,}",
                _usd(step.cost_usd),
            )
    return table


def _closing(prepared: Prepared, found: Estimate) -> str:
    basis = "" if found.sampled == found.comparisons else f" (from {found.sampled} of them)"
    who = "simulated calls" if found.simulated else "calls to pay"
    return (
        f"\n{len(prepared.plan):,} discussions on {found.comparisons:,} comparisons{basis}: at most "
        f"{found.calls:,} {who}, {found.tokens:,} tokens, {_usd(found.cost_usd)}.\n"
        f"Assumed: replies of {found.reply_tokens} tokens, or the seat's max_tokens if that is less; "
        "seats that never agree; nothing stored or kept from earlier runs. "
        "'shared' calls bring the reply of an equal one.\n"
        "Nothing was called."
    )


def _usd(cost: float | None) -> str:
    if cost is None:
        return "cost unknown"
    return f"${cost:,.2f}" if cost >= 1 or cost == 0 else f"${cost:.4f}"


def _document(prepared: Prepared, found: Estimate) -> dict[str, object]:
    return {
        "run": prepared.run_id,
        "discussions": len(prepared.plan),
        "comparisons": found.comparisons,
        "sampled_comparisons": found.sampled,
        "assumed_reply_tokens": found.reply_tokens,
        "simulated": found.simulated,
        "calls": found.calls,
        "tokens": found.tokens,
        "cost_usd": found.cost_usd,
        "cost_known": found.cost_usd is not None,
        "prices": prepared.costs.document(),
        "conditions": [
            _condition(part, counted)
            for part, counted in zip(prepared.plan.parts, found.parts, strict=True)
        ],
    }


def _condition(part: Part, counted: PartEstimate) -> dict[str, object]:
    return {
        "condition": part.condition.name,
        "protocol": part.protocol.name,
        "seats": [seat.reviewer for seat in part.seats],
        "options": part.protocol.settings(),
        "discussions": counted.discussions,
        "steps": [_step(step) for step in counted.steps],
    }


def _step(step: Step) -> dict[str, object]:
    return {
        "task": step.task,
        "private": step.private,
        "calls": step.calls,
        "shared": step.shared,
        "prompt_tokens": step.prompt_tokens,
        "completion_tokens": step.completion_tokens,
        "cost_usd": step.cost_usd,
    }
