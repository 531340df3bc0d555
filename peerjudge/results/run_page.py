"""Sections of the page of a run, the cost of its reviewers, and its findings in short."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING, cast

from peerjudge.analysis.effort import Spoken
from peerjudge.reporting.formats import MISSING, money, preface
from peerjudge.reporting.layout import AnyColumn, Column, Section, Table, build_section, build_table
from peerjudge.results.accuracy import (
    LEFT_OUT,
    build_accuracy_section,
    build_accuracy_table,
    build_consistency_section,
    describe_unreadable,
)
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
from peerjudge.results.sentences import describe_effort

if TYPE_CHECKING:
    from peerjudge.analysis import Panel
    from peerjudge.analysis.conditions import ConditionFindings
    from peerjudge.analysis.findings import Findings


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
    """Costs of all reviewers and their sum; `known` is false where prices or tokens are unknown."""

    rows: tuple[CostRow, ...]
    total: Spoken
    cost: float
    known: bool
    unmetered: int


def build_costs(spoken: Mapping[str, Spoken], manifest: Mapping[str, object]) -> Costs:
    """Return the cost of all replies at `manifest["prices"]`; a reviewer without an entry is free."""
    prices = cast("Mapping[str, Mapping[str, float] | None]", manifest.get("prices") or {})
    rows = tuple(_row(reviewer, said, prices) for reviewer, said in spoken.items())
    total = Spoken()
    for said in spoken.values():
        total += said
    return Costs(
        rows=rows,
        total=total,
        cost=sum(row.cost or 0.0 for row in rows),
        known=all(row.cost is not None for row in rows),
        unmetered=sum(row.unmetered for row in rows),
    )


def build_run_sections(
    findings: Findings, manifest: Mapping[str, object], people: Panel | None = None
) -> list[Section]:
    """Return the sections of the page; a section without anything to show is left out."""
    sections = [build_ratings_section(findings)]
    if not _only_rates(findings):
        sections += [
            build_accuracy_section(findings),
            build_contrasts_section(findings.stances.contrasts, decision=findings.decision),
            build_opinions_section(findings),
            build_position_section(findings),
            build_contestants_section(findings),
            build_consistency_section(findings),
            build_people_section(people),
        ]
    shown = [*(sections if findings.conditions else []), _played_section(findings, manifest)]
    return [section for section in shown if section is not None]


def list_findings(findings: Findings) -> list[str | Table]:
    """Return accuracy, opinion events, ranking and reviewer weights of a run, for 80 columns.

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
    accuracy = build_accuracy_table(findings).only(
        "Condition", "Before", "After", "Over best seat", "Over vote"
    )
    # Without gold, only the names of the conditions are left; without discussions, no rows.
    scored = len(accuracy.headings) > 1 and bool(accuracy.rows)
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
    found: list[str | Table] = [
        *begun,
        *(
            [accuracy if "*" in accuracy.note else accuracy.without_note(), LEFT_OUT]
            if scored
            else []
        ),
        *describe_unreadable(findings),
        events.only(*columns).without_note(),
        controls.only(*shown).without_note(),
    ]
    if findings.peers is None:
        return [*found, f"\nNo ranking: {findings.peers_missing}"]
    reason = findings.peers.reason
    return [
        *found,
        build_run_ranking_table(findings),
        *([reason] if reason else []),
        build_run_weights_table(findings).without_note(),
    ]


def describe_cost(costs: Costs) -> str:
    """Return the cost of a run in one sentence."""
    if costs.known or not costs.cost:
        return f"Cost: {money(costs.cost if costs.known else None)}."
    return f"Cost: {money(costs.cost)} and calls of unknown cost."


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


def format_manifest(manifest: Mapping[str, object]) -> str:
    """Return the manifest as indented JSON."""
    return json.dumps(manifest, indent=2, ensure_ascii=False, default=str)


def read_question(manifest: Mapping[str, object]) -> str:
    """Return the question of the experiment, empty where it has none."""
    return str(_mapping(manifest.get("experiment")).get("question") or "")


