"""Kind of a model client, and a seat's sampling in the names of its provider."""

from __future__ import annotations

import re
from typing import Literal

from autogen_core.models import ChatCompletionClient

from peerjudge.clients.calls import ClientProxy
from peerjudge.clients.fake import FakeChatClient
from peerjudge.data import Sampling

Dialect = Literal["openai", "anthropic", "ollama"]

TOP_LOGPROBS = 20
"""Alternatives requested per token with log-probabilities (OpenAI's maximum)."""

# Models that take the bound of a reply, reasoning included, under another name.
_REASONING = re.compile(r"^(o\d|gpt-5)")

_SETTINGS = ("temperature", "top_p", "seed", "max_tokens")

_NAMES: dict[Dialect, dict[str, str]] = {
    "openai": {name: name for name in _SETTINGS},
    "anthropic": {name: name for name in _SETTINGS if name != "seed"},
    # AutoGen's Ollama client moves these into the request's options, next to the card's own.
    "ollama": {name: name for name in _SETTINGS} | {"max_tokens": "num_predict"},
}


def create_args(
    sampling: Sampling, dialect: Dialect, *, model: str = ""
) -> tuple[dict[str, object], tuple[str, ...]]:
    """Return the `extra_create_args` of this sampling, and the settings the provider lacks."""
    names = _NAMES[dialect]
    args: dict[str, object] = {}
    dropped: list[str] = []
    for setting in _SETTINGS:
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


def find_dialect(client: ChatCompletionClient) -> Dialect:
    """Return the dialect of a client by its class; "openai" for unknown classes."""
    for kind in _classes(client):
        if kind.__module__.startswith("autogen_ext.models.anthropic"):
            return "anthropic"
        if kind.__module__.startswith("autogen_ext.models.ollama"):
            return "ollama"
    return "openai"


def is_simulated(client: ChatCompletionClient) -> bool:
    """Return whether a client replays or fakes replies instead of calling a model."""
    return any(
        issubclass(kind, FakeChatClient) or kind.__module__.startswith("autogen_ext.models.replay")
        for kind in _classes(client)
    )


def _classes(client: ChatCompletionClient) -> tuple[type[object], ...]:
    """Return the class of the innermost client and its bases."""
    while isinstance(client, ClientProxy):
        client = client.inner
    return type(client).__mro__
