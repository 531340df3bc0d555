"""Construction of model clients from cards, and the pool of a run's clients."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn, Protocol, Self, cast
from urllib.parse import parse_qsl, quote, quote_plus

from autogen_core import ComponentModel
from autogen_core.models import ChatCompletionClient, ModelFamily, ModelInfo
from httpx2 import InvalidURL
from pydantic import BaseModel, ValidationError

from peerjudge.clients.cache import MemoryCache, ResponseCache, SingleFlight
from peerjudge.clients.gateway import Governed
from peerjudge.clients.limits import Window
from peerjudge.clients.tokens import Price
from peerjudge.data import Card, ModelSpec, content_hash, to_plain
from peerjudge.data.choices import suggest_choice
from peerjudge.errors import CardError
from peerjudge.shelf.cards import PROVIDERS, Provider

_NO_KEY = "no-key-needed"
_NAMESPACES = "AUTOGEN_ALLOWED_PROVIDER_NAMESPACES"
_PARSED = r"Pydantic serializer warnings:\s+\S+\(Expected `none` .*field_name='parsed'"


class Carrier(Protocol):
    """What carries the requests of some cards in place of single calls, such as batches."""

    def takes(self, card: Card) -> bool:
        """Return whether it carries the requests of a card."""
        ...

    def open_transport(self, dialect: str) -> Any:  # noqa: ANN401  of the HTTP library of the client
        """Return the asynchronous HTTP transport of a client with this API, `openai` or `anthropic`."""
        ...


class ClientPool:
    """Pool of governed clients, one per card: `async with ClientPool(...) as pool`.

    Cards with the same model and settings share one inner client (building one takes longer than
    many calls) and its connections. Cards with the same provider, address and key share a window,
    which adapts the number of concurrent calls to the provider. All cards share the cache and the
    book. Each card has its own limits.

    Args:
        environ: Environment with the API keys, usually `os.environ`.
        cache: Cache of replies; in memory by default.
        world: Namespace of this pool's replies in a shared cache, such as an experiment's seed.
        prices: Prices by card name; `None` or a missing entry where the price is unknown.
        carrier: Carries the calls of the cards that it takes.
    """

    def __init__(
        self,
        *,
        environ: Mapping[str, str],
        cache: ResponseCache | None = None,
        world: str = "",
        prices: Mapping[str, Price | None] | None = None,
        carrier: Carrier | None = None,
    ) -> None:
        self._carrier = carrier
        self._environ = environ
        self._world = world
        self._prices = dict(prices or {})
        self._flights = SingleFlight(MemoryCache() if cache is None else cache)
        self._clients: dict[str, ChatCompletionClient] = {}
        self._governed: dict[str, Governed] = {}
        self._windows: dict[tuple[str, ...], Window] = {}

    def client(self, card: Card) -> Governed:
        """Return the client of a card; raise `CardError` if it cannot be built."""
        name = content_hash(card.name, to_plain(card.model), to_plain(card.limits))
        governed = self._governed.get(name)
        if governed is None:
            governed = self._governed[name] = self._govern(card)
        return governed

    def _govern(self, card: Card) -> Governed:
        setting = content_hash(to_plain(card.model), card.limits.timeout)
        inner = self._clients.get(setting)
        if inner is None:
            inner = self._clients[setting] = self._build(card)
        model = card.model
        return Governed(
            inner,
            reviewer=card.name,
            model=model.name or model.provider if model is not None else "",
            # Without the variable of the key, as it changes no reply.
            identity=content_hash(
                [model.provider, model.name, model.base_url or "", dict(model.options), self._world]
                if model is not None
                else None
            ),
            limits=card.limits,
            window=None if model is None else self._window(model),
            price=self._prices.get(card.name),
            secrets=find_secrets(card, environ=self._environ),
            flights=self._flights,
            batched=self._find_carrier(card) is not None,
        )

    def _build(self, card: Card) -> ChatCompletionClient:
        return build_client(card, environ=self._environ, carrier=self._find_carrier(card))

    def _find_carrier(self, card: Card) -> Carrier | None:
        carrier = self._carrier
        return carrier if carrier is not None and carrier.takes(card) else None

    def _window(self, model: ModelSpec) -> Window:
        return self._windows.setdefault(
            (model.provider, model.base_url or "", model.key_env or ""),
            Window(name=model.base_url or model.provider),
        )

    async def close(self) -> None:
        """Close every client, once."""
        clients = list(self._clients.values())
        self._clients.clear()
        self._governed.clear()
        for client in clients:
            await client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def allow_namespace(namespace: str) -> None:
    """Let AutoGen load components from this top-level package.

    Versions after 0.7.5 load only their own unless an environment variable names the package.
    """
    allowed = [name for name in os.environ.get(_NAMESPACES, "").split(",") if name]
    if namespace not in allowed:
        os.environ[_NAMESPACES] = ",".join([*allowed, namespace])


def load_client(component: Mapping[str, object] | ComponentModel) -> ChatCompletionClient:
    """Return the model client of a component form; imports the provider path that it names."""
    model = (
        component
        if isinstance(component, ComponentModel)
        else ComponentModel.model_validate(dict(component))
    )
    allow_namespace(model.provider.partition(".")[0])
    return ChatCompletionClient.load_component(model)


def build_client(
    card: Card, *, environ: Mapping[str, str], carrier: Carrier | None = None
) -> ChatCompletionClient:
    """Build the model client of a card, with its own retries off. Keys come from `environ`.

    A provider's default key variable is used only at the provider's default address: a key is sent
    to a `base_url` only if the card names its variable in `key_env`. `carrier` carries its requests; it takes
    the card.

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
    address, query = _split_address(card, spec, provider, environ)
    settings: dict[str, Any] = {
        "model": spec.name,
        "base_url": address,
        "api_key": _key(card, spec, provider, environ) or _NO_KEY,
        "max_retries": 0,
        "timeout": card.limits.timeout,
    }
    wire = _Wire(
        query=query,
        headers={
            name: _variable(card, variable, environ) for name, variable in spec.headers_env.items()
        },
        carrier=carrier,
    )
    build = {"openai": _build_openai, "anthropic": _build_anthropic, "ollama": _build_ollama}
    try:
        return build[provider.dialect](card, spec, settings, wire)
    except (ValueError, OSError, InvalidURL) as cause:
        # A proxy or a certificate of the environment; a proxy may hold a password.
        if isinstance(cause, FileNotFoundError):
            _fail(
                card, f"cannot read the certificates that {_name_set(_CERTIFICATES)} names", cause
            )
        hint = f" (also look at {_name_set(_PROXIES)})" if _name_set(_PROXIES) else ""
        reason = "" if _name_set(_PROXIES) else f": {cause}"
        _fail(card, f"cannot build the client of {spec.provider}{reason}{hint}", cause)


