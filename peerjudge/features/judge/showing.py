"""A judgement as a table and sentences: the verdict, the stances before and after, and the cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerjudge.data import Comparison, Outcome, Verdict
from peerjudge.features.judge.judgements import Judgement, JudgementCost
from peerjudge.reporting.formats import MISSING, SIMULATED
from peerjudge.reporting.layout import Table
from peerjudge.results.base import Shown
from peerjudge.results.columns import build_frame
from peerjudge.shown import money

if TYPE_CHECKING:
    import pandas as pd

_WORDS = {
    Outcome.TIE: "tie",
    Outcome.INCONSISTENT: "inconsistent: the orders disagree",
    Outcome.UNREADABLE: "unreadable",
    Outcome.REFUSED: "refused",
}


def build_df(judgement: Judgement) -> pd.DataFrame:
    """Return one row per seat of each discussion."""
    concluded = {transcript.id: transcript.verdict for transcript in judgement.transcripts}
    rows = (
        {
            "discussion": stance.discussion,
            "shown": stance.shown,
            **stance.plain(),
            "concluded": str(concluded[stance.discussion]),
            "verdict": str(judgement.verdict),
        }
        for stance in judgement.stances
    )
    return build_frame("judgement", rows)


def list_parts(judgement: Judgement) -> Shown:
    """Return the verdict, the stances of the seats in each discussion, and the cost."""
    comparison = judgement.comparison
    shown = {transcript.id: transcript for transcript in judgement.transcripts}
    rows = tuple(
        (
            _name_order(stance.shown, comparison),
            f"{stance.reviewer} ({stance.role})",
            _name_stance(stance.before, comparison),
            _name_stance(stance.after, comparison),
            _name_stance(shown[stance.discussion].verdict, comparison),
            stance.discussion[:8],
        )
        for stance in judgement.stances
    )
    table = Table(
        title=f"Verdict: {name_verdict(judgement.verdict, comparison)}",
        headings=("Shown", "Reviewer", "Before", "After", "Discussion", "Id"),
        rows=rows,
        names=2,
    )
    place = f", stored in {judgement.place}" if judgement.place else ""
    return [
        *([SIMULATED] if judgement.simulated else []),
        table,
        f"judged by {judgement.by}{place}",
        describe_cost(judgement.cost),
    ]


def describe_cost(cost: JudgementCost) -> str:
    """Return the calls, tokens and cost in one line."""
    counts = (
        (cost.paid, "paid"),
        (cost.unmetered, "unmetered"),
        (cost.cached, "cached"),
        (cost.simulated, "simulated"),
    )
    calls = ", ".join(f"{count:,} {kind}" for count, kind in counts if count) or "no"
    tokens = "tokens unknown" if cost.unmetered and not cost.tokens else f"{cost.tokens:,} tokens"
    return f"{calls} calls, {tokens}, cost: {money(cost.usd)}"


def name_verdict(verdict: Verdict, comparison: Comparison) -> str:
    """Return the verdict in words; answers are numbered from 1 as they were given."""
    if verdict.choice is None:
        return _WORDS[verdict.outcome]
    answer = comparison.answer(verdict.choice)
    author = f" ({answer.author})" if answer.author else ""
    return f"answer {comparison.shown.index(answer.id) + 1}{author}"


def _name_order(shown: tuple[str, ...], comparison: Comparison) -> str:
    return ", ".join(str(comparison.shown.index(one) + 1) for one in shown)


def _name_stance(verdict: Verdict | None, comparison: Comparison) -> str:
    if verdict is None:
        return MISSING
    if verdict.choice is None:
        return verdict.outcome.value
    return str(comparison.shown.index(verdict.choice) + 1)
