"""`peerjudge export`: the discussions of a run in the formats of other tools.

A format is one entry of `EXPORTERS`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Literal, TypeAlias

from cyclopts import Parameter

from peerjudge.cli.export_frames import Frame, open_output, write_frame
from peerjudge.errors import DataError

if TYPE_CHECKING:
    from peerjudge.data import Transcript, Turn

Stance: TypeAlias = Literal["private", "final"]
Exporter: TypeAlias = Callable[[str, Path | None, Frame | None, Stance], Awaitable[None]]
"""Writes a run to a file, given the run, the file, the frame and the stance."""


def _write_rows(name: str, *, as_list: bool = False) -> Exporter:
    """Return an exporter of the rows of `peerjudge.analysis.exchange`, as JSON lines or one list."""

    async def export(run: str, output: Path | None, frame: Frame | None, stance: Stance) -> None:
        from peerjudge.analysis import exchange

        rows: Callable[..., Iterable[Mapping[str, object]]] = getattr(exchange, name)

        async def write(transcripts: AsyncIterator[Transcript], file: IO[str]) -> None:
            separator = "["
            async for together in _group_by_comparison(transcripts):
                for row in rows(together, stance=stance):
                    line = json.dumps(row, ensure_ascii=False)
                    file.write(f"{separator}\n{line}" if as_list else f"{line}\n")
                    separator = ","
            if as_list:
                file.write("[]\n" if separator == "[" else "\n]\n")

        await _write_text(run, output, write)

    return export


async def _export_jsonl(run: str, output: Path | None, frame: Frame | None, stance: Stance) -> None:
    from peerjudge.data import to_json

    async def write(transcripts: AsyncIterator[Transcript], file: IO[str]) -> None:
        async for transcript in transcripts:
            file.write(to_json(transcript) + "\n")

    await _write_text(run, output, write)


async def _export_csv(run: str, output: Path | None, frame: Frame | None, stance: Stance) -> None:
    async def write(transcripts: AsyncIterator[Transcript], file: IO[str]) -> None:
        writer = csv.writer(file)
        writer.writerow(_TURN_COLUMNS)
        async for transcript in transcripts:
            for turn in transcript.turns:
                writer.writerow(value(transcript, turn) for value in _TURN_COLUMNS.values())

    if frame is None:
        await _write_text(run, output, write)
    else:
        write_frame(run, frame, form="csv", output=output, stance=stance)


async def _export_parquet(
    run: str, output: Path | None, frame: Frame | None, stance: Stance
) -> None:
    write_frame(run, frame or "turns", form="parquet", output=output, stance=stance)


EXPORTERS: Mapping[str, Exporter] = {
    "jsonl": _export_jsonl,
    "csv": _export_csv,
    "parquet": _export_parquet,
    "arena": _write_rows("arena_rows"),
    "alpaca-eval": _write_rows("alpaca_eval_rows", as_list=True),
    "mt-bench": _write_rows("mt_bench_rows"),
}
"""The formats by name."""


async def export_command(
    run: str,
    /,
    *,
    format: Annotated[str, Parameter(help=f"One of {', '.join(EXPORTERS)}.")],  # noqa: A002
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    frame: Frame | None = None,
    stance: Stance = "final",
) -> int:
    """Write the discussions of a run.

    `jsonl` has one discussion per line, in PeerJudge's versioned form, which `peerjudge.data` reads.
    `csv` has one turn per row, with its text. `parquet`, and `csv` with --frame, have a frame.
    `arena` and `mt-bench` are JSON lines and `alpaca-eval` is a JSON list; each row is a reviewer's
    stance on two answers, for `mt-bench` together with its stance in the other order.

    Parameters
    ----------
    run
        Run folder or store URL.
    output
        File to write; by default standard output.
    frame
        Rows of the table: turns, discussions, calls, events, battles or weights; without texts.
        `parquet` writes turns by default.
    stance
        Verdicts for battles, weights and other tools' formats: private or final.
    """
    exporter = EXPORTERS.get(format)
    if exporter is None:
        msg = f"unknown format {format!r}; choose one of {', '.join(EXPORTERS)}"
        raise DataError(msg)
    if frame is not None and format not in {"csv", "parquet"}:
        msg = f"--frame writes a table; use it with --format csv or parquet, not {format}"
        raise DataError(msg)
    await exporter(run, output, frame, stance)
    return 0


async def _write_text(
    run: str,
    output: Path | None,
    write: Callable[[AsyncIterator[Transcript], IO[str]], Awaitable[None]],
) -> None:
    from peerjudge.runs import open_run

    # Open the run first: a misspelt name must not empty the file.
    async with open_run(run) as opened:
        with open_output(output) as file:
            await write(opened.transcripts(), file)


async def _group_by_comparison(
    transcripts: AsyncIterator[Transcript],
) -> AsyncIterator[list[Transcript]]:
    """Group the discussions by condition and comparison; they are sorted by both."""
    together: list[Transcript] = []
    async for one in transcripts:
        last = together[-1] if together else one
        if (one.condition, one.comparison.id) != (last.condition, last.comparison.id):
            yield together
            together = []
        together.append(one)
    yield together


_TURN_COLUMNS: Mapping[str, Callable[[Transcript, Turn], object]] = {
    "discussion": lambda one, _: one.id,
    "condition": lambda one, _: one.condition,
    "protocol": lambda one, _: one.protocol,
    "comparison": lambda one, _: one.comparison.id,
    "question": lambda one, _: one.comparison.question.text,
    "category": lambda one, _: one.comparison.question.category,
    "subset": lambda one, _: one.comparison.subset,
    "shown": lambda one, _: " ".join(one.comparison.shown),
    "gold": lambda one, _: one.comparison.gold,
    "repetition": lambda one, _: one.repetition,
    "turn": lambda _, turn: turn.index,
    "seat": lambda _, turn: turn.cue.seat,
    "reviewer": lambda one, turn: one.seat(turn.cue.seat).reviewer,
    "role": lambda one, turn: one.seat(turn.cue.seat).role,
    "temperature": lambda one, turn: one.seat(turn.cue.seat).sampling.temperature,
    "task": lambda _, turn: turn.cue.task,
    "private": lambda _, turn: turn.cue.private,
    "outcome": lambda _, turn: turn.review.verdict and turn.review.verdict.outcome,
    "choice": lambda _, turn: turn.review.verdict and turn.review.verdict.choice,
    "score": lambda _, turn: turn.review.score,
    "rule": lambda _, turn: turn.review.rule,
    "concluded": lambda one, _: one.verdict,
    "stop": lambda one, _: one.stop,
    "prompt_tokens": lambda _, turn: turn.utterance.usage.prompt_tokens,
    "completion_tokens": lambda _, turn: turn.utterance.usage.completion_tokens,
    "latency": lambda _, turn: turn.utterance.latency,
    "cached": lambda _, turn: turn.utterance.cached,
    "simulated": lambda _, turn: turn.utterance.simulated,
    "text": lambda _, turn: turn.utterance.text,
}
"""Columns of the CSV format."""
