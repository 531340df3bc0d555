"""Reading of a run and writing of its report, for the commands `run` and `report`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from peerjudge.cli.overwriting import require_free
from peerjudge.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from peerjudge.analysis import Findings
    from peerjudge.analysis.recorded import RecordedFindings
    from peerjudge.data import Transcript
    from peerjudge.reporting import TranscriptData
    from peerjudge.runs import OpenRun

REPORT = "report.html"
_PAGE = b'<meta name="generator" content="PeerJudge">'
_NUMBERS = b"Findings/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Findings of a run and the list of its transcripts, from one pass."""

    findings: Findings
    listing: TranscriptData


async def played(run: OpenRun) -> AsyncIterator[Transcript]:
    """Yield the discussions of a run by condition, in the order of the experiment."""
    for condition in _declared(run)["conditions"]:
        name = str(condition["name"])
        async for transcript in run.store.transcripts(run=run.id, condition=name):
            yield transcript


async def read(run: OpenRun) -> Reading:
    """Read a run once, discussion by discussion, without keeping whole discussions."""
    from peerjudge.analysis.findings import FindingsCollector
    from peerjudge.reporting import TranscriptData

    listing, collector = TranscriptData(), FindingsCollector()
    async for transcript in played(run):
        listing.add(transcript, collector.add(transcript).events)
    found = collector.findings(primary=run.primary, decision=run.decision)
    return Reading(findings=found, listing=listing)


def write(
    run: OpenRun, reading: Reading, *, output: Path | None = None, force: bool = False
) -> Path:
    """Write the page of a run, by default into its folder, and the numbers beside it as JSON.

    Returns the path of the page; `report.json` beside `report.html` has the same numbers.

    Raises:
        StoreError: A file cannot be written, or exists, is no earlier report and `force` is false.
    """
    from peerjudge.reporting import write_report

    if output is None and run.folder is None:
        msg = "a run in a database or a file has no folder for its report; name a file with -o FILE.html"
        raise StoreError(msg)
    path = output or (run.folder or Path()) / REPORT
    require_free_page(path, source=str(run.place), force=force)
    title = str(_declared(run)["name"])
    write_report(reading.findings, reading.listing, title=title, manifest=run.manifest, path=path)
    write_numbers(reading.findings, path)
    return path


def require_free_page(page: Path, *, source: str, force: bool) -> None:
    """Raise `StoreError` if the page or the numbers beside it would replace another file."""
    if page.suffix == ".json":
        msg = f"{page} is the name of the numbers beside a page; name the page FILE.html with -o"
        raise StoreError(msg)
    require_free(page, source=source, force=force, own=_PAGE)
    require_free(page.with_suffix(".json"), source=source, force=force, own=_NUMBERS)


def write_numbers(found: Findings | RecordedFindings, page: Path) -> None:
    """Write the numbers of a report as JSON beside its page."""
    from peerjudge.reporting import build_findings_document

    numbers = json.dumps(build_findings_document(found), ensure_ascii=False, indent=2)
    page.with_suffix(".json").write_text(numbers + "\n", encoding="utf-8")


def _declared(run: OpenRun) -> Mapping[str, list[Mapping[str, object]]]:
    """Return the plain form of the `Experiment` in the manifest."""
    return cast("Mapping[str, list[Mapping[str, object]]]", run.manifest["experiment"])
