"""Summary of a run: what it cost, where it is, what failed, and what to do next."""

from __future__ import annotations

import shlex
from math import ceil
from typing import TYPE_CHECKING

from peerjudge.marks import mark_controls
from peerjudge.reporting.layout import Table
from peerjudge.results.base import Shown
from peerjudge.results.columns import build_frame
from peerjudge.results.contrasts import describe_decision
from peerjudge.runs.ledger import Spending
from peerjudge.runs.results import DETACHED, WAITING, FailureCount, RunSummary
from peerjudge.shown import money
from peerjudge.store import UncertainCalls

if TYPE_CHECKING:
    import pandas as pd

_SHOWN_FAILURES = 5
"""Kinds of failures that are listed."""
_MESSAGE_LENGTH = 300
"""Most characters of an error message that are shown."""


def build_df(summary: RunSummary) -> pd.DataFrame:
    """Return one row with the counts of the run."""
    discussions, calls = summary.discussions, summary.calls
    row = {
        "run": summary.run,
        "place": summary.folder or summary.store,
        "done": discussions.done,
        "skipped": discussions.skipped,
        "failed": discussions.failed,
        "waiting": discussions.waiting,
        "paid": calls.paid,
        "cached": calls.cached,
        "simulated": calls.simulated,
        "unmetered": calls.unmetered,
        "tokens": summary.tokens,
        "cost_usd": summary.cost_usd,
        "stopped": summary.stopped,
    }
    return build_frame("run", [row])


def describe_spending(summary: RunSummary) -> str:
    """Return the calls, tokens and cost of the run in one line."""
    calls = summary.calls
    if calls.simulated and not calls.paid + calls.cached + calls.unmetered:
        return f"{calls.simulated:,} simulated calls, {summary.tokens:,} tokens, cost: $0.00"
    counts = (
        (calls.unmetered, "calls without a count of tokens"),
        (calls.cached, "cached"),
        (calls.simulated, "simulated"),
    )
    parts = [f"{calls.paid:,} paid calls"] if calls.paid or not calls.unmetered else []
    parts += [f"{count:,} {noun}" for count, noun in counts if count]
    thinking = summary.thinking_tokens
    tokens = calls.describe_tokens(summary.tokens) + (
        f" ({thinking:,} thinking)" if thinking else ""
    )
    return ", ".join([*parts, tokens, f"cost: {money(summary.cost_usd)}"])


def describe_place(summary: RunSummary) -> list[str]:
    """Return what the place has spent in all, if that is more than this run or limited."""
    lines: list[str] = []
    if (texts := summary.answers) is not None:
        counts = {
            "written": texts.written,
            "kept from before": texts.kept,
            "failed": texts.failed,
            "left out": texts.missing,
        }
        named = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
        lines.append(f"answers: {named}; {texts.pairs:,} pairs")
    limited = (summary.limit.tokens, summary.limit.usd) != (None, None)
    if limited or summary.spent_before.tokens or summary.spent_before.usd is None:
        spent = (
            f"spent here: {_describe_spent(summary.spent_before)} before, "
            f"{_describe_spent(summary.spent_now)} now"
        )
        lines.append(f"{spent}; limit: {_describe_amount(summary.limit)}" if limited else spent)
    if summary.uncertain.calls:
        lines.append(f"included: {describe_uncertain(summary.uncertain)}")
    if (asked := summary.asked).replies:
        lines.append(
            f"asked: {asked.replies:,} replies were followed by the question for a choice; "
            f"{asked.verdicts:,} named one"
        )
    if (second := summary.reread).replies:
        lines.append(
            f"reread: {second.replies:,} replies without a readable verdict; {second.verdicts:,} verdicts "
            "found, which make no opinion events"
        )
    return lines


def describe_uncertain(lost: UncertainCalls) -> str:
    """Return the estimate of calls whose bill is unknown."""
    cost = "an unknown cost" if lost.usd is None else money(lost.usd)
    calls = "1 call" if lost.calls == 1 else f"{lost.calls:,} calls"
    return (
        f"up to {cost} estimated for {calls} whose bill is unknown, as no whole reply arrived "
        f"({lost.tokens:,} tokens)"
    )


def list_next_steps(summary: RunSummary, *, python: bool = False) -> list[str]:
    """Return the causes of lost replies, and how to complete a run that is not complete.

    Args:
        summary: The summary.
        python: Name the arguments of `run` and not the options of the command line.
    """
    again = "run it again" if python else "run the same command"
    causes = [*_list_lost_replies(summary, again), *_list_failures(summary, python=python)]
    if summary.answers is not None and summary.answers.failed:
        causes.append(
            f"{summary.answers.failed:,} answers failed, and their pairs are left out; {again} to retry them."
        )
    return [*causes, *_describe_stop(summary, again, python=python)]


def list_parts(summary: RunSummary) -> Shown:
    """Return what a notebook shows of a run."""
    steps = list_next_steps(summary, python=True)
    if not steps:
        steps = ["Next: pj.score(summary) and pj.report(summary)."]
    decision = summary.decision
    decided = [] if decision is None else [describe_decision(decision)]
    return [_count(summary), *decided, *describe_place(summary), *steps]


