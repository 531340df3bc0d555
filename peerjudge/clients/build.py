"""Builds the AutoGen model client that a card asks for, or says in one sentence why it cannot."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NoReturn, cast

from autogen_core.models import ChatCompletionClient, ModelFamily, ModelInfo
from pydantic import BaseModel, ValidationError

from peerjudge.clients.components import load_client
from peerjudge.data import Card, ModelSpec
from peerjudge.errors import CardError
from peerjudge.shelf.cards import PROVIDERS, Provider

__all__ = ["build_client", "secrets_of"]

_NO_KEY = "no-key-needed"
_PARSED = r"Pydantic serializer warnings:\s+\S+\(Expected `none` .*field_name='parsed'"


def build_client(card: Card, *, environ: Mapping[str, str]) -> ChatCompletionClient:
    """The model client of a card, with its own retries off. Keys are looked up in `environ`.

    The usual variable of a provider is used only at the provider's usual address: a key is never
    sent to a `base_url` unless the card names it in `key_env`.

    Raises:
        CardError: The key is missing, an extra is not installed, an option is unknown, or the
            component cannot be loaded.
    """
    spec = card.model
    if spec is None:
        msg = f"card {card.name!r} has no [model], so there is no client to build for it"
        raise CardError(msg)
    provider = PROVIDERS.get(spec.provider)
    if provider is None:
        return _from_path(card, spec, environ)
    key = _key(card, spec, provider, environ)
    if provider.dialect == "anthropic":
        return _anthropic(card, spec, provider, key)
    if provider.dialect == "ollama":
        return _ollama(card, spec, provider, key)
    return _openai(card, spec, provider, key)


def secrets_of(card: Card, *, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The keys that the client of this card is given."""
    spec = card.model
    provider = None if spec is None else PROVIDERS.get(spec.provider)
    named = (spec and spec.key_env, provider and provider.key_env)
    return tuple(environ[name].strip() for name in named if name and name in environ)


def _openai(card: Card, spec: ModelSpec, provider: Provider, key: str) -> ChatCompletionClient:
    from openai.types.chat.completion_create_params import CompletionCreateParamsBase

    from peerjudge.clients.openai_client import QuickOpenAIClient, aiohttp_transport

    # Servers answer with names of their own ("gpt-4o" becomes "gpt-4o-2024-08-06"); that is no news.
    warnings.filterwarnings("ignore", message="Resolved model mismatch", category=UserWarning)
    # AutoGen logs replies that openai has parsed without telling pydantic what they were parsed into.
    warnings.filterwarnings("ignore", message=_PARSED, category=UserWarning)
    known = _schema(QuickOpenAIClient) | set(CompletionCreateParamsBase.__annotations__)
    settings: dict[str, Any] = {
        "model": spec.name,
        "api_key": key or _NO_KEY,
        "base_url": spec.base_url or provider.base_url,
        "max_retries": 0,
        "timeout": card.limits.timeout,
        "include_name_in_message": False,
    } | _options(card, spec, known | {"extra_body"})
    settings["model_info"] = _model_info(spec)
    settings["http_client"] = aiohttp_transport(settings["timeout"])
    return QuickOpenAIClient(settings)


def _anthropic(card: Card, spec: ModelSpec, provider: Provider, key: str) -> ChatCompletionClient:
    try:
        from autogen_ext.models.anthropic import AnthropicChatCompletionClient
    except ImportError as cause:
        _missing_extra(card, "anthropic", cause)
    settings: dict[str, Any] = {
        "model": spec.name,
        "api_key": key or _NO_KEY,
        "base_url": spec.base_url or provider.base_url,
        "max_retries": 0,
        "timeout": card.limits.timeout,
    } | _options(card, spec, _schema(AnthropicChatCompletionClient))
    settings["model_info"] = _model_info(spec)
    return AnthropicChatCompletionClient(**settings)


