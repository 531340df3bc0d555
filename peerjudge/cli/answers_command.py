"""`peerjudge answers`: let contestants answer questions, as data for a tournament."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from peerjudge.cli.console import configure_logging, print_json, print_status
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import CallOptions, LogOptions
from peerjudge.cli.progress import count_texts
from peerjudge.cli.tables import say
from peerjudge.cli.tracing import export_spans


async def answers_command(
    questions: str,
    /,
    *,
    by: Annotated[tuple[str, ...], Parameter(consume_multiple=True)],
    out: str | None = None,
    store: str | None = None,
    answers: int = 1,
    limit: int | None = None,
    max_tokens: int = 1024,
    seed: int = 0,
    calls: CallOptions = CallOptions(),
    dry_run: bool = False,
    logs: LogOptions = LogOptions(),
    json: bool = False,
) -> int:
    """Let contestants answer questions; run the same command again to resume.

    Writes pairs.jsonl (every pair of answers by two contestants, for `run --data`) and answers.jsonl (one
    answer per row, for ratings). All contestants get the same prompt, without the role of their cards.
    Answers of simulated cards are invented text with an invented quality.

    Parameters
    ----------
    questions
        A file: .txt with one question per line, .csv or .jsonl with the columns question (or text), id and
        category. Or a dataset NAME or NAME:PATH, whose questions are asked.
    by
        Cards of the contestants, two or more; repeat or list them.
    out
        Folder. By default one under runs/, the same for the same questions and cards.
    store
        Database URL in which the answers are kept, instead of the folder.
    answers
        Number of answers by each contestant to each question.
    limit
        Number of questions.
    max_tokens
        Most tokens of an answer, the same for all contestants; thinking tokens of a card come on top.
    seed
        Seed of simulated contestants, and namespace of cached replies.
    dry_run
        Print the estimated calls, tokens and cost, and call no model.
    json
        Print the counts, files and costs as one JSON document.
    """
    from peerjudge.results.answered import (
        build_answers_document,
        build_estimate_document,
        describe_estimate,
        list_answer_steps,
        list_answers,
    )
    from peerjudge.runs import answer_plans, answering

    configure_logging(level=logs.log_level, form=logs.log_format)
    plan = answer_plans.plan_answers(
        questions, by=by, count=answers, limit=limit, max_tokens=max_tokens, seed=seed
    )
    if dry_run:
        estimate = await answering.estimate_answers(plan, out=out, store=store)
        if json:
            print_json(build_estimate_document(estimate))
        else:
            say(describe_estimate(estimate), "No model was called.")
        return 0
    async with cancel_on_signal():
        with (
            export_spans(),
            count_texts(logs.display, logs=logs.log_format, total=len(plan.tasks)) as shown,
        ):
            found = await answering.answers(
                questions,
                by=by,
                out=out,
                store=store,
                count=answers,
                limit=limit,
                max_tokens=max_tokens,
                seed=seed,
                cache=calls.cache,
                max_connections=calls.connections,
                cost_limit=calls.cost_limit,
                token_limit=calls.token_limit,
                fail_on_error=calls.fail_on_error,
                deadline=calls.deadline,
                on_text=shown,
            )
    if json:
        print_json(build_answers_document(found))
    else:
        from peerjudge.cli.console import results
        from peerjudge.reporting.layout import print_parts

        print_parts(list_answers(found), results(), wrap=True)
    for sentence in list_answer_steps(found):
        print_status(sentence)
    if found.complete and not json:
        seats = " ".join(f"--seat {name}={card.name}" for name, card in plan.cards.items())
        say(f"next    peerjudge run tournament --data {found.files['pairs']} {seats}")
    if found.stopped is not None and found.stopped.endswith("limit"):
        return 3
    return 0 if found.complete else 1
