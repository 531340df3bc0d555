"""Progress, cost and conclusions of one run, as they are now."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from peerjudge.analysis.listing import Against, State
from peerjudge.registry import offers
from peerjudge.store.archive import UNBILLED, Booked
from peerjudge.store.browsing import Total
from peerjudge.store.database import Location
from peerjudge.web.library import ShownRun


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionRow:
    """Sums of one condition, or of all. `right` of `decided` conclusions are gold.

    `cost` is in millionths of a USD, `None` where a price is unknown.
    """

    name: str
    done: int
    failed: int
    open: int
    turns: int
    tokens: int
    cost: int | None
    right: int
    decided: int
    undecided: int

    @property
    def indexed(self) -> int:
        """The number of discussions in the index."""
        return self.done + self.failed + self.open


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """Calls of one reviewer in the store: by all of its runs."""

    reviewer: str
    paid: int
    in_flight: int
    failed: int
    lost: int
    usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """A run as it is now. `version` changes with it.

    `planned` is what the run has listed so far, which grows while it runs; `total` sums its conditions.
    `people` counts the open requests to people, by card.
    """

    planned: int
    total: ConditionRow
    conditions: Sequence[ConditionRow]
    calls: Sequence[CallRow]
    failures: Sequence[tuple[str, int]]
    limits: Mapping[str, str]
    people: Mapping[str, int]
    is_whole: bool
    simulated: bool
    version: str


async def describe_run(run: ShownRun) -> Overview:
    """Return the progress of a run; raises `StoreError` if the store or its index cannot be read."""
    planned = await run.store.count_members(run.id)
    booked = await run.store.booked()
    totals = await asyncio.to_thread(run.reader.totals, run.id)
    failures = await asyncio.to_thread(run.reader.failures, run.id)
    by_condition: dict[str, list[Total]] = {name: [] for name in run.conditions}
    for one in totals:
        by_condition.setdefault(one.condition, []).append(one)
    total = _sum("", totals)
    calls = _list_calls(booked)
    people = await asyncio.to_thread(_count_requests, run.store.location)
    moving = (
        planned,
        total.done,
        total.failed,
        total.open,
        total.turns,
        sum(row.in_flight for row in calls),
        sum(people.values()),
        int(run.follower.whole.is_set()),
    )
    return Overview(
        planned=planned,
        total=total,
        conditions=[_sum(name, these) for name, these in by_condition.items()],
        calls=calls,
        failures=failures,
        limits=_read_limits(run.declared),
        people=people,
        is_whole=run.follower.whole.is_set(),
        simulated=_is_simulated(run.manifest),
        version="-".join(map(str, moving)),
    )


def _count_requests(location: Location) -> dict[str, int]:
    """Return the number of open requests to people by card: of all runs of the store."""
    counts: dict[str, int] = {}
    for count in offers("open requests").values():
        counts |= count(location)
    return counts


def _sum(name: str, totals: Sequence[Total]) -> ConditionRow:
    def count(state: State) -> int:
        return sum(total.discussions for total in totals if total.state is state)

    def against(*wanted: Against) -> int:
        return sum(one.discussions for one in totals if one.against in wanted)

    return ConditionRow(
        name=name,
        done=count(State.DONE),
        failed=count(State.FAILED),
        open=count(State.OPEN),
        turns=sum(one.turns for one in totals),
        tokens=sum(one.tokens for one in totals),
        cost=None if any(one.unpriced for one in totals) else sum(one.cost for one in totals),
        right=against(Against.RIGHT),
        decided=against(Against.RIGHT, Against.WRONG),
        undecided=against(Against.UNDECIDED),
    )


def _list_calls(booked: Sequence[Booked]) -> list[CallRow]:
    found: dict[str, dict[str, Booked]] = {}
    for one in booked:
        found.setdefault(one.reviewer, {})[one.outcome] = one

    def count(outcomes: Mapping[str, Booked], name: str) -> int:
        return outcomes[name].calls if name in outcomes else 0

    return [
        CallRow(
            reviewer=reviewer,
            paid=count(outcomes, "paid"),
            in_flight=count(outcomes, "open"),
            failed=count(outcomes, "failed"),
            lost=count(outcomes, "lost"),
            usd=sum(outcome.usd for outcome in outcomes.values() if outcome.outcome != UNBILLED),
        )
        for reviewer, outcomes in found.items()
    ]


def _read_limits(declared: Mapping[str, object]) -> dict[str, str]:
    limits = cast("Mapping[str, object]", declared.get("limits") or {})
    return {
        name.replace("_", " "): str(value)
        for name, value in limits.items()
        if value not in (None, 0, "")
    }


def _is_simulated(manifest: Mapping[str, object]) -> bool:
    cards = cast("Mapping[str, Mapping[str, object]]", manifest.get("cards") or {})
    return any(card.get("kind") == "simulated" for card in cards.values())
