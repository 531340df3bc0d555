"""Cost of a run: the paid tokens of each reviewer at the prices in the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from peerjudge.analysis.effort import Spoken

_MILLION = 1_000_000


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
