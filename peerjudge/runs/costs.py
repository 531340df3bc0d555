"""What the reviewers of an experiment cost: nothing, so much a token, or nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.data import ReviewerKind, Usage
from peerjudge.errors import ExperimentError
from peerjudge.runs.plan import Cast

if TYPE_CHECKING:
    from peerjudge.clients import Price

__all__ = ["Costs", "costs_of"]

_FREE = frozenset({ReviewerKind.SIMULATED, ReviewerKind.RECORDED})


def _no_prices() -> dict[str, Price | None]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The prices of the reviewers that may cost something; the others are free."""

    prices: Mapping[str, Price | None] = field(default_factory=_no_prices)

    def of(self, reviewer: str, usage: Usage) -> float | None:
        """The cost in USD of these tokens from this reviewer; `None` if its price is not known."""
        if reviewer not in self.prices:
            return 0.0
        price = self.prices[reviewer]
        return None if price is None else price.cost(usage)

    def require_known(self) -> None:
        """Raise `ExperimentError` if anybody's price is not known, as a limit in USD needs it."""
        unknown = [name for name, price in self.prices.items() if price is None]
        if unknown:
            msg = (
                f"nobody knows what {', '.join(unknown)} costs, so no limit in USD can be kept: "
                f'write its price into prices.toml (["{unknown[0]}"], input and output in USD per '
                "million tokens), or set --token-limit instead"
            )
            raise ExperimentError(msg)

    def document(self) -> dict[str, object]:
        """The prices in USD per million tokens as they go into a manifest."""
        return {
            name: None
            if price is None
            else {"input": price.input, "output": price.output, "source": price.source}
            for name, price in sorted(self.prices.items())
        }


def costs_of(cast: Cast, *, project: Path) -> Costs:
    """The prices of everybody in the cast, the project's `prices.toml` first.

    Raises `CardError` if that file cannot be read.
    """
    charged = {name: card for name, card in cast.items() if card.kind not in _FREE}
    if not charged:
        return Costs()
    # AutoGen comes with it, which takes most of a second that simulated reviewers do without.
    from peerjudge.clients import Prices

    prices = Prices.read(project)
    return Costs(prices={name: prices.find(card) for name, card in charged.items()})