def _count(summary: RunSummary) -> Table:
    discussions, calls = summary.discussions, summary.calls
    counts = {
        "discussions completed": discussions.done,
        "discussions already complete": discussions.skipped,
        "discussions failed": discussions.failed,
        "discussions waiting for people": discussions.waiting,
        "paid calls": calls.paid,
        "calls without a count of tokens": calls.unmetered,
        "cached calls": calls.cached,
        "simulated calls": calls.simulated,
        "tokens": summary.tokens,
        "thinking tokens": summary.thinking_tokens,
    }
    always = {"discussions completed", "discussions failed"}
    if summary.tokens or not calls.unmetered:
        always.add("tokens")
    rows = [(name, f"{n:,}") for name, n in counts.items() if n or name in always]
    return Table(
        title=f"Run in {summary.folder or summary.store}",
        headings=("", "this run"),
        rows=(*rows, ("cost", money(summary.cost_usd))),
    )


def _describe_spent(spent: Spending) -> str:
    if spent.usd is not None:
        return _describe_amount(spent)
    return f"{spent.tokens:,} tokens, cost unknown" if spent.tokens else "an unknown amount"


def _describe_amount(spent: Spending) -> str:
    parts = [] if spent.tokens is None else [f"{spent.tokens:,} tokens"]
    parts += [money(spent.usd)] if spent.usd else []
    return ", ".join(parts)


def _list_lost_replies(summary: RunSummary, again: str) -> list[str]:
    lines: list[str] = []
    for each in summary.cut_off:
        limit = (
            "the server's limit" if each.max_tokens is None else f"max_tokens = {each.max_tokens}"
        )
        lines.append(
            f"{each.count:,} replies of {each.reviewer} were cut off before their verdict, at {limit}: "
            f"raise max_tokens under [sampling] of its card."
        )
    if lost := summary.asked.failed:
        lines.append(
            f"{lost:,} replies stay unreadable, as the calls to ask for a choice failed; {again} to repeat "
            "these calls."
        )
    if lost := summary.reread.failed:
        lines.append(
            f"{lost:,} replies stay unreadable, as the calls to reread them failed; {again} to repeat "
            "these calls."
        )
    return lines


def _list_failures(summary: RunSummary, *, python: bool) -> list[str]:
    shown = summary.failures[:_SHOWN_FAILURES]
    lines = [_describe_failure(each) for each in shown]
    if (others := summary.discussions.failed - sum(each.count for each in shown)) > 0:
        listing = "summary.failures" if python else "--json"
        lines.append(f"{others:,} failed for other reasons; {listing} lists all of them.")
    return lines


def _describe_failure(failure: FailureCount) -> str:
    text = mark_controls(failure.message[:_MESSAGE_LENGTH])
    return f"{failure.count:,} failed: {failure.reviewer}, {failure.kind}: {text}"


def name_limit(stopped: str, enough: float, *, python: bool) -> str:
    """Return the argument or option of a limit with a value that is enough to resume."""
    needed = f"{ceil(enough * 100) / 100:.2f}" if stopped == "cost limit" else f"{ceil(enough)}"
    if python:
        return f"{stopped.replace(' ', '_')}={needed}"
    return f"--{stopped.replace(' ', '-')} {needed}"


def _describe_stop(summary: RunSummary, again: str, *, python: bool) -> list[str]:
    failed, stopped = summary.discussions.failed, summary.stopped
    if stopped == "too many failures":
        return [
            f"Stopped: too many failures ({failed} discussions). Fix the cause and {again} to resume."
        ]
    if stopped is not None and stopped.endswith("limit"):
        option = name_limit(stopped, summary.enough or 0.0, python=python)
        sentence = (
            f"Stopped at the {stopped}: the next discussion could exceed it. Progress is saved; {again} "
            f"with {option} or higher to resume."
        )
        if not summary.uncertain.calls:
            return [sentence]
        place = shlex.quote(summary.folder or summary.store)
        settle = (
            "If the provider does not bill the calls whose bill is unknown, "
            f"`peerjudge doctor {place} --settle-lost` takes them off the amount spent."
        )
        return [sentence, settle]
    if stopped == DETACHED:
        sentence = (
            "The provider works on the batches of this run. Progress is saved; "
            f"{again} later to collect them and go on."
        )
        return [sentence]
    if stopped == WAITING:
        waiting = summary.discussions.waiting
        place = shlex.quote(summary.folder or summary.store)
        sentence = (
            f"{waiting:,} {'discussion waits' if waiting == 1 else 'discussions wait'} for people. "
            f"Answer with `peerjudge annotate {place}` (--browser: in forms), then {again} to go on."
        )
        return [sentence]
    if failed:
        words = "Run it again" if python else "Run the same command again"
        return [f"{words} to retry the failed discussions only."]
    return []
