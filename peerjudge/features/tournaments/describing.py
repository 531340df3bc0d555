"""Answers of contestants as a table and sentences: how many, what they cost, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from peerjudge.data import to_plain
from peerjudge.features.tournaments.answering import Answers
from peerjudge.marks import mark_controls
from peerjudge.reporting.formats import SIMULATED_ANSWERS
from peerjudge.reporting.layout import Column, build_table
from peerjudge.results.base import Document, Shown
from peerjudge.results.columns import Cells, build_frame
from peerjudge.results.summaries import name_limit
from peerjudge.runs.texts import WritingResult
from peerjudge.shown import money

if TYPE_CHECKING:
    import pandas as pd

_SHOWN_FAILURES = 3
_MESSAGE_LENGTH = 300


def build_df(answers: Answers) -> pd.DataFrame:
    """Return one row per contestant."""
    return build_frame(
        "answers", (cast("Cells", to_plain(contestant)) for contestant in answers.contestants)
    )


def list_parts(answers: Answers) -> Shown:
    """Return the counts by contestant, the files, and what the answers cost."""
    counts = ("answers", "empty", "refused", "cut_off", "failed", "missing")
    table = build_table(
        f"Answers to {answers.questions:,} questions by contestant",
        answers.contestants,
        Column("Contestant", "contestant"),
        *(Column(name.replace("_", " ").capitalize(), name) for name in counts),
        Column("Words", "mean_words", digits=0),
    )
    simulated = any(one.simulated for one in answers.contestants)
    equal = f"; {answers.equal:,} pairs of equal answers are left out" if answers.equal else ""
    return [
        *([SIMULATED_ANSWERS] if simulated else []),
        table,
        f"{len(answers.pairs):,} pairs of answers{equal}",
        _describe_writing(answers.writing),
        *(f"{kind:<7} {file}" for kind, file in answers.files.items()),
    ]


def _describe_writing(written: WritingResult) -> str:
    """Return the calls, tokens and cost of texts in one line."""
    calls = written.calls
    parts = (
        [f"{calls.paid:,} paid calls"]
        if calls.paid or not calls.simulated + calls.unmetered
        else []
    )
    for count, noun in (
        (calls.unmetered, "calls without a count of tokens"),
        (calls.cached, "cached"),
        (calls.simulated, "simulated calls"),
        (written.kept, "kept from before"),
    ):
        parts += [f"{count:,} {noun}"] if count else []
    return ", ".join(
        [*parts, f"{calls.describe_tokens(written.tokens)}, cost: {money(written.cost_usd)}"]
    )


def list_answer_steps(answers: Answers, *, python: bool = False) -> list[str]:
    """Return the causes of failed answers, and how to complete answers that are not complete."""
    again = "run it again" if python else "run the same command"
    failed = answers.writing.failures
    lines = [
        f"failed: {one.task.id}: {one.failure.kind}: "
        f"{mark_controls(one.failure.message[:_MESSAGE_LENGTH])}"
        for one in failed[:_SHOWN_FAILURES]
        if one.failure is not None
    ]
    stopped = answers.stopped
    if stopped == "too many failures":
        return [*lines, f"Stopped: {len(failed):,} answers failed. Fix the cause and {again}."]
    if stopped is not None:
        option = name_limit(stopped, answers.writing.enough or 0.0, python=python)
        lines.append(
            f"Stopped at the {stopped}. Answers are saved; {again} with {option} or higher to resume."
        )
    elif failed:
        lines.append(f"{len(failed):,} answers failed; {again} to retry these only.")
    return lines


def build_answers_document(answers: Answers) -> Document:
    """Return the answers as `peerjudge answers --json` prints them, without their texts."""
    written = answers.writing
    return {
        "questions": answers.questions,
        "seed": answers.seed,
        "contestants": [to_plain(contestant) for contestant in answers.contestants],
        "answers": len(answers.rows),
        "pairs": len(answers.pairs),
        "equal_pairs": answers.equal,
        "files": dict(answers.files),
        "complete": answers.complete,
        "kept": written.kept,
        "calls": to_plain(written.calls),
        "tokens": written.tokens,
        "cost_usd": written.cost_usd,
        "cost_known": written.cost_usd is not None,
        "spent_before": to_plain(written.spent_before),
        "spent_now": to_plain(written.spent_now),
        "limit": to_plain(written.limit),
        "stopped": written.stopped,
        "enough": written.enough,
    }
