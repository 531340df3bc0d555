"""Pages of runs and of recorded reviews: they open from disk, need no network and trust no text."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, cast

from peerjudge.analysis.effort import Spoken
from peerjudge.analysis.listing import Flag
from peerjudge.data import to_json
from peerjudge.errors import StoreError
from peerjudge.marks import mark_html
from peerjudge.reporting.figures import Figure
from peerjudge.reporting.formats import MISSING, SIMULATED, minus_signs, preface
from peerjudge.reporting.fragments import load_templates, read_packaged
from peerjudge.reporting.layout import AnyColumn, Column, Section, Table, build_section, build_table
from peerjudge.reporting.transcripts import TranscriptData
from peerjudge.results.accuracy import build_accuracy_section, build_consistency_section
from peerjudge.results.added import AddedResult, build_added_sections
from peerjudge.results.agreements import build_people_section
from peerjudge.results.biases import build_position_section
from peerjudge.results.contestants import (
    build_contestants_section,
    build_run_ranking_table,
    build_run_weights_table,
)
from peerjudge.results.contrasts import build_contrasts_section
from peerjudge.results.opinions import (
    build_controls_table,
    build_events_table,
    build_opinions_section,
)
from peerjudge.results.ratings import build_levels_table, build_ratings_section, say_ratings
from peerjudge.results.sentences import describe_effort, summarize_findings
from peerjudge.results.ways import build_ways_section, list_ways
from peerjudge.shown import money

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

_MILLION = 1_000_000
_NOT_FACTS = {"schema", "question"}
_CALLS = {
    "Paid": "paid",
    "Simulated": "simulated",
    "Cached": "cached",
    "Retries": "retries",
    "Tokens in, paid": "prompt_tokens",
    "Tokens out, paid": "completion_tokens",
    "Of these thinking": "thinking_tokens",
    "Tokens not paid": "other_tokens",
}


def write_report(
    findings: Findings,
    listing: TranscriptData,
    *,
    title: str,
    manifest: Mapping[str, object],
    people: Panel | None = None,
    added: Mapping[str, AddedResult] | None = None,
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
        added: results of features, by name.
        path: target file; missing folders are created.

    Raises:
        StoreError: the file cannot be written.
    """
    manifest = hide_folders(manifest)
    cost = describe_cost(build_costs(findings.spoken, manifest))
    return write_page(
        path,
        script=read_packaged("report.js"),
        title=title,
        question=str(_mapping(manifest.get("experiment")).get("question") or ""),
        played=f"{describe_effort(findings.effort)} {cost}",
        simulated=findings.simulated,
        glance=summarize_findings(findings),
        sections=build_run_sections(findings, manifest, people, added=added),
        manifest=json.dumps(manifest, indent=2, ensure_ascii=False, default=str),
        listing=listing,
    )


def build_findings_document(findings: Findings) -> dict[str, object]:
    """Return the findings as plain values, `{"schema": ..., "data": {...}}`; NaN is `None`."""
    return json.loads(to_json(findings))


def list_figures(sections: Sequence[Section]) -> Mapping[str, Figure]:
    """Return the figures of these sections, by name with `_` for `-`."""

    def below(section: Section) -> Iterator[Figure]:
        for part in section.parts:
            if isinstance(part, Figure):
                yield part
            elif isinstance(part, Section):
                yield from below(part)

    return {one.id.replace("-", "_"): one for section in sections for one in below(section)}


def write_page(
    path: Path,
    *,
    title: str,
    question: str,
    played: str,
    simulated: bool,
    glance: Sequence[str],
    sections: Sequence[Section],
    script: str = "",
    manifest: str = "",
    listing: TranscriptData | None = None,
) -> Path:
    """Write a page and return its path; raise `StoreError` if it cannot be written."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = (
        load_templates()
        .get_template("report.html.j2")
        .stream(
            title=title,
            question=question,
            played=[played],
            simulated=simulated,
            glance=glance,
            sections=sections,
            manifest=manifest,
            listing=listing,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRow:
    """Cost of one reviewer in US dollars; `price` is per million tokens (in, out).

    `cost` is `None` where tokens were paid for at an unknown price. `unmetered` replies are those of own
    code that reported no tokens, so that their cost is unknown.
    """

    reviewer: str
    spoken: Spoken
    price: tuple[float, float] | None
    cost: float | None
    unmetered: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Costs of all reviewers and their sum; `known` is false where prices or tokens are unknown.

    The cost of the sum is that of the reviewers whose cost is known.
    """

    rows: tuple[CostRow, ...]
    total: CostRow
    known: bool


def build_costs(spoken: Mapping[str, Spoken], manifest: Mapping[str, object]) -> Costs:
    """Return the cost of all replies at `manifest["prices"]`; a reviewer without an entry is free."""
    prices = cast("Mapping[str, Mapping[str, float] | None]", manifest.get("prices") or {})
    rows = tuple(_row(reviewer, replies, prices) for reviewer, replies in spoken.items())
    total = CostRow(
        reviewer="All",
        spoken=sum(spoken.values(), start=Spoken()),
        price=None,
        cost=sum(row.cost or 0.0 for row in rows),
        unmetered=sum(row.unmetered for row in rows),
    )
    return Costs(rows=rows, total=total, known=all(row.cost is not None for row in rows))