def _row(reviewer: str, said: Spoken, prices: Mapping[str, Mapping[str, float] | None]) -> CostRow:
    known = prices.get(reviewer)
    price = None if known is None else (float(known["input"]), float(known["output"]))
    unmetered = said.uncounted if reviewer in prices and price != (0.0, 0.0) else 0
    if unmetered or (reviewer in prices and price is None and said.paid):
        cost = None
    elif price is None:
        cost = 0.0
    else:
        cost = (said.prompt_tokens * price[0] + said.completion_tokens * price[1]) / _MILLION
    return CostRow(reviewer=reviewer, spoken=said, price=price, cost=cost, unmetered=unmetered)


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
        _declared_table(manifest),
        _conditions_table(findings),
        build_section("Calls and cost", costs) if findings.conditions else None,
        anchor="played",
    )


def _declared_table(manifest: Mapping[str, object]) -> Table:
    """Return pack, seats with temperatures, orders, leader and options of each condition as played."""
    experiment, cards = _mapping(manifest.get("experiment")), _mapping(manifest.get("cards"))
    given = cast("Sequence[object]", experiment.get("conditions") or ())
    played = [one for one in map(_mapping, given) if one.get("seats")]

    def describe_seat(seat: object) -> str:
        name = seat if isinstance(seat, str) else _mapping(seat).get("reviewer")
        own = None if isinstance(seat, str) else _mapping(seat).get("temperature")
        card = _mapping(_mapping(cards.get(str(name))).get("sampling")).get("temperature")
        temperature = card if own is None else own
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
    thinking: list[AnyColumn[ConditionFindings]] = [
        Column("Of these thinking", "effort.thinking_tokens")
    ]
    uncounted: list[AnyColumn[ConditionFindings]] = [
        Column("Replies without tokens", "effort.uncounted")
    ]
    asked: list[AnyColumn[ConditionFindings]] = [
        Column("Asked for a choice", "effort.asked"),
        Column("Choices named then", "effort.asked_verdicts"),
    ]
    reread: list[AnyColumn[ConditionFindings]] = [
        Column("Reread", "effort.reread"),
        Column("Verdicts reread", "effort.reread_verdicts"),
    ]
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
        *(thinking if findings.effort.thinking_tokens else []),
        *(uncounted if findings.effort.uncounted else []),
        *(asked if findings.effort.asked else []),
        *(reread if findings.effort.reread else []),
        names=3,
        note="Some tokens were estimated, not counted by a server." if estimated else "",
    )


def _costs_table(costs: Costs) -> Table:
    """Return the replies and the cost of each reviewer, with a sum where there are several."""
    used = {title: key for title, key in _CALLS.items() if getattr(costs.total, key)}

    def count(key: str) -> AnyColumn[CostRow]:
        return Column(key, lambda row: getattr(row.spoken, used[key]))

    paid = bool(costs.total.paid)
    sum_known = costs.cost if costs.known or costs.cost else None
    total = CostRow(
        reviewer="All",
        spoken=costs.total,
        price=None,
        cost=sum_known,
        unmetered=costs.unmetered,
    )
    rows = [*costs.rows, *([total] if len(costs.rows) > 1 else [])]
    more = "" if costs.known or not costs.cost else " and more"
    unmetered: list[AnyColumn[CostRow]] = [Column("Tokens unknown", "unmetered")]
    return build_table(
        "Replies and cost by reviewer",
        rows,
        Column("Reviewer", "reviewer"),
        Column("Replies", "spoken.replies"),
        *map(count, used),
        *(unmetered if costs.unmetered else []),
        ("Seconds per call", _seconds),
        (
            "Price in, out",
            lambda row: "{:.4g}, {:.4g}".format(*row.price) if row.price else MISSING,
        ),
        ("Cost", lambda row: money(row.cost) + (more if row is total else "")),
        total=len(rows) > len(costs.rows),
        note="Prices are those of the manifest, in US dollars per million tokens." if paid else "",
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
