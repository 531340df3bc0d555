"""Tables that the product has not: order, replies and calls by condition; and all tables as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from peerjudge.analysis.conditions import ConditionFindings
from peerjudge.analysis.effort import Spoken
from peerjudge.data import Transcript, Turn
from peerjudge.reporting.formats import MISSING
from peerjudge.reporting.layout import Column, Table, build_table

_CUT = "length"


def build_orders_table(rows: Sequence[ConditionFindings]) -> Table:
    """Return the preference for the first-shown answer and the order consistency by condition."""
    return build_table(
        "Choices of the first-shown answer, and judgements that are the same in both orders, in %",
        rows,
        Column("Condition", "name"),
        Column("First, before", "first_before", "share"),
        Column("First, after", "first_after", "share"),
        Column("Same, before", "consistency_before.rate", "share"),
        Column("Same, after", "consistency_after.rate", "share"),
        Column("Pairs, after", "consistency_after.judged"),
        note="Before: private verdicts; after: conclusions. A judge that ignores the order chooses the "
        "first answer in 50 % and the same answer in 100 %.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replies:
    """Generated replies of one reviewer to one task."""

    reviewer: str
    task: str
    replies: int
    words: float
    cut: int
    asked: int
    unreadable: int


def build_replies_table(transcripts: Iterable[Transcript]) -> Table:
    """Return the replies that were generated, by reviewer and task: their length and readability."""
    held: dict[tuple[str, str], list[Turn]] = {}
    for one in transcripts:
        for turn in one.turns:
            if not turn.utterance.cached:
                key = (one.seat(turn.cue.seat).reviewer, turn.cue.task)
                held.setdefault(key, []).append(turn)
    rows = [_count_replies(*key, turns) for key, turns in held.items()]
    return build_table(
        "Generated replies",
        sorted(rows, key=lambda row: row.reviewer, reverse=True),
        Column("Reviewer", "reviewer"),
        Column("Task", "task"),
        Column("Replies", "replies"),
        ("Words", lambda row: f"{row.words:.0f}"),
        Column("Cut", "cut"),
        ("Unreadable", lambda row: f"{row.unreadable:,}" if row.asked else MISSING),
        names=2,
        note="Words: mean per reply. Cut: at the limit of tokens. Unreadable: of the replies that were to "
        "have a verdict.",
    )


def _count_replies(reviewer: str, task: str, turns: Sequence[Turn]) -> _Replies:
    verdicts = [turn.review.verdict for turn in turns if turn.review.verdict is not None]
    return _Replies(
        reviewer=reviewer,
        task=task,
        replies=len(turns),
        words=sum(len(turn.utterance.text.split()) for turn in turns) / len(turns),
        cut=sum(turn.utterance.finish_reason == _CUT for turn in turns),
        asked=len(verdicts),
        unreadable=sum(not verdict.readable for verdict in verdicts),
    )


def build_calls_table(spoken: Mapping[str, Spoken]) -> Table:
    """Return the calls, tokens and seconds of each reviewer."""
    return build_table(
        "Calls",
        spoken.items(),
        Column("Reviewer", "0"),
        Column("Generated", lambda row: row[1].paid + row[1].simulated),
        Column("Shared", "1.cached"),
        Column("Tokens in", "1.prompt_tokens"),
        Column("Tokens out", "1.completion_tokens"),
        ("Seconds per call", _seconds),
        note="Shared: the reply of an equal earlier call of another condition, at no cost.",
    )


def _seconds(row: tuple[str, Spoken]) -> str:
    return f"{row[1].latency / row[1].paid:.1f}" if row[1].paid else MISSING


def build_conditions_table(manifest: Mapping[str, Any]) -> Table:
    """Return the conditions as the manifest lists them."""
    return build_table(
        "Conditions",
        manifest["conditions"],
        Column("Data", "data"),
        Column("Condition", "name"),
        Column("Protocol", "protocol"),
        ("Seats", lambda row: ", ".join(row["seats"])),
        Column("Leader", "leader"),
        Column("Comparisons", "comparisons"),
        Column("Discussions", "discussions"),
        names=5,
    )


def write_table(table: Table) -> str:
    """Return a table with its title and note as Markdown."""
    rows = [table.headings, *table.rows]
    head, *body = (
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows
    )
    aligned = ["---" if place < table.names else "---:" for place in range(len(table.headings))]
    lines = [f"**{table.title}**", "", head, f"| {' | '.join(aligned)} |", *body]
    return "\n".join([*lines, "", table.note] if table.note else lines)
