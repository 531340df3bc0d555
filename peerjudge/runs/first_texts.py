"""Texts that a run needs before it plays: write them, and count them in its summary."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from peerjudge.data import Experiment
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.estimate import Costs
from peerjudge.runs.ledger import Spending
from peerjudge.runs.manifest import require_own
from peerjudge.runs.progress import Counting, Observer, TextCounter
from peerjudge.runs.results import RunSummary
from peerjudge.runs.written_data import DataPlan, WrittenData
from peerjudge.shelf import Shelf


async def write_data(
    plan: DataPlan | None,
    experiment: Experiment,
    *,
    costs: Costs,
    place: Place,
    bounds: Bounds,
    shelf: Shelf,
    environ: Mapping[str, str] | None,
    observer: Observer | None,
) -> WrittenData | None:
    """Write the missing texts of a run into its place; returns `None` where none are needed.

    Raises:
        PeerJudgeError: As for the plan, or the folder holds another run.
    """
    if plan is None:
        return None
    if place.folder is not None:
        require_own(place.folder, experiment)
    bounds.require_prices(costs)
    shown = observer if isinstance(observer, Counting) else None
    on_text = None if shown is None else TextCounter(shown.note, total=plan.texts).count
    return await plan.write(
        place=place, bounds=bounds, shelf=shelf, environ=environ, on_text=on_text
    )


def add_written(summary: RunSummary, written: WrittenData | None) -> RunSummary:
    """Return the summary of a run with its texts counted: calls, tokens, cost, and what stopped it.

    A run without texts of its own keeps its summary.
    """
    if written is None:
        return summary
    first = written.writing
    known = summary.cost_known and first.cost_usd is not None
    cost = (summary.cost_usd or 0.0) + (first.cost_usd or 0.0) if known else None
    tokens = summary.tokens + first.tokens
    return dataclasses.replace(
        summary,
        calls=summary.calls + first.calls,
        tokens=tokens,
        cost_usd=cost,
        cost_known=known,
        spent_before=first.spent_before,
        spent_now=Spending(tokens=tokens, usd=cost),
        stopped=first.stopped or summary.stopped,
        enough=first.enough if first.stopped else summary.enough,
        answers=written.counts,
    )