def _ollama(card: Card, spec: ModelSpec, provider: Provider, key: str) -> ChatCompletionClient:
    try:
        from autogen_ext.models.ollama import OllamaChatCompletionClient
        from ollama import Options
    except ImportError as cause:
        _missing_extra(card, "ollama", cause)
    known = _schema(OllamaChatCompletionClient) | set(Options.model_fields) | {"keep_alive"}
    settings: dict[str, Any] = {
        "model": spec.name,
        "host": spec.base_url or provider.base_url,
        "timeout": card.limits.timeout,
    } | _options(card, spec, known)
    if key:
        settings["headers"] = {"Authorization": f"Bearer {key}"}
    settings["model_info"] = _model_info(spec)
    return OllamaChatCompletionClient(**settings)


def _from_path(card: Card, spec: ModelSpec, environ: Mapping[str, str]) -> ChatCompletionClient:
    """The client at a component path, given whatever its configuration has a place for."""
    schema = _schema(_component(card, spec.provider))
    usual: dict[str, object] = {
        "model": spec.name or None,
        "base_url": spec.base_url,
        "host": spec.base_url,
        "api_key": _variable(card, spec.key_env, environ) if spec.key_env else None,
        "max_retries": 0,
        "timeout": card.limits.timeout,
    }
    config = {
        name: value for name, value in usual.items() if name in schema and value is not None
    } | _options(card, spec, schema)
    try:
        return load_client({"provider": spec.provider, "component_type": "model", "config": config})
    except ValidationError as cause:
        first = cause.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        _fail(card, f"does not give {spec.provider} what it needs: {place}: {first['msg']}")
    except (ImportError, TypeError, ValueError, AttributeError) as cause:
        _fail(card, f"cannot build {spec.provider}: {cause}", cause)


def _component(card: Card, path: str) -> type[object]:
    module, _, name = path.rpartition(".")
    try:
        found: object = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as cause:
        _fail(card, f"names the client {path!r}, which cannot be imported: {cause}", cause)
    if not (isinstance(found, type) and issubclass(found, ChatCompletionClient)):
        _fail(card, f"names {path!r}, which is not an AutoGen ChatCompletionClient class")
    return cast("type[object]", found)


def _key(card: Card, spec: ModelSpec, provider: Provider, environ: Mapping[str, str]) -> str:
    if spec.key_env:
        return _variable(card, spec.key_env, environ)
    elsewhere = spec.base_url not in (None, provider.base_url)
    return "" if elsewhere or not provider.key_env else _variable(card, provider.key_env, environ)


def _variable(card: Card, name: str, environ: Mapping[str, str]) -> str:
    key = environ.get(name, "").strip()
    if not key:
        _fail(
            card, f"needs its key in the environment variable {name}, which is not set: export it"
        )
    return key


def _model_info(spec: ModelSpec) -> ModelInfo:
    """What AutoGen wants to know of a model; it refuses names it has not heard of without it."""
    default: ModelInfo = {
        "vision": False,
        "function_calling": True,
        "json_output": True,
        "structured_output": True,
        "family": ModelFamily.UNKNOWN,
        "multiple_system_messages": False,
    }
    given = spec.options.get("model_info")
    return cast("ModelInfo", default | given) if isinstance(given, dict) else default


def _schema(client: type[object]) -> set[str]:
    """The settings that a client's configuration names."""
    schema: type[BaseModel] | None = getattr(client, "component_config_schema", None)
    return set(schema.model_fields) if schema is not None else set()


def _options(card: Card, spec: ModelSpec, known: Iterable[str]) -> dict[str, Any]:
    # AutoGen's clients silently ignore what they do not know.
    for option in spec.options:
        if option not in known:
            close = get_close_matches(option, list(known), n=1)
            guess = (
                f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(known))}"
            )
            _fail(card, f"has an unknown option {option!r} for {spec.provider}: {guess}")
    return dict(spec.options)


def _missing_extra(card: Card, extra: str, cause: ImportError) -> NoReturn:
    _fail(card, f"needs the {extra} client: pip install 'peerjudge[{extra}]'", cause)


def _fail(card: Card, problem: str, cause: BaseException | None = None) -> NoReturn:
    msg = f"card {card.name!r} {problem}"
    raise CardError(msg) from cause
