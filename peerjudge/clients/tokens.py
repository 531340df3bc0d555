"""Token counts and prices of model calls, without the network."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, cast

from autogen_core.models import CreateResult, LLMMessage, RequestUsage

from peerjudge.clients.vocabularies import find_encoding
from peerjudge.data import Card, ModelSpec, Usage
from peerjudge.errors import CardError
from peerjudge.logs import get_logger
from peerjudge.shelf.cards import PROVIDERS
from peerjudge.verdicts import split_thinking

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider

_log = get_logger()

_PRICES_FILE = "prices.toml"

_BYTES_PER_TOKEN = 4
_PER_MESSAGE = 3

_MILLION = 1_000_000

_CHECKED = 1_000
"""Estimated tokens from which a prompt is compared with the count of its server."""
_THOUSANDS = 5_000

_LISTED_NAMES = {"gemini": "google", "xai": "x-ai"}
"""Providers that the price table lists under another name."""

_SHORT = 1_000
_LONG = 100_000
"""Prompt tokens from which some models cost more; such calls are priced one by one."""


@dataclass
class ReportedUsage(RequestUsage):
    """Tokens as a server reported them, with those of the thinking within the reply."""

    thinking_tokens: int = 0


def add_usage(one: RequestUsage, other: RequestUsage) -> RequestUsage:
    """Return the tokens of both together."""
    return RequestUsage(
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
    )


def measure_usage(messages: Sequence[LLMMessage], result: CreateResult, *, model: str) -> Usage:
    """Return the tokens of a reply as the server reported them, else an estimate marked as one."""
    reported = result.usage
    text = result.content if isinstance(result.content, str) else repr(result.content)
    thinking, _ = split_thinking(text)
    thought = result.thought or ""
    if reported.prompt_tokens or reported.completion_tokens:
        prompt, reply, estimated = reported.prompt_tokens, reported.completion_tokens, False
    else:
        _say_count(model)
        said = f"{thought}{text}"
        prompt = count_messages(messages, model=model)
        reply, estimated = count_text(said, model=model) if said else 0, True
    counted = reported.thinking_tokens if isinstance(reported, ReportedUsage) else 0
    if not counted and (thinking or thought):
        counted = count_text(f"{thought}{thinking}", model=model)
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=reply,
        estimated=estimated,
        thinking_tokens=min(counted, reply),
    )


class PromptCheck:
    """Comparison of the tokens that were sent with those that the server counted, said once per model.

    Servers such as Ollama cut a prompt that is longer than their context without a word, and with its
    head go the instructions.

    Args:
        model: Name of the model.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._warned = False

    def check(self, messages: Sequence[LLMMessage], usage: Usage) -> None:
        """Warn if the server counted less than half of a long prompt."""
        if self._warned or usage.estimated or not usage.prompt_tokens:
            return
        # Runs of blanks are few tokens.
        texts = (each.content for each in messages if isinstance(each.content, str))
        sent = sum(estimate_tokens(" ".join(text.split())) for text in texts)
        if sent < _CHECKED or 2 * usage.prompt_tokens >= sent:
            return
        self._warned = True
        _log.warning(
            f"a prompt was probably cut by the server: sent about {_round(sent):,} tokens, the server "
            f"counted {usage.prompt_tokens:,}; raise the context length of the server (num_ctx at "
            "Ollama), or leave out long answers",
            model=self._model,
        )


def _round(tokens: int) -> int:
    """Return a number of some thousands without its last three digits."""
    return round(tokens, -3) if tokens >= _THOUSANDS else round(tokens, -2)


def count_messages(messages: Sequence[LLMMessage], *, model: str) -> int:
    """Count the tokens of a prompt, with a few for the frame of each message."""
    return sum(
        _PER_MESSAGE
        + count_text(
            message.content if isinstance(message.content, str) else repr(message.content),
            model=model,
        )
        for message in messages
    )


