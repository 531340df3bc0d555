"""Pages that open from disk, need no network and trust no text: of runs and of recorded reviews."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.analysis.flags import Flag
from peerjudge.data import to_json
from peerjudge.errors import StoreError
from peerjudge.marks import mark_html
from peerjudge.reporting.figures import Figure
from peerjudge.reporting.formats import SIMULATED, minus_signs
from peerjudge.reporting.layout import Section
from peerjudge.reporting.rendering import load_templates, read_packaged
from peerjudge.reporting.transcripts import TranscriptData
from peerjudge.results.run_page import (
    build_costs,
    build_run_sections,
    describe_cost,
    format_manifest,
    hide_folders,
    read_question,
)
from peerjudge.results.sentences import describe_effort, summarize_findings

if TYPE_CHECKING:
    from peerjudge.analysis import Panel
    from peerjudge.analysis.findings import Findings


_FILTERS = (
    (Flag.ALTERED, "Altered"),
    (Flag.DISAGREED, "Disagreed to the end"),
    (Flag.AWAY, "Follower moved away from gold"),
    (Flag.UNREADABLE, "Unreadable or refused"),
    (Flag.FAILED, "Failed"),
)


def write_report(
    findings: Findings,
    listing: TranscriptData,
    *,
    title: str,
    manifest: Mapping[str, object],
    people: Panel | None = None,
    path: Path,
) -> Path:
    """Write the page of a run and return its path; the file appears complete or not at all.

    Every text of a transcript is treated as hostile: it is data in the page and shown as text only,
    and the content security policy of the page forbids all loading.

    Args:
        findings: of the same transcripts.
        listing: these transcripts, in the order in which the page lists them.
        title: heading of the page.
        manifest: description of the run; shown without the folders of its data.
        people: those whose votes are the gold, where there are several.
        path: target file; missing folders are created.

    Raises:
        StoreError: the file cannot be written.
    """
    manifest = hide_folders(manifest)
    cost = describe_cost(build_costs(findings.spoken, manifest))
    return _write(
        path,
        script=read_packaged("report.js"),
        title=title,
        question=read_question(manifest),
        played=[f"{describe_effort(findings.effort)} {cost}"],
        simulated=findings.simulated,
        glance=summarize_findings(findings),
        sections=build_run_sections(findings, manifest, people),
        manifest=format_manifest(manifest),
        listing=listing,
    )


def write_recorded_report(
    sections: Sequence[Section],
    *,
    title: str,
    description: str,
    played: str,
    glance: Sequence[str],
    path: Path,
) -> Path:
    """Write the page of recorded reviews and return its path.

    Args:
        sections: of its results.
        title: heading of the page.
        description: of the reviews.
        played: how many there are.
        glance: what they show in short.
        path: target file; missing folders are created.

    Raises:
        StoreError: the file cannot be written.
    """
    return _write(
        path,
        script="",
        title=title,
        question=description,
        played=[played],
        simulated=False,
        glance=glance,
        sections=sections,
        manifest="",
        listing=None,
    )


def build_findings_document(findings: Findings) -> dict[str, object]:
    """Return the findings as plain values, `{"schema": ..., "data": {...}}`; NaN is `None`."""
    return json.loads(to_json(findings))


def draw_run_figures(findings: Findings) -> Mapping[str, Figure]:
    """Return the figures on the page of a run, by name with `_` for `-`."""
    return list_figures(build_run_sections(findings, {}))


def list_figures(sections: Sequence[Section]) -> Mapping[str, Figure]:
    """Return the figures of these sections, by name with `_` for `-`."""

    def below(section: Section) -> Iterator[Figure]:
        for part in section.parts:
            if isinstance(part, Figure):
                yield part
            elif isinstance(part, Section):
                yield from below(part)

    return {one.id.replace("-", "_"): one for section in sections for one in below(section)}


def _write(path: Path, *, script: str, **context: object) -> Path:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = (
        load_templates()
        .get_template("report.html.j2")
        .stream(
            **context,
            filters=_FILTERS,
            notice=SIMULATED,
            minus_signs=minus_signs,
            style=read_packaged("figures.css") + read_packaged("report.css"),
            script=script,
            script_hash=f"sha256-{digest}",
        )
    )
    page.enable_buffering(64)
    draft = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A lone surrogate has no UTF-8 form, and browsers have crashed on its escape: it becomes `?`.
        with draft.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.writelines(map(mark_html, page))
        draft.replace(path)
    except OSError as cause:
        msg = f"cannot write the report {path}: {cause.strerror}; choose another place with -o"
        raise StoreError(msg) from cause
    return path
