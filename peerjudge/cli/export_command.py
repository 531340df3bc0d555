"""`peerjudge export`: the discussions of a run in a form that other tools read."""

from __future__ import annotations

import csv
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from peerjudge.data import Transcript

__all__ = ["TURN_COLUMNS", "export_command"]

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
    format: Literal["jsonl", "csv"],  # noqa: A002
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
) -> int:
    """Write the discussions of a run.

    `jsonl` has one whole discussion per line, in PeerJudge's versioned form, which `peerjudge.data`
    reads back. `csv` has one turn per row.

    Parameters
    ----------
    run
        A run folder or a store URL.
    format
        The form to write.
    output
        The file to write; standard output when left out.
    """
    from peerjudge.experiment import open_run

    write = _write_jsonl if format == "jsonl" else _write_csv
    # The run is opened first: a misspelt name must not empty a file.
    async with open_run(run) as opened:
        with _target(output) as file:
            await write(opened.transcripts(), file)
    return 0


def _target(output: Path | None) -> AbstractContextManager[IO[str]]:
    if output is None:
        return nullcontext(sys.stdout)
    try:
        return output.open("w", encoding="utf-8", newline="")
    except OSError as cause:
        msg = f"cannot write {output}: {cause.strerror}; choose another file with -o"
        raise StoreError(msg) from cause


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
