"""Table of a run with a real model: one row per condition, as text and as a JSON document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import nan

import numpy as np

from peerjudge.analysis import Accuracy, collect_transcripts, measure_position
from peerjudge.analysis.ballots import Ballots
from peerjudge.analysis.scoring import score_ballots
from peerjudge.data import PromptPack, StopReason, Transcript
from peerjudge.reporting.formats import MISSING, counted
from peerjudge.reporting.layout import Column, Table, build_table
from tools.realmodel.replies import Reply, measure_replies

NOTE = (
    "Counts are x/n. readable: of the verdicts and ratings asked for; right: of the readable "
    "conclusions; margin: mean probability of the right answer, from log-odds averaged over the "
    "orders (number of judgements), 0.5 is chance between two; same: of the comparisons concluded in "
    "both orders; first: of the final choices, those of the answer shown first; tokens: means per "
    "call; cut, fences, rules: of the replies, those cut at the token limit, with the lines around "
    "quoted material, with eight words in a row of the prompt pack; seconds: mean of the calls that "
    "were not cached."
)


@dataclass(frozen=True, slots=True)
class Share:
    """A count of `n`."""

    count: int
    n: int

    def __str__(self) -> str:
        return f"{self.count}/{self.n}" if self.n else MISSING


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of `n` values; NaN without any."""

    value: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The results of one condition."""

    condition: str
    protocol: str
    pack: str
    discussions: int
    failed: int
    calls: int
    readable: Share
    right: Share
    margin: Mean
    same: Share
    first: Share
    prompt_tokens: Mean
    completion_tokens: Mean
    cut: Share
    fences: Share
    rules: Share
    seconds: Mean


def build_rows(
    transcripts: Sequence[Transcript], packs: Mapping[str, PromptPack]
) -> tuple[Row, ...]:
    """Return one row per condition, in the order of their names.

    Args:
        transcripts: Discussions, complete or not.
        packs: The prompt packs of the discussions by name.
    """
    ballots = collect_transcripts(transcripts)
    cells = _score_conditions(ballots)
    by_condition: dict[str, list[Transcript]] = {}
    for transcript in transcripts:
        by_condition.setdefault(transcript.condition, []).append(transcript)
    return tuple(
        _build_row(held, packs, cells.get(name), _share_first(ballots, name))
        for name, held in sorted(by_condition.items())
    )


def build_text_table(rows: Iterable[Row], *, title: str) -> Table:
    """Return the rows as a table for the terminal."""
    return build_table(
        title,
        rows,
        Column("protocol", "protocol"),
        Column("prompt pack", "pack"),
        ("calls", lambda row: str(row.calls)),
        ("readable", lambda row: str(row.readable)),
        ("right", lambda row: str(row.right)),
        ("margin", lambda row: _format_with_n(row.margin)),
        ("same", lambda row: str(row.same)),
        ("first", lambda row: str(row.first)),
        ("tokens in", lambda row: _format(row.prompt_tokens, 0)),
        ("tokens out", lambda row: _format(row.completion_tokens, 0)),
        ("cut", lambda row: str(row.cut)),
        ("fences", lambda row: str(row.fences)),
        ("rules", lambda row: str(row.rules)),
        ("seconds", lambda row: _format(row.seconds, 1)),
        ("failed", lambda row: str(row.failed) if row.failed else MISSING),
        names=2,
        note=NOTE,
    )


def build_document(rows: Iterable[Row], *, model: str) -> Mapping[str, object]:
    """Return the rows as plain values for JSON; shares are counts with their `n`."""
    return {"model": model, "rows": [asdict(row) for row in rows]}


def describe_total(rows: Sequence[Row]) -> str:
    """Return a sentence about all conditions together."""
    calls = sum(row.calls for row in rows)
    readable = sum(row.readable.count for row in rows)
    asked = sum(row.readable.n for row in rows)
    return (
        f"{counted(len(rows), 'condition')}, {counted(calls, 'call')}; "
        f"{readable} of {asked} verdicts and ratings are readable."
    )


def _score_conditions(ballots: Ballots) -> dict[str, Accuracy]:
    """Return the scores of the conclusions by condition."""
    if not ballots.discussions.complete.any():
        return {}
    scores = score_ballots(ballots).scores
    return {one.judge.condition: one.total for one in scores if one.judge.stance == "concluded"}


def _share_first(ballots: Ballots, condition: str) -> Share:
    facts = ballots.discussions
    here = facts.condition == facts.conditions.index(condition)
    positions = measure_position(ballots.of_discussions(np.asarray(here)).of_stance("final"))
    first = sum(one.first for one in positions)
    return Share(first, first + sum(one.second for one in positions))


def _build_row(
    transcripts: Sequence[Transcript],
    packs: Mapping[str, PromptPack],
    cell: Accuracy | None,
    first: Share,
) -> Row:
    head = transcripts[0]
    replies = [
        reply for each in transcripts for reply in measure_replies(each, packs[each.prompts])
    ]
    settled = cell.consistency if cell else None
    margin = cell.margin.measured if cell and cell.margin else None
    return Row(
        condition=head.condition,
        protocol=head.protocol,
        pack=head.prompts,
        discussions=len(transcripts),
        failed=sum(each.stop is StopReason.FAILED for each in transcripts),
        calls=len(replies),
        readable=Share(
            sum(reply.readable is True for reply in replies),
            sum(reply.readable is not None for reply in replies),
        ),
        right=Share(cell.right, cell.accuracy.n) if cell else Share(0, 0),
        margin=Mean(margin.value, margin.n) if margin else Mean(nan, 0),
        same=Share(settled.same, settled.same + settled.inconsistent) if settled else Share(0, 0),
        first=first,
        prompt_tokens=_mean(reply.prompt_tokens for reply in replies),
        completion_tokens=_mean(reply.completion_tokens for reply in replies),
        cut=_count(replies, lambda reply: reply.cut),
        fences=_count(replies, lambda reply: reply.echoes_fence),
        rules=_count(replies, lambda reply: reply.echoes_rules),
        seconds=_mean(reply.seconds for reply in replies if reply.seconds is not None),
    )


def _count(replies: Sequence[Reply], holds: Callable[[Reply], bool]) -> Share:
    return Share(sum(map(holds, replies)), len(replies))


def _mean(values: Iterable[float]) -> Mean:
    held = list(values)
    return Mean(sum(held) / len(held) if held else nan, len(held))


def _format(mean: Mean, digits: int) -> str:
    return f"{mean.value:.{digits}f}" if mean.n else MISSING


def _format_with_n(mean: Mean) -> str:
    return f"{mean.value:.2f} ({mean.n})" if mean.n else MISSING
