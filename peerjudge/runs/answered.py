"""First part of a run on questions: its contestants write their answers, and the run counts them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from peerjudge.errors import ExperimentError
from peerjudge.runs.answering import Answers, collect_answers
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.ledger import Spending
from peerjudge.runs.manifest import require_own
from peerjudge.runs.progress import Counting, Observer, TextCounter
from peerjudge.runs.resolve import Prepared
from peerjudge.runs.results import AnswerCounts, CallCounts, RunSummary
from peerjudge.runs.writing import write_texts
from peerjudge.shelf import Shelf


async def write_run_answers(
    prepared: Prepared,
    *,
    place: Place,
    bounds: Bounds,
    shelf: Shelf,
    environ: Mapping[str, str] | None,
    observer: Observer | None,
) -> Answers | None:
    """Write the missing answers into the place of the run; arguments as for `run_prepared`.

    In a folder, the tables of the answers are written as well. Returns `None` for a run on data with
    answers.

    Raises:
        ExperimentError: No pair of answers can be compared, although no limit stopped the writing.
        PeerJudgeError: As for `write_texts`, or the folder holds another run.
    """
    plan = prepared.answers
    if plan is None:
        return None
    folder = place.folder
    if folder is not None:
        require_own(folder, prepared.plan.experiment)
    bounds.require_prices(prepared.costs)
    shown = observer if isinstance(observer, Counting) else None
    on_text = None if shown is None else TextCounter(shown.note, total=len(plan.tasks)).count
    written = await write_texts(
        plan.tasks,
        place=place,
        bounds=bounds,
        seed=plan.seed,
        shelf=shelf,
        environ=environ,
        on_text=on_text,
    )
    answers = collect_answers(plan, written, folder=folder)
    if not answers.pairs and written.stopped is None:
        raise ExperimentError(_explain_no_pairs(answers))
    return answers


def add_answers(summary: RunSummary, written: Answers | None) -> RunSummary:
    """Return the summary of a run with its answers counted: calls, tokens, cost, and what stopped it.

    A run without answers of its own keeps its summary.
    """
    if written is None:
        return summary
    first, texts = written.writing, written.writing.texts
    known = summary.cost_known and first.cost_known
    usd = [summary.cost_usd, first.cost_usd]
    cost = sum(each or 0.0 for each in usd) if known else None
    tokens = summary.tokens + first.tokens
    one, other = summary.calls, first.calls
    return replace(
        summary,
        calls=CallCounts(
            paid=one.paid + other.paid,
            cached=one.cached + other.cached,
            failed=one.failed + other.failed,
            simulated=one.simulated + other.simulated,
            unmetered=one.unmetered + other.unmetered,
        ),
        tokens=tokens,
        cost_usd=cost,
        cost_known=known,
        spent_before=first.spent_before,
        spent_now=Spending(tokens=tokens, usd=cost),
        stopped=first.stopped or summary.stopped,
        enough=first.enough if first.stopped else summary.enough,
        answers=AnswerCounts(
            written=sum(text.text is not None and not text.kept for text in texts),
            kept=first.kept,
            failed=len(first.failures),
            missing=sum(text.text is None and text.failure is None for text in texts),
            pairs=len(written.pairs),
        ),
    )


def _explain_no_pairs(answers: Answers) -> str:
    failed = answers.writing.failures
    if failed and failed[0].failure is not None:
        failure = failed[0].failure
        return (
            f"no question has two answers, because {len(failed):,} of {len(answers.writing.texts):,} calls "
            f"failed; the first: {failed[0].task.card}: {failure.kind}: {failure.message}"
        )
    return "no question has two different answers, so there is nothing to judge; seat other contestants"
