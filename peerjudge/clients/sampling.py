"""What kind of client this is, what it calls the sampling of a seat, and what it cannot take."""

from __future__ import annotations

import re
from typing import Literal

from autogen_core.models import ChatCompletionClient

from peerjudge.clients.fake import FakeChatClient
from peerjudge.clients.passing import Passing
from peerjudge.data import Sampling

__all__ = ["TOP_LOGPROBS", "Dialect", "create_args", "dialect_of", "is_simulated"]

Dialect = Literal["openai", "anthropic", "ollama"]

TOP_LOGPROBS = 20
"""Alternatives asked for with every token when log-probabilities are wanted (OpenAI's maximum)."""

# Models that call the bound on their reply, their reasoning included, by another name.
_REASONING = re.compile(r"^(o\d|gpt-5)")

_NAMES: dict[Dialect, dict[str, str]] = {
    "openai": {
        "temperature": "temperature",
        "top_p": "top_p",
        "seed": "seed",
        "max_tokens": "max_tokens",
    },
    "anthropic": {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_tokens"},
    # AutoGen's Ollama client moves these into the request's options, next to the card's own.
    "ollama": {
        "temperature": "temperature",
        "top_p": "top_p",
        "seed": "seed",
        "max_tokens": "num_predict",
    },
}


def create_args(
    sampling: Sampling, dialect: Dialect, *, model: str = ""
) -> tuple[dict[str, object], tuple[str, ...]]:
    """The arguments of one call that carry this sampling, and the settings that must be dropped."""
    names = _NAMES[dialect]
    args: dict[str, object] = {}
    dropped: list[str] = []
    for setting in ("temperature", "top_p", "seed", "max_tokens"):
        value: object = getattr(sampling, setting)
        if value is None:
            continue
        if setting in names:
            args[names[setting]] = value
        else:
            dropped.append(setting)
    if dialect == "openai" and _REASONING.match(model) and "max_tokens" in args:
        args["max_completion_tokens"] = args.pop("max_tokens")
    if sampling.logprobs and dialect == "openai":
        args |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
    elif sampling.logprobs:
        dropped.append("logprobs")
    return args, tuple(dropped)


def dialect_of(client: ChatCompletionClient) -> Dialect:
    """How this client wants to be asked, by its class; unknown clients are taken to follow OpenAI."""
    for kind in _kinds(client):
        if kind.__module__.startswith("autogen_ext.models.anthropic"):
            return "anthropic"
        if kind.__module__.startswith("autogen_ext.models.ollama"):
            return "ollama"
    return "openai"


def is_simulated(client: ChatCompletionClient) -> bool:
    """Whether no model speaks through this client: it replays, or it is a fake."""
    return any(
        issubclass(kind, FakeChatClient) or kind.__module__.startswith("autogen_ext.models.replay")
        for kind in _kinds(client)
    )


def _kinds(client: ChatCompletionClient) -> tuple[type[object], ...]:
    while isinstance(client, Passing):
        client = client.inner
    return type(client).__mro__
