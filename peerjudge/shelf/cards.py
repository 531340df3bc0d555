"""Reviewer cards: TOML text in, a checked `Card` or one clear sentence out, and a card's identity.

A card holds a model (`[model]`), simulated traits (`[traits]`) or recorded reviews (`source`), or it is
a person (`kind = "human"`), with a role and its sampling:

    description = "A careful reviewer."
    role = "You weigh accuracy above style."

    [model]
    provider = "openai"
    name = "gpt-4o"

    [sampling]
    temperature = 0.2

A card is shared, so it holds no secret: `key_env` names the environment variable with the key, `headers_env`
and `query_env` those of other headers and of query parameters.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from keyword import iskeyword
from typing import Literal, NamedTuple, NoReturn, cast
from urllib.parse import urlsplit

from peerjudge.data import (
    REPLY_FORMS,
    UNSETTABLE,
    Card,
    Limits,
    ModelSpec,
    Reaction,
    ReplyForm,
    ReviewerKind,
    Sampling,
    Scalar,
    content_hash,
    from_plain,
    to_plain,
)
from peerjudge.data.choices import suggest_choice, suggest_name
from peerjudge.errors import CardError, DataError
from peerjudge.shelf.card_secrets import (
    PLAIN_NAMES,
    find_secret_parameter,
    has_secret_path,
    is_plain,
    is_sent_openly,
    looks_secret,
    names_secret,
)


class Provider(NamedTuple):
    """A model service: its address, the API it speaks, and the variable with its key (empty: no key)."""

    base_url: str
    dialect: Literal["openai", "anthropic", "ollama"] = "openai"
    key_env: str = ""


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(base_url="https://api.openai.com/v1", key_env="OPENAI_API_KEY"),
    "anthropic": Provider(
        dialect="anthropic", base_url="https://api.anthropic.com", key_env="ANTHROPIC_API_KEY"
    ),
    "gemini": Provider(
        base_url="https://generativelanguage.googleapis.com/v1beta/openai/",
        key_env="GEMINI_API_KEY",
    ),
    "ollama": Provider(dialect="ollama", base_url="http://localhost:11434"),
    "vllm": Provider(base_url="http://localhost:8000/v1"),
    "openrouter": Provider(base_url="https://openrouter.ai/api/v1", key_env="OPENROUTER_API_KEY"),
    "together": Provider(base_url="https://api.together.xyz/v1", key_env="TOGETHER_API_KEY"),
    "groq": Provider(base_url="https://api.groq.com/openai/v1", key_env="GROQ_API_KEY"),
    "deepseek": Provider(base_url="https://api.deepseek.com/v1", key_env="DEEPSEEK_API_KEY"),
    "mistral": Provider(base_url="https://api.mistral.ai/v1", key_env="MISTRAL_API_KEY"),
    "xai": Provider(base_url="https://api.x.ai/v1", key_env="XAI_API_KEY"),
}
"""The services that a card can name; any other takes `openai` with its `base_url`."""


_MOST_ASPECTS = 12
_TEXT = "text in quotes"
_NUMBER = "a number"
_COUNT = "a whole number"
_FLAG = "true or false"
_TABLE = "a table"
_TEXTS = f"a list of different texts in quotes, at most {_MOST_ASPECTS}"
_TABLES_OF = "one or more tables, each under its own heading"

_TOP = {
    **dict.fromkeys(
        ("description", "role", "family", "contestant", "source", "reviewer", "kind", "form"), _TEXT
    ),
    **dict.fromkeys(("model", "sampling", "limits", "traits"), _TABLE),
    "responds": _TABLES_OF,
    "aspects": _TEXTS,
}
_TABLES: Mapping[str, Mapping[str, str]] = {
    "model": {
        **dict.fromkeys(("provider", "name", "base_url", "key_env"), _TEXT),
        **dict.fromkeys(("options", "headers_env", "query_env"), _TABLE),
        "batch": _FLAG,
        "unset": _TEXTS,
    },
    "sampling": {
        **dict.fromkeys(("temperature", "top_p"), _NUMBER),
        **dict.fromkeys(("seed", "max_tokens", "thinking_tokens"), _COUNT),
        "logprobs": _FLAG,
        "reasoning_effort": _TEXT,
    },
    "limits": {
        "max_connections": _COUNT,
        **dict.fromkeys(("requests_per_minute", "tokens_per_minute"), _COUNT),
        "timeout": _NUMBER,
        "attempts": _COUNT,
    },
}
_RESPONDS = {
    **dict.fromkeys(("pattern", "form", "needs", "unless", "trait"), _TEXT),
    "add": _NUMBER,
}
_LEAST = {
    "temperature": 0,
    "top_p": 0,
    "max_tokens": 1,
    "thinking_tokens": 0,
    "timeout": 0.001,
    "attempts": 1,
    **dict.fromkeys(("max_connections", "requests_per_minute", "tokens_per_minute"), 1),
}


def _check_fields(name: str, raw: Mapping[str, object]) -> None:
    """Raise `CardError` for an unknown field and for a value of the wrong type or range."""
    _check_table(name, "", raw, _TOP)
    for table, fields in _TABLES.items():
        _check_table(name, table, cast("Mapping[str, object]", raw.get(table, {})), fields)
    for values in _reactions(raw):
        _check_table(name, "[responds]", values, _RESPONDS)
        if missing := [key for key in ("trait", "add") if key not in values]:
            _refuse(name, f"needs {' and '.join(missing)} in every [[responds]]")


def _check_table(
    name: str, table: str, values: Mapping[str, object], fields: Mapping[str, str]
) -> None:
    where = f"[{table}] " if table else ""
    for key, value in values.items():
        if key not in fields:
            _refuse_secret(name, f"{where}{key}", key, value)
            _refuse(name, f"has an unknown field {where}{key}{_hint(key, fields)}")
        if not _fits(value, fields[key]):
            shown = "" if looks_secret(value) else f", not {value!r:.60}"
            _refuse(name, f"needs {fields[key]} for {where}{key}{shown}")
        if key in _LEAST and cast("float", value) < _LEAST[key]:
            _refuse(name, f"has {where}{key} = {value}; it must be at least {_LEAST[key]:g}")


def _fits(value: object, wanted: str) -> bool:
    if wanted is _TEXT:
        return isinstance(value, str)
    if wanted is _FLAG:
        return isinstance(value, bool)
    if wanted is _TABLE:
        return isinstance(value, dict)
    if wanted is _TEXTS:
        texts = cast("list[object]", value) if isinstance(value, list) else [None]
        fine = all(isinstance(text, str) and text.strip() for text in texts)
        return fine and len({*texts}) == len(texts) <= _MOST_ASPECTS
    if wanted is _TABLES_OF:
        items = cast("list[object]", value) if isinstance(value, list) else [None]
        return all(isinstance(item, dict) for item in items)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) if wanted is _COUNT else math.isfinite(value)


def _hint(key: str, fields: Iterable[str]) -> str:
    for table, others in _TABLES.items():
        if key in others:
            return f"; {key} belongs in [{table}]"
    return suggest_choice(key, fields)


def _scalars(name: str, table: str, values: Mapping[str, object]) -> dict[str, Scalar]:
    """Return the values of a flat table such as `[traits]`: text, finite numbers and flags, no secret."""
    for key, value in values.items():
        _refuse_secret(name, f"[{table}] {key}", key, value)
        fine = isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
        if not fine:
            _refuse(
                name, f"needs text, a number or true/false for [{table}] {key}, not {value!r:.60}"
            )
    return cast("dict[str, Scalar]", dict(values))


def _plain_options(name: str, table: str, values: Mapping[str, object]) -> dict[str, object]:
    """Return the options of a client: nested values that JSON can hold, and no secret."""
    for key, value in values.items():
        where = f"[{table}] {key}"
        _refuse_secret(name, where, key, value)
        if isinstance(value, dict):
            nested = cast("dict[str, object]", value)
            _plain_options(name, f"{table}.{key}", nested)
            if is_sent_openly(key):
                _refuse_literals(name, f"{table}.{key}", nested)
        elif isinstance(value, list):
            items = cast("list[object]", value)
            _plain_options(
                name, table, {f"{key}[{place}]": item for place, item in enumerate(items)}
            )
        else:
            _scalars(name, table, {key: value})
    return dict(values)


_VARIABLE = re.compile(r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")
_COMPONENT = re.compile(r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$")


def read_card(name: str, text: str) -> Card:
    """Read the card of this name (the stem of its file) from TOML text.

    The kind follows from the content: `[model]`, `[traits]` (simulated), `source` (recorded) or
    `kind = "human"` (a person).
    Raises `CardError`, with what to do, for anything that would fail in a run.
    """
    check_name(name)
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as cause:
        _refuse(name, f"is not valid TOML: {cause}", cause)
    _check_fields(name, raw)
    kind = _kind(name, raw)
    model = _model(name, _table(raw, "model")) if kind is ReviewerKind.MODEL else None
    try:
        return Card(
            name=name,
            kind=kind,
            description=str(raw.get("description", "")),
            role=str(raw.get("role", "")).strip(),
            family=str(raw.get("family", "")),
            contestant=str(raw.get("contestant", "")).strip(),
            model=model,
            sampling=from_plain(Sampling, _table(raw, "sampling")),
            limits=from_plain(Limits, _table(raw, "limits")),
            traits=_scalars(name, "traits", _table(raw, "traits")),
            responds=tuple(from_plain(Reaction, values) for values in _reactions(raw)),
            source=str(raw.get("source", "")),
            reviewer=str(raw.get("reviewer", name if kind is ReviewerKind.RECORDED else "")),
            aspects=tuple(str(one).strip() for one in cast("list[str]", raw.get("aspects", []))),
            form=_form(name, raw, kind),
        )
    except DataError as cause:
        _refuse(name, f"cannot be read: {cause}", cause)


def _table(raw: Mapping[str, object], key: str) -> dict[str, object]:
    return cast("dict[str, object]", raw.get(key, {}))


def _reactions(raw: Mapping[str, object]) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", raw.get("responds", []))


def _kind(name: str, raw: Mapping[str, object]) -> ReviewerKind:
    found = {
        label: kind
        for key, label, kind in (
            ("model", "[model]", ReviewerKind.MODEL),
            ("traits", "[traits]", ReviewerKind.SIMULATED),
            ("source", "source", ReviewerKind.RECORDED),
            ("kind", "kind", ReviewerKind.HUMAN),
        )
        if key in raw
    }
    if raw.get("kind", "human") != "human":
        _refuse(
            name,
            f"has kind = {raw['kind']!r:.60}; only 'human' is written, other kinds follow from the content",
        )
    if not found:
        _refuse(
            name,
            "names no reviewer: add [model], [traits] (simulated), source (recorded) or kind = 'human'",
        )
    if len(found) > 1:
        _refuse(name, f"has {' and '.join(found)} together: keep one, they are different reviewers")
    (kind,) = found.values()
    if "responds" in raw and kind is not ReviewerKind.SIMULATED:
        _refuse(name, "has [[responds]] but no [traits]: only simulated reviewers have reactions")
    if "aspects" in raw and kind is not ReviewerKind.HUMAN:
        _refuse(name, "has aspects but no kind = 'human': only people score answers by aspect")
    if "reviewer" in raw and kind is not ReviewerKind.RECORDED:
        _refuse(name, "has a reviewer but no source: add source = 'NAME:PATH' of the dataset")
    if kind is ReviewerKind.RECORDED and not str(raw["source"]).strip():
        _refuse(name, "has an empty source: write source = 'NAME:PATH' of the dataset")
    return kind


def _form(name: str, raw: Mapping[str, object], kind: ReviewerKind) -> ReplyForm | None:
    if "form" not in raw:
        return None
    if kind is not ReviewerKind.MODEL:
        _refuse(name, "has a form but no [model]: the form of a verdict is asked of models only")
    known: dict[object, ReplyForm] = {form: form for form in REPLY_FORMS}
    if raw["form"] not in known:
        _refuse(name, f"has form = {raw['form']!r:.60}; choose one of {', '.join(REPLY_FORMS)}")
    return known[raw["form"]]


def _model(name: str, raw: Mapping[str, object]) -> ModelSpec:
    provider = str(raw.get("provider", "")).strip()
    if not provider:
        _refuse(name, f"needs [model] provider: one of {', '.join(PROVIDERS)}, or a component path")
    if provider not in PROVIDERS and not _COMPONENT.match(provider):
        hint = suggest_name(provider.lower(), PROVIDERS) or "."
        known = ", ".join(PROVIDERS)
        _refuse(
            name,
            f"has an unknown [model] provider {provider!r}{hint} Known are {known}, and the "
            "dotted path of any AutoGen model client; another OpenAI-compatible service is "
            "provider = 'openai' with its base_url",
        )
    model = str(raw.get("name", "")).strip()
    if provider in PROVIDERS and not model:
        _refuse(name, f"needs [model] name: the model to ask for at {provider}")
    return ModelSpec(
        provider=provider,
        name=model,
        base_url=_base_url(name, raw),
        key_env=_key_env(name, raw),
        options=_plain_options(name, "model.options", _table(raw, "options")),
        batch=_batch(name, provider, raw),
        unset=_unset(name, raw),
        headers_env=_variables(name, raw, "headers_env"),
        query_env=_variables(name, raw, "query_env"),
    )


def _unset(name: str, raw: Mapping[str, object]) -> tuple[str, ...]:
    names = tuple(cast("list[str]", raw.get("unset", [])))
    for each in names:
        if each not in UNSETTABLE:
            known = ", ".join(UNSETTABLE)
            _refuse(name, f"has {each!r:.60} in [model] unset; it can name {known}")
    return names


def _batch(name: str, provider: str, raw: Mapping[str, object]) -> bool | None:
    if "batch" not in raw:
        return None
    known = PROVIDERS.get(provider)
    if raw["batch"] and ("?" in str(raw.get("base_url")) or "query_env" in raw):
        _refuse(
            name,
            "has [model] batch = true and query parameters, which no batch API takes: leave one out",
        )
    if raw["batch"] and (known is None or known.dialect == "ollama"):
        _refuse(
            name,
            f"has [model] batch = true, and {provider} has no batch API of OpenAI or Anthropic: leave it out",
        )
    return bool(raw["batch"])


def _base_url(name: str, raw: Mapping[str, object]) -> str | None:
    if "base_url" not in raw:
        return None
    url = str(raw["base_url"]).strip()
    if not re.match(r"^https?://[^/\s]+", url):
        _refuse(name, f"has [model] base_url = {url!r}: it must start with http:// or https://")
    if "@" in re.split(r"[/?#]", url.split("//", 1)[1], maxsplit=1)[0]:
        _refuse(
            name, "has a password in [model] base_url: name the variable with the key in key_env"
        )
    if has_secret_path(url):
        _refuse(name, "has a key in [model] base_url: name the variable with the key in key_env")
    if parameter := find_secret_parameter(url):
        _refuse(
            name,
            f"has a secret in {parameter!r:.60} of [model] base_url: delete it (and renew it if it was "
            f"shared), export it as an environment variable and write query_env = "
            f"{{{json.dumps(parameter)} = 'NAME_OF_THE_VARIABLE'}} under [model]",
        )
    try:
        _ = urlsplit(url).port
    except ValueError:
        _refuse(name, f"has [model] base_url = {url!r}: its port is no number from 0 to 65535")
    return url


def _key_env(name: str, raw: Mapping[str, object]) -> str | None:
    if "key_env" not in raw:
        return None
    variable = str(raw["key_env"])
    if looks_secret(variable) or not _VARIABLE.match(variable):
        # The value may be the key itself, so the message leaves it out.
        _refuse(
            name, "needs the *name* of an environment variable for [model] key_env, not its value"
        )
    return variable


_PACE = frozenset({"latency"})
"""Traits that change when a simulated reviewer replies, and not its words."""


def card_identity(card: Card) -> str:
    """Return the digest of everything in a card that changes the replies of its reviewer.

    This is the kind, model, role, traits, reactions and source; for a simulated reviewer, which prefers
    its own answers, also family and contestant. Description, limits, key variable and latency are left out;
    sampling belongs to the seat. Neither do the aspects change what a person is asked.
    """
    model = card.model
    traits = {key: value for key, value in card.traits.items() if key not in _PACE}
    simulated = card.kind is ReviewerKind.SIMULATED
    # Cards without a contestant keep the identity that they had in earlier versions.
    own = [card.contestant] if simulated and card.contestant else []
    # The same holds for cards without reactions.
    responds = [{"responds": to_plain(card.responds)}] if card.responds else []
    return content_hash(
        card.kind.value,
        card.role,
        card.family if simulated else "",
        None
        if model is None
        else [model.provider, model.name, model.base_url or "", dict(model.options)],
        traits,
        [card.source, card.reviewer],
        *own,
        *responds,
        *([] if card.form is None else [{"form": card.form}]),
        *([] if model is None or not model.unset else [{"unset": sorted(model.unset)}]),
    )


def check_name(name: str) -> str:
    """Return the name if it can name a reviewer; raises `CardError` if AutoGen would refuse it.

    AutoGen takes Python identifiers as agent names, and its clients send at most 64 ASCII letters.
    """
    if not (name.isidentifier() and name.isascii()) or iskeyword(name) or len(name) > 64:
        suggestion = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[:60] or "reviewer"
        if suggestion[0].isdigit() or iskeyword(suggestion):
            suggestion = f"r_{suggestion}"
        msg = (
            f"{name!r} cannot name a reviewer: use at most 64 letters, digits and underscores, not "
            f"starting with a digit and not a Python keyword, for example {suggestion!r}"
        )
        raise CardError(msg)
    return name


def _refuse(name: str, problem: str, cause: BaseException | None = None) -> NoReturn:
    """Raise `CardError` with the name of the card and the problem."""
    msg = f"card {name!r} {problem}"
    raise CardError(msg) from cause


def _refuse_secret(name: str, where: str, key: str, value: object) -> None:
    """Raise `CardError` for a field that holds a secret, judged by its name or its form."""
    if names_secret(key, value) or looks_secret(value):
        _refuse(
            name,
            f"holds a secret in {where}: delete it (and renew it if it was shared), export it as an "
            "environment variable and write key_env = 'NAME_OF_THE_VARIABLE' under [model]; values of "
            "other headers are named in headers_env, and of query parameters in query_env",
        )


def _refuse_literals(name: str, where: str, values: Mapping[str, object]) -> None:
    """Raise `CardError` for a header or query parameter whose value may be a secret."""
    for key in values:
        if not is_plain(key):
            field = "headers_env" if "header" in where else "query_env"
            _refuse(
                name,
                f"holds a value of {key!r:.60} in [{where}], which may be a secret: export it as an "
                f"environment variable and write {field} = {{{json.dumps(key)} = "
                "'NAME_OF_THE_VARIABLE'} under [model] (without a variable a card may set "
                f"{', '.join(sorted(PLAIN_NAMES))})",
            )


def _variables(name: str, raw: Mapping[str, object], field: str) -> dict[str, str]:
    """Return the variables of headers or query parameters."""
    for key, variable in _table(raw, field).items():
        if not isinstance(variable, str) or looks_secret(variable) or not _VARIABLE.match(variable):
            # The value may be the key itself, so the message leaves it out.
            _refuse(
                name,
                f"needs the *name* of an environment variable for [model.{field}] {key}, not its value",
            )
        if not re.fullmatch(r"[!-9;-~]+", key):
            _refuse(name, f"cannot send {key!r:.60} of [model.{field}]: it is no name of a header")
    return cast("dict[str, str]", _table(raw, field))
