"""The report as one HTML file that opens from disk, needs no network, and trusts no text."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, cast

import peerjudge.report.words as words
from peerjudge.analysis.findings import Findings, GroupFindings
from peerjudge.data import EventKind
from peerjudge.errors import StoreError
from peerjudge.report.transcripts import Flag, TranscriptData
from peerjudge.report.views import figures_of

if TYPE_CHECKING:
    from jinja2 import Environment

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
        manifest: what was played; shown as it is.
        path: where to; folders in between are made.

    Raises:
        StoreError: the file cannot be written.
    """
    environment = _environment()
    style, script = _packaged("report.css"), _packaged("report.js")
    page = environment.get_template("report.html.j2").stream(
        title=title,
        findings=findings,
        figures=figures_of(findings),
        groups=_groups(findings),
        kinds=tuple(EventKind),
        shifted=any(seat.events[EventKind.SHIFTED] for seat in findings.by_seat),
        manifest=manifest,
        facts=_facts(manifest),
        question=_question(manifest),
        style=style,
        script=script,
        script_hash=_digest(script),
        listing=listing,
        filters=_FILTERS,
    )
    page.enable_buffering(64)
    draft = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A lone surrogate has no UTF-8 form, and browsers have crashed on its escape: it becomes `?`.
        with draft.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.writelines(page)
        draft.replace(path)
    except OSError as cause:
        msg = f"cannot write the report {path}: {cause.strerror}; choose another place with -o"
        raise StoreError(msg) from cause
    return path


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("peerjudge.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update({name: getattr(words, name) for name in words.__all__})
    environment.filters["json"] = _json
    return environment


def _packaged(name: str) -> str:
    return files("peerjudge.report").joinpath("templates", name).read_text("utf-8")


def _digest(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


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


def _facts(manifest: Mapping[str, object]) -> list[tuple[str, str]]:
    """The short facts of the manifest and of its experiment, in their order."""
    merged = {**_mapping(manifest.get("experiment")), **manifest}
    facts = [
        (key.replace("_", " "), str(value))
        for key, value in merged.items()
        if isinstance(value, str | int | float) and value != "" and key not in _NOT_FACTS
    ]
    versions = [f"{k} {v}" for k, v in _mapping(manifest.get("versions")).items() if v]
    return [*facts, ("versions", ", ".join(versions))] if versions else facts


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}
