"""Limits of forks: those of the run that they fork, less what it and its other forks have spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from peerjudge.errors import ExperimentError
from peerjudge.features.forks.preparing import PreparedForks
from peerjudge.runs import Costs, estimate_calls, read_manifest
from peerjudge.runs.bounds import Bounds
from peerjudge.runs.ledger import read_spent
from peerjudge.runs.manifest import LIMITS, MANIFEST
from peerjudge.shown import money
from peerjudge.store import Archive

__all__ = ["inherit_limits", "say_estimate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limit:
    """A limit of the run: its option, its value, and what was spent."""

    option: str
    most: float
    spent: float

    def show(self, value: float) -> str:
        return money(value) if self.option == "--cost-limit" else f"{value:,.0f} tokens"


async def inherit_limits(bounds: Bounds, folder: Path, costs: Costs) -> Bounds:
    """Return the bounds of forks, with the limits of their run where they have none of their own.

    The limits of a run are those of the last command that played it. They hold for the run and all its
    forks together.

    Args:
        bounds: The bounds that were given.
        folder: The folder of the forks, which is in that of the run.
        costs: Prices of the reviewers.

    Raises:
        ExperimentError: The run and its other forks have used up a limit, or a price is unknown.
        StoreError: What they have spent cannot be read.
    """
    run = folder.parent.parent
    given = cast("Mapping[str, float]", read_manifest(run).get(LIMITS) or {})
    if not given or bounds.cost_limit is not None or bounds.token_limit is not None:
        return bounds
    others = sorted(each.parent for each in folder.parent.glob(f"*/{MANIFEST}"))
    tokens, usd = 0, 0.0
    for place in (run, *(other for other in others if other != folder)):
        async with Archive.open(place) as store:
            spent = await read_spent(store, costs)
        tokens, usd = tokens + spent.tokens, usd + spent.usd
    left: dict[str, float] = {}
    for name, limit in (
        ("usd", _Limit(option="--cost-limit", most=given.get("usd", 0.0), spent=usd)),
        ("tokens", _Limit(option="--token-limit", most=given.get("tokens", 0), spent=tokens)),
    ):
        if name not in given:
            continue
        left[name] = limit.most - limit.spent
        if left[name] <= 0:
            msg = (
                f"{run} was played with {limit.option} {limit.most:g}, and it and its forks have spent "
                f"{limit.show(limit.spent)}; give these forks a {limit.option} of their own"
            )
            raise ExperimentError(msg)
    return replace(
        bounds,
        cost_limit=left.get("usd"),
        token_limit=None if "tokens" not in left else int(left["tokens"]),
    )


def say_estimate(prepared: PreparedForks, bounds: Bounds) -> str:
    """Return what forks take at most, and the limits at which they stop, in one sentence."""
    estimate = estimate_calls(prepared.plan, prepared.costs)
    kind = "simulated calls" if estimate.simulated else "paid calls"
    limits = [
        *([] if bounds.cost_limit is None else [money(bounds.cost_limit)]),
        *([] if bounds.token_limit is None else [f"{bounds.token_limit:,} tokens"]),
    ]
    stops = f"; stops at {' or '.join(limits)}" if limits else "; no limit"
    return (
        f"{len(prepared.plan):,} forks of {len(prepared.parents):,} discussions: at most "
        f"{estimate.calls:,} {kind}, {estimate.tokens:,} tokens, cost: {money(estimate.cost_usd)}{stops}"
    )
