"""`peerjudge export`: the discussions of a run in a form that other tools read."""

from __future__ import annotations

import csv
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from peerjudge.cli.export_frames import Frame, opened_for, write_frame
from peerjudge.errors import DataError

if TYPE_CHECKING:
    from peerjudge.data import Transcript

__all__ = ["TURN_COLUMNS", "export_command"]

Format = Literal["jsonl", "csv", "parquet", "arena", "alpaca-eval", "mt-bench"]

TURN_COLUMNS = (
    "discussion",
    "condition",
    "protocol",
    "comparison",
    "question",
    "category",
    "subset",
    "shown",
    "gold",
    "repetition",
    "turn",
    "seat",
    "reviewer",
    "role",
    "temperature",
    "task",
    "private",
    "outcome",
    "choice",
    "score",
    "rule",
    "concluded",
    "stop",
    "prompt_tokens",
    "completion_tokens",
    "latency",
    "cached",
    "simulated",
    "text",
)


async def export_command(
    run: str,
    /,
    *,
    format: Format,  # noqa: A002
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    frame: Frame | None = None,
    stance: Literal["private", "final"] = "final",
) -> int:
    """Write the discussions of a run.

    `jsonl` has one whole discussion per line, in PeerJudge's versioned form, which `peerjudge.data`
    reads back. `csv` has one turn per row, with its text. `parquet` has a frame, and so has `csv`
    with --frame. `arena` and `mt-bench` are JSON lines and `alpaca-eval` is a JSON list, in which
    every reviewer's stance on two answers is one row, or with its stance in the other order one.

    Parameters
    ----------
    run
        A run folder or a store URL.
    format
        The form to write.
    output
        The file to write; standard output when left out.
    frame
        Which frame: one row per turn, discussion, call, event, battle or weight; without texts.
        `parquet` has the turns when left out.
    stance
        Of battles, weights and other tools' forms: the verdicts that reviewers came with, or those
        they left with.
    """
    if frame is not None and format not in {"csv", "parquet"}:
        msg = f"a frame is a table: write it as csv or parquet, not {format}"
        raise DataError(msg)
    if format == "parquet" or (format == "csv" and frame is not None):
        write_frame(run, frame or "turns", form=format, output=output, stance=stance)
        return 0
    from peerjudge.runs import open_run

    # The run is opened first: a misspelt name must not empty a file.
    async with open_run(run) as opened:
        with opened_for(output) as file:
            if format == "jsonl":
                await _write_jsonl(opened.transcripts(), file)
            elif format == "csv":
                await _write_csv(opened.transcripts(), file)
            else:
                await _write_exchange(opened.transcripts(), file, format, stance)
    return 0


async def _write_exchange(
    transcripts: AsyncIterator[Transcript],
    file: IO[str],
    form: Format,
    stance: Literal["private", "final"],
) -> None:
    from peerjudge.analysis.exchange import alpaca_eval_rows, arena_rows, mt_bench_rows

    if form == "mt-bench":
        # Both orders of a match have to be there before it can be written.
        async for together in _by_comparison(transcripts):
            for row in mt_bench_rows(together, stance=stance):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return
    written = 0
    async for transcript in transcripts:
        rows = arena_rows if form == "arena" else alpaca_eval_rows
        for row in rows([transcript], stance=stance):
            line = json.dumps(row, ensure_ascii=False)
            file.write(f"{line}\n" if form == "arena" else f"{',' if written else '['}\n{line}")
            written += 1
    if form == "alpaca-eval":
        file.write("\n]\n" if written else "[]\n")


async def _by_comparison(
    transcripts: AsyncIterator[Transcript],
) -> AsyncIterator[list[Transcript]]:
    """The discussions of each condition and comparison, which come one after the other."""
    together: list[Transcript] = []
    async for one in transcripts:
        last = together[-1] if together else one
        if (one.condition, one.comparison.id) != (last.condition, last.comparison.id):
            yield together
            together = []
        together.append(one)
    yield together


async def _write_jsonl(transcripts: AsyncIterator[Transcript], file: IO[str]) -> None:
    from peerjudge.data import to_json

    async for transcript in transcripts:
        file.write(to_json(transcript) + "\n")


async def _write_csv(transcripts: AsyncIterator[Transcript], file: IO[str]) -> None:
    writer = csv.writer(file)
    writer.writerow(TURN_COLUMNS)
    async for transcript in transcripts:
        writer.writerows(_turn_rows(transcript))


def _turn_rows(transcript: Transcript) -> list[list[object]]:
    comparison = transcript.comparison
    head = [
        transcript.id,
        transcript.condition,
        transcript.protocol,
        comparison.id,
        comparison.question.text,
        comparison.question.category,
        comparison.subset,
        " ".join(comparison.shown),
        comparison.gold,
        transcript.repetition,
    ]
    tail = [transcript.verdict, transcript.stop]
    rows: list[list[object]] = []
    for turn in transcript.turns:
        seat = transcript.seat(turn.cue.seat)
        verdict, said = turn.review.verdict, turn.utterance
        rows.append(
            [
                *head,
                turn.index,
                seat.id,
                seat.reviewer,
                seat.role,
                seat.sampling.temperature,
                turn.cue.task,
                turn.cue.private,
                None if verdict is None else verdict.outcome,
                None if verdict is None else verdict.choice,
                turn.review.score,
                turn.review.rule,
                *tail,
                said.usage.prompt_tokens,
                said.usage.completion_tokens,
                said.latency,
                said.cached,
                said.simulated,
                said.text,
            ]
        )
    return rows
