"""Wires a run to its report: what the commands `run` and `report` share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, cast

from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from peerjudge.analysis import Findings
    from peerjudge.data import Transcript
    from peerjudge.experiment import OpenRun

__all__ = ["find", "played", "write"]

REPORT = "report.html"


async def played(run: OpenRun) -> tuple[Transcript, ...]:
    """The discussions of a run, by condition in the order in which the experiment declares them."""
    names = [str(condition["name"]) for condition in _declared(run)["conditions"]]
    place = {name: index for index, name in enumerate(names)}
    transcripts = [transcript async for transcript in run.transcripts()]
    return tuple(sorted(transcripts, key=lambda one: place.get(one.condition, len(place))))


def find(transcripts: Sequence[Transcript]) -> Findings:
    """What a run found."""
    from peerjudge.analysis import findings

    return findings(transcripts)


def write(
    run: OpenRun, transcripts: Sequence[Transcript], found: Findings, *, output: Path | None = None
) -> Path:
    """Write the HTML report of a run, by default into its folder, and its numbers beside it as JSON.

    Returns the path of the page; `report.json` beside `report.html` has the same numbers.
    """
    from peerjudge.report import findings_document, write_report

    if output is None and run.folder is None:
        msg = "a run in a database has no folder for its report; say where with -o FILE.html"
        raise StoreError(msg)
    path = output or (run.folder or Path()) / REPORT
    title = str(_declared(run)["name"])
    write_report(found, transcripts, title=title, manifest=run.manifest, path=path)
    numbers = json.dumps(findings_document(found), ensure_ascii=False, indent=2)
    path.with_suffix(".json").write_text(numbers + "\n", encoding="utf-8")
    return path


def _declared(run: OpenRun) -> Mapping[str, list[Mapping[str, object]]]:
    """The experiment as the manifest keeps it: the plain form of an `Experiment`."""
    return cast("Mapping[str, list[Mapping[str, object]]]", run.manifest["experiment"])
