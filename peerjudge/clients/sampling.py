"""Kind of a model client, a seat's sampling in the names of its provider, and what a model refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from autogen_core.models import ChatCompletionClient

from peerjudge.clients.calls import ClientProxy
from peerjudge.clients.fake import FakeChatClient
from peerjudge.data import EXPLANATIONS, NO_CHOICE, ModelSpec, Sampling

Dialect = Literal["openai", "anthropic", "ollama"]

TOP_LOGPROBS = 20
"""Alternatives requested per token with log-probabilities (OpenAI's maximum)."""

COMPLETION_BOUND = "max_completion_tokens"
"""OpenAI's name of the bound of a reply with its thinking; its reasoning models refuse `max_tokens`."""

# Models that take the bound of a reply, reasoning included, under another name.
_REASONING = re.compile(r"^(o\d|gpt-5)")

_SETTINGS = ("temperature", "top_p", "seed", "max_tokens")
"""Settings of a seat that most providers take under these names."""

_NAMES: dict[Dialect, dict[str, str]] = {
    "openai": {name: name for name in _SETTINGS} | {"reasoning_effort": "reasoning_effort"},
    "anthropic": {name: name for name in _SETTINGS if name != "seed"},
    # AutoGen's Ollama client moves these into the request's options, next to the card's own.
    "ollama": {name: name for name in _SETTINGS} | {"max_tokens": "num_predict"},
}

_BUDGETS: Mapping[str, tuple[str, ...]] = {
    "gemini": ("extra_body", "google", "thinking_config", "thinking_budget"),
    "openrouter": ("reasoning", "max_tokens"),
    "vllm": ("thinking_token_budget",),
}
"""Place of the bound of the thinking in the body of a request, by provider of the OpenAI dialect."""

_FORMS = frozenset(
    {
        "response_format",
        "structured_outputs",
        "guided_json",
        "guided_choice",
        "guided_regex",
        "guided_grammar",
        "json_schema",
        "grammar",
    }
)
"""Fields of an extra body that bind the form of a reply: OpenAI's, vLLM's and llama.cpp's."""

_FORM_ARGS = frozenset({"response_format", "format", "output_config"})
_REFUSING_STATUS = frozenset({400, 404, 422})
_REFUSES = re.compile(
    r"(?i)support|unknown|unrecogni[sz]ed|unexpected|only the default|deprecated|incompatible"
    r"|not (?:permitted|allowed|available|accepted|enabled)|extra (?:inputs?|fields?)"
    r"|cannot (?:both )?be (?:set|used|specified)|may only be set|does not (?:accept|take)"
)
_OUT_OF_RANGE = re.compile(r"(?i)\b(?:between|range|at (?:most|least)|(?:less|greater) than)\b")


FORM = "form"
"""Name of the bound form of a reply among the settings that a model refuses."""

SYSTEM = "system"
"""Name of the system role among them."""

STREAM = "stream"
"""Name of replies in one piece among them: such a model streams only."""

_STREAM_OPTIONS = "stream_options"

# A message of a server about the system role, in the words of OpenAI, vLLM, llama.cpp, Google and Mistral.
_NAMES_SYSTEM = re.compile(
    r"(?i)\b(?:system|developer)\W{1,3}(?:role|message|prompt|instruction)"
    r"|['\"`]system['\"`]|\brole\w*\W+system\b|messages?\W+\d+\W+role"
    r"|only[^.]{0,20}\buser\b[^.]{0,20}\bassistant\b|roles? must alternate"
)
_REFUSES_ROLE = re.compile(
    r"(?i)\b(?:only|must|invalid|unsupported|unknown|unexpected|should be|not one of|no system)\b"
)
_TAKES_SYSTEM = re.compile(r"(?i)optional system message")
_STREAMS_ONLY = re.compile(
    r"(?i)\bnon-?stream"
    r"|\b(?:only|must|requires?|required|enable|set|use)\b[^.]{0,60}\bstream(?!_options)"
    r"|\bstream(?!_options)\w*\b[^.]{0,40}\b(?:only|must|required|mandatory|true)\b"
)

_REFUSES_FORM = re.compile(
    r"(?i)schema|response.?format|output_config|structured|grammar|json|\bformat\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormBound:
    """Form that binds a reply: JSON with these keys in their order, or without keys a choice alone.

    `rated` says that the choices are whole numbers, of which one is the rating.
    """

    choices: tuple[str, ...]
    keys: tuple[str, ...] = ()
    rated: bool = False

    def schema(self, *, texts: bool = False) -> dict[str, object]:
        """Return the JSON schema, whose choices are all texts if the server takes no others.

        Ratings are listed: Anthropic's schemas have no minimum or maximum.
        """
        text = {"type": "string"}
        stated: dict[str, object] = {**text, "enum": [*self.choices, NO_CHOICE]}
        if self.rated:
            stated = {"type": "integer", "enum": [*map(int, self.choices)]}
            stated = {**text, "enum": [*self.choices]} if texts else stated
        properties = {key: text if key in EXPLANATIONS else stated for key in self.keys}
        return {
            "type": "object",
            "properties": properties,
            "required": [*properties],
            "additionalProperties": False,
        }


def create_args(
    sampling: Sampling,
    dialect: Dialect,
    *,
    model: str = "",
    spec: ModelSpec | None = None,
    refused: Collection[str] = (),
    prose: bool = False,
    bound: FormBound | None = None,
) -> tuple[dict[str, object], tuple[str, ...]]:
    """Return the `extra_create_args` of this sampling, and the settings that are left out.

    Args:
        sampling: The sampling of a seat.
        dialect: The API of the client.
        model: Name of the model.
        spec: The model of the card, whose provider decides how thinking is bounded.
        refused: The settings that the model has refused; `COMPLETION_BOUND` stands for
            `max_tokens` under OpenAI's former name, `STREAM` for replies in one piece.
        prose: Whether the reply is prose, so that no response format of the card applies.
        bound: The form that binds the reply, in place of a response format of the card.
    """
    names = _NAMES[dialect]
    if dialect == "openai" and (_REASONING.match(model) or COMPLETION_BOUND in refused):
        names = {**names, "max_tokens": COMPLETION_BOUND}
    args, dropped = _collect_args(
        {
            **{one: _plain_args(getattr(sampling, one), names.get(one)) for one in _SETTINGS},
            "logprobs": _logprob_args(dialect) if sampling.logprobs else {},
            "reasoning_effort": _effort_args(sampling, dialect),
            "thinking_tokens": _budget_args(sampling, dialect, spec),
        },
        refused,
    )
    args |= _stream_args(dialect, refused)
    if (prose or bound is not None) and spec is not None:
        args = _without_form(args, spec, dialect)
    if bound is not None:
        given = None if FORM in refused else _bind_form(bound, dialect, spec, args)
        dropped += [FORM] if given is None else []
        args |= given or {}
    if dialect == "anthropic" and sampling.thinking_tokens and "thinking" in args:
        # Its API refuses both together with thinking.
        dropped += [name for name in ("temperature", "top_p") if args.pop(name, None) is not None]
    return args, tuple(dropped)


def _collect_args(
    given: Mapping[str, dict[str, object] | None], refused: Collection[str]
) -> tuple[dict[str, object], list[str]]:
    """Return the arguments of all settings, and the settings that the provider lacks or the model refused."""
    args: dict[str, object] = {}
    dropped: list[str] = []
    for setting, own in given.items():
        if own is None or (own and setting in refused):
            dropped.append(setting)
        else:
            args |= own
    return args, dropped


def _plain_args(value: object, name: str | None) -> dict[str, object] | None:
    if value is None:
        return {}
    return None if name is None else {name: value}


def _bind_form(
    bound: FormBound, dialect: Dialect, spec: ModelSpec | None, args: Mapping[str, object]
) -> dict[str, object] | None:
    """Return the arguments that bind the form of a reply; `None` if the provider has none.

    A choice alone is bound where the servers take it without JSON, as llama.cpp and vLLM do.
    """
    provider = spec.provider if spec is not None else ""
    if not bound.keys:
        if dialect != "openai" or provider != "vllm":
            return {}
        body = cast(
            "dict[str, object]",
            args.get("extra_body") or (spec and spec.options.get("extra_body")) or {},
        )
        words = " | ".join(json.dumps(choice, ensure_ascii=False) for choice in bound.choices)
        grammar = {
            "grammar": f"root ::= {words}",
            "structured_outputs": {"choice": [*bound.choices]},
        }
        return {"extra_body": {**body, **grammar}}
    if dialect == "ollama":
        return {"format": bound.schema()}
    if dialect == "anthropic":
        return {"output_config": {"format": {"type": "json_schema", "schema": bound.schema()}}}
    schema = bound.schema(texts=provider == "gemini")
    if provider == "gemini":
        schema["propertyOrdering"] = schema["required"]
    strict = {"name": "verdict", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": strict}}


def _without_form(args: dict[str, object], spec: ModelSpec, dialect: Dialect) -> dict[str, object]:
    """Return the arguments with the response format of the card replaced by plain text."""
    if dialect == "ollama":
        return {**args, "format": ""} if "format" in spec.options else args
    if dialect != "openai":
        return args
    if "response_format" in spec.options:
        args = {**args, "response_format": {"type": "text"}}
    body = args.get("extra_body", spec.options.get("extra_body"))
    given = cast("dict[str, object]", body) if isinstance(body, dict) else {}
    # The extra body of a call replaces that of the card.
    return (
        {**args, "extra_body": {name: value for name, value in given.items() if name not in _FORMS}}
        if given.keys() & _FORMS
        else args
    )


def _stream_args(dialect: Dialect, refused: Collection[str]) -> dict[str, object]:
    """Return the arguments of a model that only streams."""
    if dialect != "openai" or STREAM not in refused:
        return {}
    options = {} if _STREAM_OPTIONS in refused else {_STREAM_OPTIONS: {"include_usage": True}}
    return {STREAM: True, **options}


def _logprob_args(dialect: Dialect) -> dict[str, object] | None:
    return {"logprobs": True, "top_logprobs": TOP_LOGPROBS} if dialect == "openai" else None


def _effort_args(sampling: Sampling, dialect: Dialect) -> dict[str, object] | None:
    """Return the arguments for the amount of thinking; `None` if the provider has none."""
    effort = sampling.reasoning_effort
    if effort is None:
        return {}
    if dialect == "openai":
        return {"reasoning_effort": effort}
    return {"think": effort if effort != "none" else False} if dialect == "ollama" else None


def _budget_args(
    sampling: Sampling, dialect: Dialect, spec: ModelSpec | None
) -> dict[str, object] | None:
    """Return the arguments that bound the thinking; `None` if the provider has none."""
    tokens = sampling.thinking_tokens
    if tokens is None:
        return {}
    if dialect == "anthropic":
        if tokens == 0:
            return {"thinking": {"type": "disabled"}}
        return {"thinking": {"type": "enabled", "budget_tokens": tokens}}
    place = _BUDGETS.get(spec.provider if spec is not None else "")
    if dialect != "openai" or place is None:
        return None
    # The extra body of a call replaces that of the card.
    own = spec.options.get("extra_body") if spec is not None else None
    return {"extra_body": _put(own, place, tokens)}


def _put(body: object, place: tuple[str, ...], value: int) -> dict[str, object]:
    """Return a body with a value at a place; a body that is no table counts as empty."""
    table = cast("dict[str, object]", body) if isinstance(body, dict) else {}
    name, *inner = place
    return {**table, name: _put(table.get(name), tuple(inner), value) if inner else value}


def find_refused(
    error: Exception, args: Mapping[str, object], *, system: bool = False
) -> str | None:
    """Return the setting that a model refused with this error, `None` if it is about something else.

    A value outside of its range is no refusal: the setting is taken, and the value is a mistake. `system`
    says that the prompt has a system message, whose role may be what is refused.
    """
    status = getattr(error, "status_code", None)
    if system and isinstance(status, int) and _refuses_system(error):
        return SYSTEM
    if status not in _REFUSING_STATUS:
        return None
    message = str(error)
    if STREAM not in args and _STREAMS_ONLY.search(message):
        return STREAM
    if "max_tokens" in args and COMPLETION_BOUND in message:
        return COMPLETION_BOUND
    named: object = getattr(error, "param", None)
    if "logprobs" in args and "logprobs" in f"{named} {message}":
        return "logprobs"
    if _FORM_ARGS & args.keys() and _REFUSES_FORM.search(f"{named} {message}"):
        return FORM
    if not _REFUSES.search(message) or _OUT_OF_RANGE.search(message):
        return None
    return _find_named(named, message, _name_settings(args))


def _find_named(named: object, message: str, setting_of: Mapping[str, str]) -> str | None:
    """Return the setting that an error names in its field, or else in its message."""
    if isinstance(named, str) and named in setting_of:
        return setting_of[named]
    found = re.search(rf"\b(?:{'|'.join(setting_of)})\b", message) if setting_of else None
    return setting_of[found[0]] if found else None


def _refuses_system(error: Exception) -> bool:
    """Return whether an error is about the system role; a template that fails is a status of 500."""
    message = f"{getattr(error, 'param', None)} {error}"
    if not _NAMES_SYSTEM.search(message) or _TAKES_SYSTEM.search(message):
        return False
    return bool(_REFUSES.search(message) or _REFUSES_ROLE.search(message))


def _name_settings(args: Mapping[str, object]) -> dict[str, str]:
    """Return the settings in the arguments of a call, by the names that a server may use for them."""
    setting_of = {name: name for name in (*_SETTINGS, "reasoning_effort") if name in args}
    if "max_tokens" in args:
        # Never left out: the bound of a reply is a bound of its cost.
        setting_of["max_tokens"] = COMPLETION_BOUND
    if _STREAM_OPTIONS in args:
        setting_of[_STREAM_OPTIONS] = _STREAM_OPTIONS
    if "think" in args:
        setting_of["think"] = "reasoning_effort"
    if "thinking" in args:
        setting_of["thinking"] = "thinking_tokens"
    for place in _BUDGETS.values():
        if place[0] in cast("Mapping[str, object]", args.get("extra_body", {})):
            setting_of |= dict.fromkeys((place[0], place[-1]), "thinking_tokens")
    return setting_of


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
