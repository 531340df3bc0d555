"""The command `answers`: contestants answer questions."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from peerjudge.cli.commands import AsJson, Call, FunctionCommand, Option
from peerjudge.cli.console import configure_logging, count_texts, print_json, print_status, results
from peerjudge.cli.dry_run import build_texts_document, describe_texts
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import CallOptions, DryRun, LogOptions
from peerjudge.cli.tables import say

if TYPE_CHECKING:
    from peerjudge.features.tournaments.answering import Answers

__all__ = ["ANSWERS"]


async def _answers(
    call: Call[Awaitable[Answers]],
    *,
    dry_run: DryRun = False,
    logs: LogOptions = LogOptions(),
    json: AsJson = False,
) -> int:
    """Let contestants answer, or estimate it, and print how many answers there are."""
    from peerjudge.features.tournaments.answering import estimate_answers
    from peerjudge.features.tournaments.describing import (
        build_answers_document,
        list_answer_steps,
        list_parts,
    )
    from peerjudge.features.tournaments.plans import plan_answers

    configure_logging(level=logs.log_level, form=logs.log_format)
    plan = plan_answers(*call.sources, **call.select(plan_answers))
    if dry_run:
        estimate = await estimate_answers(plan, **call.select(estimate_answers))
        if json:
            print_json(build_texts_document(estimate))
        else:
            say(describe_texts(estimate), "No model was called.")
        return 0
    async with cancel_on_signal():
        with count_texts(logs.display, logs=logs.log_format, total=len(plan.tasks)) as shown:
            found = await call.compute({"on_text": shown})
    if json:
        print_json(build_answers_document(found))
    else:
        from peerjudge.reporting.layout import print_parts

        print_parts(list_parts(found), results(), wrap=True)
    for sentence in list_answer_steps(found):
        print_status(sentence)
    if found.complete and not json:
        seats = " ".join(f"--seat {name}={card.name}" for name, card in plan.cards.items())
        say(f"next    peerjudge run tournament --data {found.files['pairs']} {seats}")
    if found.stopped is not None and found.stopped.endswith("limit"):
        return 3
    return 0 if found.complete else 1


ANSWERS = FunctionCommand(
    function="features.tournaments.answering:answers",
    run=_answers,
    groups=(CallOptions,),
    names={"count": "--answers"},
    options={
        "by": Option(
            type=Annotated[tuple[str, ...], Parameter(consume_multiple=True)],
            words="Repeat or list them.",
        ),
    },
)
