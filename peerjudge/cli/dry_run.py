"""Output of `run --dry-run`: calls, tokens and cost by condition and task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING, cast

from peerjudge.cli.console import print_json, results
from peerjudge.cli.tables import say
from peerjudge.data import add_costs
from peerjudge.reporting.formats import counted
from peerjudge.shown import money

if TYPE_CHECKING:
    from rich.table import Table

    from peerjudge.runs import Estimate, Prepared, WritingEstimate
    from peerjudge.runs.deliveries import Delivery


def print_estimate(
    prepared: Prepared,
    texts: WritingEstimate | None,
    *,
    delivery: Delivery | None = None,
    most_open: int = 1,
    until: str | None = None,
    json: bool,
) -> None:
    """Print the conditions and the estimate of a run; no reviewer is called.

    Args:
        prepared: The run.
        texts: Estimate of the answers that its contestants write first, if they do.
        delivery: What carries the calls of the run; `None` for single calls.
        most_open: Most discussions open at a time.
        until: Rule of an early stop, which looks between blocks of questions.
        json: Print one JSON document.
    """
    from peerjudge.runs import estimate_calls

    cards = prepared.plan.cast
    batched = [] if delivery is None else [name for name in cards if delivery.takes(cards[name])]
    estimate = estimate_calls(prepared.plan, prepared.costs, batched=batched)
    windows = (
        None
        if delivery is None
        else _count_windows(prepared, estimate, most_open, looks=until is not None)
    )
    if json:
        document = _document(prepared, estimate) | _add_texts(estimate, texts)
        print_json(document | ({} if windows is None else {"windows": windows}))
        return
    from rich.table import Table

    names = ("condition", "protocol", "seats", "options", "discussions", "waves")
    table = Table(*names, *(["windows"] if windows else []), box=None, pad_edge=False)
    for part in prepared.plan.parts:
        name = part.condition.name
        options = ", ".join(f"{key}={value}" for key, value in part.condition.options.items())
        seats = ", ".join(seat.reviewer for seat in part.seats)
        counts = [estimate.discussions[name], estimate.waves[name]]
        counts += [estimate.windows[name]] if windows else []
        table.add_row(name, part.protocol.name, seats, options, *(f"{each:,}" for each in counts))
    console = results()
    console.print(table)
    console.print()
    console.print(_steps_table(estimate))
    say(_totals(prepared, estimate))
    if windows:
        most, anew = ("", "") if until is None else ("at most ", ", and anew after each look")
        say(
            f"Batches: {most}{counted(windows, 'window')} after each other, of up to 24 hours each; one for "
            f"each wave of calls{anew}."
        )
    if texts is not None:
        both = _add_texts(estimate, texts)
        say(
            f"{describe_texts(texts)}\nWith the answers: at most {both['calls']:,} calls, "
            f"{both['tokens']:,} tokens, cost: {money(cast('float | None', both['cost_usd']))}."
        )


def _count_windows(prepared: Prepared, estimate: Estimate, most_open: int, *, looks: bool) -> int:
    """Return the windows that a run waits for: discussions that are open together share them.

    With `looks`, those of one block of questions have ended before the next block begins.
    """
    from peerjudge.analysis.stopping import list_looks

    plan = prepared.plan
    questions = len({comparison.question.id for comparison in plan.comparisons})
    ends = (0, *(list_looks(questions) if looks else (questions,)))
    blocks = [-(-len(plan) * (end - start) // questions) for start, end in pairwise(ends)]
    together = sum(-(-block // most_open) for block in blocks)
    return max(estimate.windows.values(), default=0) * together


def _add_texts(estimate: Estimate, texts: WritingEstimate | None) -> dict[str, object]:
    """Return the totals with those of the answers, and the estimate of the answers alone."""
    if texts is None:
        return {}
    cost = add_costs((estimate.cost_usd, texts.cost_usd))
    return {
        "calls": estimate.calls + texts.calls,
        "tokens": estimate.tokens + texts.tokens,
        "cost_usd": cost,
        "cost_known": cost is not None,
        "answers": build_texts_document(texts),
    }


def describe_texts(estimate: WritingEstimate) -> str:
    """Return the estimate of answers in one sentence."""
    kind = "simulated calls" if estimate.simulated else "paid calls"
    kept = f" ({estimate.kept:,} answers are there already)" if estimate.kept else ""
    return (
        f"Answers: at most {estimate.calls:,} {kind}{kept}, {estimate.tokens:,} tokens, cost: "
        f"{money(estimate.cost_usd)}."
    )


def build_texts_document(estimate: WritingEstimate) -> Mapping[str, object]:
    """Return the estimate of answers as plain values."""
    counts = ("calls", "kept", "prompt_tokens", "completion_tokens", "tokens", "cost_usd")
    return {
        **{name: getattr(estimate, name) for name in counts},
        "cost_known": estimate.cost_usd is not None,
        "simulated": estimate.simulated,
    }


def _steps_table(estimate: Estimate) -> Table:
    from rich.table import Table

    people = ["people"] if estimate.people else []
    table = Table("condition", "task", box=None, pad_edge=False)
    for name in ("calls", "shared", *people, "prompt tokens", "reply tokens", "cost"):
        table.add_column(name, justify="right")
    for step in estimate.steps:
        asked = [step.people] if people else []
        counts = [step.calls, step.shared, *asked, step.prompt_tokens, step.completion_tokens]
        table.add_row(
            step.condition,
            f"{step.task} (private)" if step.private else step.task,
            *(f"{count:,}" for count in counts),
            money(step.cost_usd),
        )
    return table


def _totals(prepared: Prepared, estimate: Estimate) -> str:
    sampled = estimate.sampled
    basis = "" if sampled == estimate.comparisons else f" (estimated from {sampled} of them)"
    kind = "simulated calls" if estimate.simulated else "paid calls"
    second = prepared.plan.experiment.reread
    reread = f" {second} rereads each verdict of a real model;" if second else ""
    people = f", {estimate.people:,} answers of people" if estimate.people else ""
    return (
        f"\n{len(prepared.plan):,} discussions on {estimate.comparisons:,} comparisons{basis}: at "
        f"most {estimate.calls:,} {kind}{people}, {estimate.tokens:,} tokens, cost: "
        f"{money(estimate.cost_usd)}.\n"
        f"{_describe_asks(estimate)}"
        f"Assumptions: replies of {estimate.reply_tokens} tokens, or the seat's max_tokens if that "
        f"is less; seats never agree;{reread} no stored or cached replies. "
        "'shared' calls reuse the reply of an equal call.\n"
        "No model was called."
    )


def _describe_asks(estimate: Estimate) -> str:
    """Return the line about questions for a choice; empty where no reply can be followed by one."""
    calls = sum(step.calls - step.shared for step in estimate.asks)
    if not calls:
        return ""
    tokens = sum(step.prompt_tokens + step.completion_tokens for step in estimate.asks)
    cost = add_costs(step.cost_usd for step in estimate.asks)
    return (
        f"In addition at most {calls:,} calls, {tokens:,} tokens, cost: {money(cost)}, if every reply "
        "named no choice and its reviewer were asked (reask=0 turns this off).\n"
    )


def _document(prepared: Prepared, estimate: Estimate) -> dict[str, object]:
    return {
        "run": prepared.run_id,
        "discussions": len(prepared.plan),
        "comparisons": estimate.comparisons,
        "sampled_comparisons": estimate.sampled,
        "assumed_reply_tokens": estimate.reply_tokens,
        "simulated": estimate.simulated,
        "calls": estimate.calls,
        "people": estimate.people,
        "tokens": estimate.tokens,
        "cost_usd": estimate.cost_usd,
        "cost_known": estimate.cost_usd is not None,
        "prices": prepared.costs.document(),
        "notes": [*prepared.notes, *prepared.remarks],
        "conditions": [
            {
                "condition": part.condition.name,
                "protocol": part.protocol.name,
                "seats": [seat.reviewer for seat in part.seats],
                "options": part.protocol.settings(),
                "discussions": estimate.discussions[part.condition.name],
                "waves": estimate.waves[part.condition.name],
                "windows": estimate.windows[part.condition.name],
                "steps": [
                    {key: value for key, value in asdict(step).items() if key != "condition"}
                    for step in estimate.steps
                    if step.condition == part.condition.name
                ],
            }
            for part in prepared.plan.parts
        ],
    }