def build_run_sections(
    findings: Findings,
    manifest: Mapping[str, object],
    people: Panel | None = None,
    *,
    added: Mapping[str, AddedResult] | None = None,
) -> list[Section]:
    """Return the sections of the page; a section without anything to show is left out."""
    sections = [build_ratings_section(findings)]
    if not _only_rates(findings):
        sections += [
            build_ways_section(findings.ways),
            *build_added_sections(added or {}),
            build_accuracy_section(findings),
            build_contrasts_section(findings.contrasts, decision=findings.decision),
            build_opinions_section(findings),
            build_position_section(findings),
            build_contestants_section(findings),
            build_consistency_section(findings),
            build_people_section(people),
        ]
    shown = [*(sections if findings.conditions else []), _played_section(findings, manifest)]
    return [section for section in shown if section is not None]


def list_findings(findings: Findings) -> list[str | Table]:
    """Return the ways to judge, opinion events, ranking and reviewer weights of a run, for 80 columns.

    A run that rated single answers has the levels of the ratings instead. The first sentences state that
    reviewers were simulated and that questions are few, where so.
    """
    begun = [
        *preface(simulated=findings.simulated, questions=findings.questions),
        describe_effort(findings.effort),
    ]
    if _only_rates(findings):
        return [
            *begun,
            build_levels_table(findings.rated, simulated=findings.simulated),
            *say_ratings(findings.rated, findings.rating_shifts, isolate=False),
        ]
    events = build_events_table(findings.by_seat)
    columns = [
        heading
        for heading in events.headings
        if heading not in {"Agreed", "Altered after agreement", "No event"}
    ]
    controls = build_controls_table(
        [row for row in findings.stances.controls if row.reviewer is None]
    )
    shown = ("Condition", "Altered", "By gold", "By another", "More without")
    parts: list[str | Table] = [
        *begun,
        *list_ways(findings.ways, simulated=findings.simulated),
        events.only(*columns).without_note(),
        controls.only(*shown).without_note(),
    ]
    if findings.peers is None:
        return [*parts, f"\nNo ranking: {findings.peers_missing}"]
    reason = findings.peers.reason
    return [
        *parts,
        build_run_ranking_table(findings),
        *([reason] if reason else []),
        build_run_weights_table(findings).without_note(),
    ]


def describe_cost(costs: Costs) -> str:
    """Return the cost of a run in one sentence."""
    cost = costs.total.cost
    if costs.known or not cost:
        return f"Cost: {money(cost if costs.known else None)}."
    return f"Cost: {money(cost)} and calls of unknown cost."


def hide_folders(manifest: Mapping[str, object]) -> Mapping[str, object]:
    """Return the manifest with the names of data and files, but without their folders."""
    experiment = _mapping(manifest.get("experiment"))
    data = experiment.get("data")
    if not isinstance(data, str):
        return manifest
    name, _, place = data.partition(":")
    path = PureWindowsPath(place)  # reads both kinds of slashes
    shown = f"{name}:{path.name}" if path.suffix else name
    return {**manifest, "experiment": {**experiment, "data": shown}}


def _row(
    reviewer: str, replies: Spoken, prices: Mapping[str, Mapping[str, float] | None]
) -> CostRow:
    known = prices.get(reviewer)
    price = None if known is None else (float(known["input"]), float(known["output"]))
    unmetered = replies.uncounted if reviewer in prices and price != (0.0, 0.0) else 0
    if unmetered or (reviewer in prices and price is None and replies.paid):
        cost = None
    elif price is None:
        cost = 0.0
    else:
        paid = replies.prompt_tokens * price[0] + replies.completion_tokens * price[1]
        cost = paid / _MILLION
    return CostRow(reviewer=reviewer, spoken=replies, price=price, cost=cost, unmetered=unmetered)


def _only_rates(findings: Findings) -> bool:
    """Return whether every answer was shown alone, so that nothing but ratings can be found."""
    return findings.answers == 1 and bool(findings.rated)


def _played_section(findings: Findings, manifest: Mapping[str, object]) -> Section | None:
    costs = _costs_table(build_costs(findings.spoken, manifest))
    notes = cast("Sequence[object]", manifest.get("notes") or ())
    return build_section(
        "What was run",
        *(f"{note}." for note in notes),
        {**_facts(manifest), "resampling seed": str(findings.seed)},
        _declared_table(manifest, findings.spoken),
        _conditions_table(findings),
        build_section("Calls and cost", costs) if findings.conditions else None,
        anchor="played",
    )