def count_text(text: str, *, model: str) -> int:
    """Count the tokens of a text in the model's vocabulary if it is cached, else estimate them."""
    encoding = find_encoding(model)
    return estimate_tokens(text) if encoding is None else len(encoding.encode_ordinary(text))


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: one for four bytes, at least one."""
    # Most prompts are ASCII, and a copy of each as bytes is a measurable part of a call.
    size = len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))
    return max(1, size // _BYTES_PER_TOKEN)


@cache
def _say_count(model: str) -> None:
    """Log once for each model how the tokens are counted that its server does not report."""
    encoding = find_encoding(model)
    if encoding is not None:
        _log.info("no usage reported: tokens are counted", model=model, encoding=encoding.name)
        return
    _log.warning(
        "no usage reported: tokens are estimated as one for four bytes; after "
        "`peerjudge download tokenizers` they are counted",
        model=model,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Price in USD per million tokens, and its source."""

    input: float
    output: float
    source: str
    listed: tuple[Provider, ModelInfo] | None = None
    factor: float = 1.0
    """Discount of a batch, which `input` and `output` contain."""

    def cost(self, usage: Usage) -> float:
        """Return the cost of these tokens in USD, without discounts for a provider's own cache."""
        if self.listed is not None and usage.prompt_tokens >= _LONG:
            return self.factor * sum(_listed_cost(self.listed, usage))
        spent = usage.prompt_tokens * self.input + usage.completion_tokens * self.output
        return spent / _MILLION

    def discount(self, factor: float) -> Price:
        """Return the price multiplied by a factor."""
        return replace(
            self,
            input=factor * self.input,
            output=factor * self.output,
            factor=factor * self.factor,
            source=f"{self.source}, batch",
        )


class Prices:
    """Prices of reviewers: the user's own first, then a published table.

    `own` is keyed by card name, by `provider/model`, or by model name. An unknown price is `None`,
    never 0.
    """

    def __init__(self, own: Mapping[str, Price] | None = None) -> None:
        self._own = dict(own or {})

    @classmethod
    def read(cls, folder: Path) -> Prices:
        """Read the folder's `prices.toml`, if there is one.

            ["gpt-4o"]
            input = 2.5     # USD per million tokens
            output = 10

        Raises:
            CardError: The file cannot be read or has another form.
        """
        path = folder / _PRICES_FILE
        try:
            raw = tomllib.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, RecursionError) as cause:
            msg = f"cannot read {path}: {cause}"
            raise CardError(msg) from cause
        return cls({name: _read_price(path, name, entry) for name, entry in raw.items()})

    def find(self, card: Card) -> Price | None:
        """Return the price of a card's model; `None` if it is unknown."""
        spec = card.model
        names = [card.name]
        if spec is not None:
            names += [f"{spec.provider}/{spec.name}", spec.name]
        own = next((self._own[name] for name in names if name in self._own), None)
        return own if own is not None or spec is None else _find_published(spec)


def _read_price(path: Path, name: str, entry: object) -> Price:
    given = cast("dict[str, object]", entry if isinstance(entry, dict) else {})
    values = [given.get(key) for key in ("input", "output")]
    valid = all(
        isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")
        for value in values
    )
    if not valid or set(given) != {"input", "output"}:
        msg = (
            f"{path}: write the price of {name!r} in USD per million tokens, as in\n"
            f'["{name}"]\ninput = 2.5\noutput = 10'
        )
        raise CardError(msg)
    prompt, reply = (float(cast("float", value)) for value in values)
    return Price(input=prompt, output=reply, source=_PRICES_FILE)


def _find_published(spec: ModelSpec) -> Price | None:
    """Look up a model in the table that ships with genai-prices."""
    from genai_prices.data_snapshot import get_snapshot

    provider = PROVIDERS.get(spec.provider)
    elsewhere = spec.base_url is not None and (
        provider is None or spec.base_url != provider.base_url
    )
    if not elsewhere and provider is None:
        return None
    try:
        # A server with an address of its own has prices of its own, also when it has OpenAI's API.
        listed = get_snapshot().find_provider_model(
            spec.name,
            None,
            None if elsewhere else _LISTED_NAMES.get(spec.provider, spec.provider),
            spec.base_url if elsewhere else None,
        )
        prompt, reply = _listed_cost(listed, Usage(prompt_tokens=_SHORT, completion_tokens=_SHORT))
    except LookupError:
        return None
    if not (prompt and reply):
        return None  # listed without token prices; a free model needs an entry in prices.toml
    each = _MILLION / _SHORT
    source = f"genai-prices {version('genai-prices')}"
    return Price(input=prompt * each, output=reply * each, source=source, listed=listed)


def _listed_cost(listed: tuple[Provider, ModelInfo], usage: Usage) -> tuple[float, float]:
    """Return the listed cost of the prompt and of the reply in USD."""
    from genai_prices import Usage as Tokens

    provider, model = listed
    tokens = Tokens(input_tokens=usage.prompt_tokens, output_tokens=usage.completion_tokens)
    found = model.calc_price(tokens, provider)
    return float(found.input_price), float(found.output_price)
