"""What tokens cost: the user's own prices, else a published table that needs no network.

A price that neither knows is unknown, which is never the same as nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, cast

from peerjudge.data import Card, ModelSpec, Usage
from peerjudge.errors import CardError
from peerjudge.shelf.cards import PROVIDERS

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider

__all__ = ["PRICES_FILE", "Price", "Prices"]

PRICES_FILE = "prices.toml"

_MILLION = 1_000_000

_NAMES_THERE = {"gemini": "google", "xai": "x-ai"}
"""Providers that the table of prices knows by another name."""

_SHORT = 1_000
_LONG = 100_000
"""From so many prompt tokens some models cost more; such a call is looked up by itself. [tokens]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """USD per million tokens, and who says so."""

    input: float
    output: float
    source: str
    listed: tuple[Provider, ModelInfo] | None = None

    def cost(self, usage: Usage) -> float:
        """The cost of these tokens in USD, no discount for what a provider may have cached."""
        if self.listed is not None and usage.prompt_tokens >= _LONG:
            return sum(_listed(self.listed, usage))
        spent = usage.prompt_tokens * self.input + usage.completion_tokens * self.output
        return spent / _MILLION


class Prices:
    """The prices of reviewers, the user's own first.

    `own` is keyed by the name of a card, by `provider/model`, or by a model's name.
    """

    def __init__(self, own: Mapping[str, Price] | None = None) -> None:
        self._own = dict(own or {})

    @classmethod
    def read(cls, folder: Path) -> Prices:
        """The prices with those in the folder's `prices.toml`, if it has one.

            ["gpt-4o"]
            input = 2.5     # USD per million tokens
            output = 10

        Raises:
            CardError: The file is not like that.
        """
        path = folder / PRICES_FILE
        try:
            raw = tomllib.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError) as cause:
            msg = f"cannot read {path}: {cause}"
            raise CardError(msg) from cause
        return cls({name: _own(path, name, entry) for name, entry in raw.items()})

    def of(self, card: Card) -> Price | None:
        """What the tokens of this card's reviewer cost; `None` if that is not known."""
        spec = card.model
        names = [card.name]
        if spec is not None:
            names += [f"{spec.provider}/{spec.name}", spec.name]
        own = next((self._own[name] for name in names if name in self._own), None)
        return own if own is not None or spec is None else _published(spec)


def _own(path: Path, name: str, entry: object) -> Price:
    given = cast("dict[str, object]", entry if isinstance(entry, dict) else {})
    values = [given.get(key) for key in ("input", "output")]
    fine = all(
        isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")
        for value in values
    )
    if not fine or set(given) != {"input", "output"}:
        msg = (
            f"{path}: write the price of {name!r} in USD per million tokens, as in\n"
            f'["{name}"]\ninput = 2.5\noutput = 10'
        )
        raise CardError(msg)
    into, out = (float(cast("float", value)) for value in values)
    return Price(input=into, output=out, source=PRICES_FILE)


def _published(spec: ModelSpec) -> Price | None:
    """The price in the table of genai-prices, which is a part of that package."""
    from genai_prices.data_snapshot import get_snapshot

    known = PROVIDERS.get(spec.provider)
    elsewhere = spec.base_url is not None and (known is None or spec.base_url != known.base_url)
    if not elsewhere and known is None:
        return None
    try:
        # Whoever else speaks OpenAI's language at an address of its own has prices of its own.
        listed = get_snapshot().find_provider_model(
            spec.name,
            None,
            None if elsewhere else _NAMES_THERE.get(spec.provider, spec.provider),
            spec.base_url if elsewhere else None,
        )
        into, out = _listed(listed, Usage(prompt_tokens=_SHORT, completion_tokens=_SHORT))
    except LookupError:
        return None
    if not (into and out):
        return (
            None  # A listed model without a price for its tokens; free ones are named by the user.
        )
    each = _MILLION / _SHORT
    source = f"genai-prices {version('genai-prices')}"
    return Price(input=into * each, output=out * each, source=source, listed=listed)


def _listed(listed: tuple[Provider, ModelInfo], usage: Usage) -> tuple[float, float]:
    """USD for the prompt and for the reply, by the table."""
    from genai_prices import Usage as Tokens

    provider, model = listed
    tokens = Tokens(input_tokens=usage.prompt_tokens, output_tokens=usage.completion_tokens)
    found = model.calc_price(tokens, provider)
    return float(found.input_price), float(found.output_price)