def _declared_table(manifest: Mapping[str, object], spoken: Mapping[str, Spoken]) -> Table:
    """Return pack, seats with temperatures, orders, leader and options of each condition as played."""
    experiment, cards = _mapping(manifest.get("experiment")), _mapping(manifest.get("cards"))
    given = cast("Sequence[object]", experiment.get("conditions") or ())
    played = [one for one in map(_mapping, given) if one.get("seats")]

    def describe_seat(seat: object) -> str:
        name = seat if isinstance(seat, str) else _mapping(seat).get("reviewer")
        own = None if isinstance(seat, str) else _mapping(seat).get("temperature")
        card = _mapping(_mapping(cards.get(str(name))).get("sampling")).get("temperature")
        temperature = card if own is None else own
        if temperature is not None and spoken.get(str(name), Spoken()).unset:
            temperature = "its own"
        return f"{name}" if temperature is None else f"{name} at {temperature}"

    def describe_options(one: Mapping[str, object]) -> str:
        options = _mapping(one.get("options"))
        return ", ".join(f"{key}={value}" for key, value in options.items()) or MISSING

    return build_table(
        "Conditions as played",
        played,
        ("Condition", lambda one: str(one.get("name"))),
        ("Prompts", lambda one: str(one.get("prompts") or experiment.get("prompts") or MISSING)),
        (
            "Reviewers at temperature",
            lambda one: ", ".join(map(describe_seat, cast("Sequence[object]", one["seats"]))),
        ),
        ("Orders", lambda one: str(one.get("orders") or MISSING)),
        ("Leader", lambda one: str(one.get("leader") or MISSING)),
        ("Options", describe_options),
        names=6,
    )


def _conditions_table(findings: Findings) -> Table:
    estimated = findings.effort.estimated
    # Title and count of each column, and the count without which it is left out.
    optional = (
        ("Of these thinking", "thinking_tokens", "thinking_tokens"),
        ("Replies without tokens", "uncounted", "uncounted"),
        ("Asked for a choice", "asked", "asked"),
        ("Choices named then", "asked_verdicts", "asked"),
        ("Reread", "reread", "reread"),
        ("Verdicts reread", "reread_verdicts", "reread"),
    )
    return build_table(
        "Discussions and tokens by condition",
        findings.conditions,
        Column("Condition", "name"),
        Column("Protocol", "protocol"),
        ("Reviewers", lambda row: ", ".join(row.reviewers)),
        Column("Done", "effort.done"),
        Column("Failed", "effort.failed"),
        Column("Unfinished", "effort.unfinished"),
        Column("Turns", "effort.turns"),
        Column("Tokens in", "effort.prompt_tokens"),
        Column("Tokens out", "effort.completion_tokens"),
        *(
            Column(title, f"effort.{count}")
            for title, count, needed in optional
            if getattr(findings.effort, needed)
        ),
        names=3,
        note="Some tokens were estimated, not counted by a server." if estimated else "",
    )


def _costs_table(costs: Costs) -> Table:
    """Return the replies and the cost of each reviewer, with a sum where there are several."""
    total = costs.total
    used = {title: key for title, key in _CALLS.items() if getattr(total.spoken, key)}

    def count(key: str) -> AnyColumn[CostRow]:
        return Column(key, lambda row: getattr(row.spoken, used[key]))

    def describe(row: CostRow) -> str:
        if row is not total or costs.known:
            return money(row.cost)
        return f"{money(total.cost)} and more" if total.cost else money(None)

    rows = [*costs.rows, *([total] if len(costs.rows) > 1 else [])]
    unmetered: list[AnyColumn[CostRow]] = [Column("Tokens unknown", "unmetered")]
    return build_table(
        "Replies and cost by reviewer",
        rows,
        Column("Reviewer", "reviewer"),
        Column("Replies", "spoken.replies"),
        *map(count, used),
        *(unmetered if total.unmetered else []),
        ("Seconds per call", _seconds),
        (
            "Price in, out",
            lambda row: "{:.4g}, {:.4g}".format(*row.price) if row.price else MISSING,
        ),
        ("Cost", describe),
        total=len(rows) > len(costs.rows),
        note="Prices are those of the manifest, in US dollars per million tokens."
        if total.spoken.paid
        else "",
    )


def _seconds(row: CostRow) -> str:
    paid = row.spoken.paid
    return f"{row.spoken.latency / paid:.1f}" if paid else MISSING


def _facts(manifest: Mapping[str, object]) -> dict[str, str]:
    """Return the short facts of the manifest and of its experiment, in their order."""
    merged = {**_mapping(manifest.get("experiment")), **manifest}
    merged.pop(
        "prompts", None
    )  # A condition may have its own, so the table of conditions names them.
    if merged.get("data") == merged.get("dataset"):
        merged.pop("data", None)
    facts = {
        key.replace("_", " "): str(value)
        for key, value in merged.items()
        if isinstance(value, str | int | float) and value != "" and key not in _NOT_FACTS
    }
    versions = [f"{k} {v}" for k, v in _mapping(manifest.get("versions")).items() if v]
    return {**facts, "versions": ", ".join(versions)} if versions else facts


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}
