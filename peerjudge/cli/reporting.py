"""Wires a run to its report: what the commands `run` and `report` share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from peerjudge.analysis import Findings
    from peerjudge.experiment import OpenRun

__all__ = ["find", "write"]

REPORT = "report.html"


async def find(run: OpenRun) -> Findings:
    """What a run found."""
    from peerjudge.analysis import findings

    return findings([transcript async for transcript in run.transcripts()])


async def write(run: OpenRun, found: Findings, *, output: Path | None = None) -> Path:
    """Write the HTML report of a run, by default into its folder; returns the path."""
    from peerjudge.report import write_report

    if output is None and run.folder is None:
        msg = "a run in a database has no folder for its report; say where with -o FILE.html"
        raise StoreError(msg)
    path = output or (run.folder or Path()) / REPORT
    transcripts = [transcript async for transcript in run.transcripts()]
    experiment = run.manifest.get("experiment")
    title = experiment["name"] if isinstance(experiment, dict) else "PeerJudge"  # pyright: ignore
    return write_report(found, transcripts, title=str(title), manifest=run.manifest, path=path)  # pyright: ignore
