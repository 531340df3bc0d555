"""The report of a run as one HTML file that opens from disk, needs no network, and trusts no text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PureWindowsPath
from typing import cast

from peerjudge.analysis.conditions import GroupFindings
from peerjudge.analysis.findings import Findings
from peerjudge.data import EventKind
from peerjudge.reporting.costs import costs_of
from peerjudge.reporting.page import write_page
from peerjudge.reporting.sentences import effort_sentence, sentences
from peerjudge.reporting.stance_views import rounds_of
from peerjudge.reporting.transcripts import Flag, TranscriptData
from peerjudge.reporting.views import figures_of

__all__ = ["write_report"]

_NOT_FACTS = {"schema", "question"}
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
    path: Path,
) -> Path:
    """Write the report and return its path; the file appears whole or not at all.

    Every text of a transcript is treated as hostile: it stands in the page as data and is shown as
    text only, and the page's policy forbids all loading.

    Args:
        findings: of the same transcripts.
        listing: these transcripts, in the order in which the page lists them.
        title: the page's heading.
        manifest: what was played; shown as it is, but for where the data lay on this machine.
        path: where to; folders in between are made.

    Raises:
        StoreError: the file cannot be written.
    """
    manifest = _without_places(manifest)
    context = {
        "title": title,
        "findings": findings,
        "glance": sentences(findings),
        "played": effort_sentence(findings.effort),
        "costs": costs_of(findings.spoken, manifest),
        "figures": figures_of(findings),
        "groups": _groups(findings),
        "rounds": rounds_of(findings),
        "kinds": _kinds(findings),
        "shifted": any(seat.events[EventKind.SHIFTED] for seat in findings.by_seat),
        "manifest": _json(manifest),
        "facts": _facts(manifest),
        "question": _question(manifest),
        "listing": listing,
        "filters": _FILTERS,
    }
    return write_page("report.html.j2", context, path=path, scripts=("figures.js", "report.js"))


def _kinds(findings: Findings) -> list[EventKind]:
    """Holding and altering, and what else happened."""
    always = {EventKind.HELD, EventKind.ALTERED}
    return [
        kind
        for kind in EventKind
        if kind in always or any(seat.events[kind] for seat in findings.by_seat)
    ]


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def _groups(findings: Findings) -> Mapping[str, Mapping[str, Sequence[GroupFindings | None]]]:
    """For subsets and categories: by name, what each condition found in it."""
    tables = {
        "subsets": [condition.subsets for condition in findings.conditions],
        "categories": [condition.categories for condition in findings.conditions],
    }
    return {kind: _by_name(columns) for kind, columns in tables.items()}


def _by_name(
    columns: Sequence[Sequence[GroupFindings]],
) -> Mapping[str, Sequence[GroupFindings | None]]:
    named = [{group.name: group for group in column} for column in columns]
    names = sorted({name for column in named for name in column})
    return {name: [column.get(name) for column in named] for name in names}


def _question(manifest: Mapping[str, object]) -> str:
    return str(_mapping(manifest.get("experiment")).get("question") or "")


def _without_places(manifest: Mapping[str, object]) -> Mapping[str, object]:
    """The manifest with the data's name and, of files, the file's: not where these lay."""
    experiment = _mapping(manifest.get("experiment"))
    data = experiment.get("data")
    if not isinstance(data, str):
        return manifest
    name, _, place = data.partition(":")
    path = PureWindowsPath(place)  # which knows both kinds of slashes
    shown = f"{name}:{path.name}" if path.suffix else name
    return {**manifest, "experiment": {**experiment, "data": shown}}


def _facts(manifest: Mapping[str, object]) -> list[tuple[str, str]]:
    """The short facts of the manifest and of its experiment, in their order."""
    merged = {**_mapping(manifest.get("experiment")), **manifest}
    if merged.get("data") == merged.get("dataset"):
        merged.pop("data", None)
    facts = [
        (key.replace("_", " "), str(value))
        for key, value in merged.items()
        if isinstance(value, str | int | float) and value != "" and key not in _NOT_FACTS
    ]
    versions = [f"{k} {v}" for k, v in _mapping(manifest.get("versions")).items() if v]
    return [*facts, ("versions", ", ".join(versions))] if versions else facts


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}