_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


def _name_set(variables: Iterable[str]) -> str:
    """Return the names of those variables that are set."""
    return ", ".join(name for name in variables if os.environ.get(name))


class _Wire(NamedTuple):
    """What goes out with every request of a client, and what carries it."""

    query: tuple[tuple[str, str], ...]
    headers: Mapping[str, str]
    carrier: Carrier | None


def _split_address(
    card: Card, spec: ModelSpec, provider: Provider, environ: Mapping[str, str]
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the address of a model without its query, and the parameters of all its requests."""
    address, _, query = (spec.base_url or provider.base_url).partition("?")
    given = [
        (name, _variable(card, variable, environ)) for name, variable in spec.query_env.items()
    ]
    return address, (*parse_qsl(query, keep_blank_values=True), *given)


def find_secrets(card: Card, *, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys and other values of the environment that the client of a card may get.

    A value counts as it is, as it stands in a URL, and without the scheme before it.
    """
    spec = card.model
    if spec is None:
        return ()
    provider = PROVIDERS.get(spec.provider)
    named = (spec.key_env, provider and provider.key_env)
    sent = (*spec.headers_env.values(), *spec.query_env.values())
    values = [environ[name].strip() for name in (*named, *sent) if name and name in environ]
    forms = [
        form
        for value in values
        for form in (value, quote(value, safe=""), quote_plus(value), value.split(" ")[-1])
    ]
    return tuple(dict.fromkeys(forms))


def _build_openai(
    card: Card,
    spec: ModelSpec,
    settings: dict[str, Any],
    wire: _Wire,
) -> ChatCompletionClient:
    from autogen_ext.models.openai import OpenAIChatCompletionClient
    from openai.types.chat.completion_create_params import CompletionCreateParamsBase

    from peerjudge.clients.openai_client import OpenAIClient

    # Servers answer with more exact names ("gpt-4o" becomes "gpt-4o-2024-08-06").
    warnings.filterwarnings("ignore", message="Resolved model mismatch", category=UserWarning)
    # AutoGen logs replies that openai parsed into a type unknown to pydantic.
    warnings.filterwarnings("ignore", message=_PARSED, category=UserWarning)
    known = _schema(OpenAIChatCompletionClient) | set(CompletionCreateParamsBase.__annotations__)
    settings["include_name_in_message"] = False
    transport = None if wire.carrier is None else wire.carrier.open_transport("openai")
    given = _add_options(settings, card, spec, known | {"extra_body", "stream"})
    return OpenAIClient(_add_headers(given, wire), transport=transport, query=wire.query)


def _build_anthropic(
    card: Card, spec: ModelSpec, settings: dict[str, Any], wire: _Wire
) -> ChatCompletionClient:
    try:
        from autogen_ext.models.anthropic import AnthropicChatCompletionClient
    except ImportError as cause:
        _missing_extra(card, "anthropic", cause)
    known = _schema(AnthropicChatCompletionClient)
    given = _add_headers(_add_options(settings, card, spec, known), wire)
    from peerjudge.clients.anthropic_forms import AnthropicForms, FormHttpClient

    if wire.carrier is None:
        given["http_client"] = FormHttpClient(params=wire.query)
    else:
        given["http_client"] = FormHttpClient(transport=wire.carrier.open_transport("anthropic"))
    return AnthropicForms(AnthropicChatCompletionClient(**given))


def _build_ollama(
    card: Card, spec: ModelSpec, settings: dict[str, Any], wire: _Wire
) -> ChatCompletionClient:
    try:
        from autogen_ext.models.ollama import OllamaChatCompletionClient
        from ollama import Options
    except ImportError as cause:
        _missing_extra(card, "ollama", cause)
    known = _schema(OllamaChatCompletionClient) | set(Options.model_fields) | {"keep_alive"}
    given = {"model": spec.name, "host": settings["base_url"], "timeout": settings["timeout"]}
    given = _add_options(given, card, spec, known)
    if settings["api_key"] != _NO_KEY:
        given["headers"] = {"Authorization": f"Bearer {settings['api_key']}"}
    client = OllamaChatCompletionClient(**given)
    # AutoGen passes none of these on to the HTTP client of ollama.
    http = cast("Any", client)._client._client  # noqa: SLF001
    http.follow_redirects = False
    http.headers.update({**given.get("headers", {}), **wire.headers})
    http.params = wire.query
    return client


def _from_path(card: Card, spec: ModelSpec, environ: Mapping[str, str]) -> ChatCompletionClient:
    """Build the client at a component path, with the settings that its configuration names."""
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
        place = ".".join(str(part) for part in first["loc"]) or "the configuration"
        _fail(card, f"has wrong settings for {spec.provider}: {place}: {first['msg']}")
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
    if not (key.isascii() and key.isprintable()):
        _fail(
            card,
            f"has a character in the environment variable {name} that no header can hold (a letter "
            "outside ASCII or a line break): copy the key again",
        )
    return key


def _model_info(spec: ModelSpec) -> ModelInfo:
    """Return the model's capabilities, which AutoGen requires for names that it does not list."""
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
    """Return the names of the settings in a client's configuration."""
    schema: type[BaseModel] | None = getattr(client, "component_config_schema", None)
    return set(schema.model_fields) if schema is not None else set()


def _add_options(
    settings: Mapping[str, Any], card: Card, spec: ModelSpec, known: Iterable[str]
) -> dict[str, Any]:
    """Return settings with the card's options and the capabilities of the model."""
    return {**settings, **_options(card, spec, known), "model_info": _model_info(spec)}


def _options(card: Card, spec: ModelSpec, known: Iterable[str]) -> dict[str, Any]:
    # AutoGen's clients silently ignore unknown settings.
    for option in spec.options:
        if option not in known:
            hint = suggest_choice(option, sorted(known))
            _fail(card, f"has an unknown option {option!r} for {spec.provider}{hint}")
    return dict(spec.options)


def _add_headers(settings: Mapping[str, Any], wire: _Wire) -> dict[str, Any]:
    """Return settings with the headers of the environment besides those of the card."""
    given: Mapping[str, str] = settings.get("default_headers") or {}
    headers = {**given, **wire.headers}
    return {**settings, "default_headers": headers} if headers else {**settings}


def _missing_extra(card: Card, extra: str, cause: ImportError) -> NoReturn:
    _fail(card, f"needs the {extra} client: pip install 'peerjudge[{extra}]'", cause)


def _fail(card: Card, problem: str, cause: BaseException | None = None) -> NoReturn:
    msg = f"card {card.name!r} {problem}"
    raise CardError(msg) from cause
