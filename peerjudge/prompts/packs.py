"""Prompt packs: read from TOML, checked part by part, filled in a sandbox, and identified."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Set
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from peerjudge.data import REASONS, SCORE, PromptPack, content_hash, from_plain, to_plain
from peerjudge.errors import DataError, PromptError

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import ImmutableSandboxedEnvironment

_LONGEST_TEMPLATE = 100_000
"""The most characters of a template: text of a stranger's pack is compiled before it is used."""

RENDERING = 2
"""Version of the rendering; part of the identity of every pack."""

GIVEN: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "system": frozenset({"mark"}),
        "seat": frozenset({"number", "others"}),
        "label": frozenset({"letter", "number"}),
        "scene": frozenset({"question", "answers", "labels", "task"}),
        "reference": frozenset({"reference"}),
        "heard": frozenset({"speaker", "own", "private", "task", "about", "words"}),
        "criteria": frozenset({"aspects", "labels"}),
        "remind": frozenset({"number", "others"}),
        "tasks": frozenset({"criteria", "labels", "others", "low", "high", "worst", "best"}),
        "reply": frozenset(
            {"task", "labels", "others", "numbers", "tie", "low", "high", "worst", "best"}
        ),
    }
)
"""The values that the templates of each part get.

* `mark`: the mark of the fences, empty for a pack that quotes lines.
* `number`, `others`: the speaker's place in the discussion, from 1, and the places of the others
  (none in a private prompt).
* `letter`, `number` of `label`: the letter (from a) and the number (from 1) of an answer by its place,
  both empty for an answer that is shown alone.
* `question`, `answers`, `words`: the question (with the part `reference` below it, where the pack and
  the comparison have one), the answers shown (may be none) and an earlier reply, each delimited: quoted
  line by line, or between fences (see `PromptPack.fence`).
* `reference`: the reference answer, delimited.
* `task`: the task of the cue; in `heard`, the task of the earlier turn.
* `speaker`: `Reviewer 2`, or `You` for the seat's own turns in a private prompt.
* `own`, `private`: flags of an earlier turn: the seat's own, said in private.
* `about`: the label of the one answer that an earlier turn is about, else empty.
* `labels`: the labels of the answers shown (may be none).
* `aspects`: the criteria of the pack, empty where the cue leaves them out; `criteria`: that part, filled.
* `numbers`, `tie`: the numbers of the answers, and the number for a tie.
* `low`, `high`, `worst`, `best`: the bounds of a rating scale, in order and by meaning.
"""

_TABLES = ("tasks", "reply")
_OPTIONAL = frozenset({"reference"})
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
"""Characters that a TOML string of several lines holds only as escapes."""
_CLOSING = re.compile(r'"""|"\Z')
"""Quotation marks of which the last is escaped: three in a row, and one at the end."""
_VERDICT_FORMS = {"verdict", "verdict_or_tie"}
SCORE_FORMS: Mapping[str, tuple[str, ...]] = {
    f"{shown}_{order}": keys
    for shown in ("example", "schema")
    for order, keys in (
        ("score_only", (SCORE,)),
        ("score_reasons", (SCORE, REASONS)),
        ("reasons_score", (REASONS, SCORE)),
    )
}
"""The reply forms of a rating as JSON, shown by example or described by schema, with their keys in order."""
_RATING_FORMS = {"rating", *SCORE_FORMS}


def name_base(text: str) -> str:
    """Return the pack that a pack in TOML text extends; empty if it extends none or is not TOML."""
    try:
        base = tomllib.loads(text).get("extends", "")
    except (tomllib.TOMLDecodeError, RecursionError):
        return ""
    return base if isinstance(base, str) else ""


@lru_cache(maxsize=64)
def read_pack(name: str, text: str, *, base: PromptPack | None = None) -> PromptPack:
    """Read the prompt pack of this name from TOML text.

    A pack with `extends` takes from the base what it does not have itself: keys of the tables `tasks`
    and `reply`, and other parts as a whole. It is the pack of the resolved words, whose identity does
    not depend on where they stand.

    Args:
        name: the name.
        text: the TOML text.
        base: the pack that it extends (`name_base`), read before.

    Raises:
        PromptError: the text is not TOML, a part is missing or unknown, a template does not compile or
            uses a value which its part does not get, or the pack extends one that is not given.
    """
    where = f"prompt pack {name!r}"
    try:
        plain = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as cause:
        msg = f"{where} is not TOML: {cause}"
        raise PromptError(msg) from cause
    extended = plain.pop("extends", "")
    if extended != (base.name if base else ""):
        msg = f"extends of {where} is the name of another pack in quotes, not {extended!r:.60}"
        raise PromptError(msg)
    _check_parts(
        plain.keys(),
        set() if base else {"description", *GIVEN} - _OPTIONAL,
        optional={"description", *GIVEN, "aspects", "fence", "form"},
        where=where,
    )
    try:
        pack = from_plain(PromptPack, {**_merge(base, plain), "name": name})
    except DataError as cause:
        msg = f"{where}: {cause}"
        raise PromptError(msg) from cause
    forms = pack.reply.keys()
    _check_parts(forms, _VERDICT_FORMS, optional=_RATING_FORMS, where=f"[reply] of {where}")
    for part, key, template in _list_templates(pack):
        _check_template(template, GIVEN[part], where=f"{part}{f'.{key}' if key else ''} of {where}")
    return pack


def write_pack(pack: PromptPack) -> str:
    """Return the pack as TOML text, which `read_pack` reads as an equal pack."""
    lines = [f"description = {_quote(pack.description)}"]
    if pack.fence != "lines":
        lines.append(f"fence = {_quote(pack.fence)}")
    if pack.form != "line":
        lines.append(f"form = {_quote(pack.form)}")
    for part in GIVEN:
        if part in _TABLES:
            continue
        if (text := getattr(pack, part)) or part not in _OPTIONAL:
            lines += ["", f"{part} = {_quote(text)}"]
    if pack.aspects:
        lines += ["", "aspects = [", *(f"    {_quote(aspect)}," for aspect in pack.aspects), "]"]
    for part in _TABLES:
        table: Mapping[str, str] = getattr(pack, part)
        lines += ["", f"[{part}]"]
        for key, text in table.items():
            lines += [f"{key} = {_quote(text)}", ""]
        lines.pop()
    return "\n".join([*lines, ""])


def _quote(text: str) -> str:
    """Return a TOML string; one with line breaks keeps them."""
    if "\n" not in text:
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    body = _CLOSING.sub(lambda found: f'{found[0][:-1]}\\"', text.replace("\\", "\\\\"))
    body = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", body)
    return f'"""\n{body}"""'


def _merge(base: PromptPack | None, plain: Mapping[str, object]) -> Mapping[str, object]:
    """Return the parts of a pack: its own, and those of the base that it does not have."""
    if base is None:
        return plain
    found = {**cast("dict[str, object]", to_plain(base)), **plain}
    for part in _TABLES:
        own = plain.get(part, {})
        if isinstance(own, dict):
            found[part] = {**getattr(base, part), **cast("dict[str, object]", own)}
    return found


def pack_identity(pack: PromptPack) -> str:
    """Return the digest of all words of the pack; name and description are not part of it."""
    words = [[part, key, template] for part, key, template in _list_templates(pack)]
    form = [] if pack.form == "line" else [pack.form]
    return content_hash(RENDERING, words, list(pack.aspects), pack.fence, *form)


def fill_template(text: str, values: Mapping[str, object], *, where: str) -> str:
    """Return the filled template, stripped of surrounding white space.

    Values are data: template syntax in them stays as it is. Raises `PromptError`, naming `where`, for
    an unknown value and for anything that the sandbox forbids.
    """
    from jinja2 import TemplateError

    try:
        return _compile(text).render(values).strip()
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as cause:
        msg = f"{where} cannot be filled: {cause}"
        raise PromptError(msg) from cause


@cache
def _sandbox() -> ImmutableSandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    sandbox = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, optimized=False
    )
    sandbox.globals.clear()  # Templates get values only.
    for name in ("center", "format", "indent"):  # A constant width is filled while compiling.
        del sandbox.filters[name]
    return sandbox


@lru_cache(maxsize=4096)
def _compile(text: str) -> Template:
    return _sandbox().from_string(text)


def _check_template(text: str, known: Set[str], *, where: str) -> None:
    """Raise `PromptError` unless the template compiles and uses known values only."""
    from jinja2 import TemplateSyntaxError, nodes
    from jinja2.meta import find_undeclared_variables

    if len(text) > _LONGEST_TEMPLATE:
        msg = f"{where} has {len(text)} characters; a template has at most {_LONGEST_TEMPLATE}"
        raise PromptError(msg)
    try:
        tree = _sandbox().parse(text)
        if product := tree.find(nodes.Mul) or tree.find(nodes.Pow):
            msg = f"{where}, line {product.lineno}: a template multiplies nothing; write the value"
            raise PromptError(msg)
        unknown = find_undeclared_variables(tree) - known
        _compile(text)
    except TemplateSyntaxError as cause:
        msg = f"{where}, line {cause.lineno}: {cause.message}"
        raise PromptError(msg) from cause
    except RecursionError as cause:
        msg = f"{where} is nested too deeply; write it with fewer brackets and blocks"
        raise PromptError(msg) from cause
    if unknown:
        msg = f"{where} uses {sorted(unknown)}, which it is not given; it is given {sorted(known)}"
        raise PromptError(msg)


def _check_parts(keys: Set[str], needed: Set[str], *, optional: Set[str], where: str) -> None:
    if unknown := sorted(keys - needed - optional):
        parts = ", ".join(sorted(needed | optional))
        msg = f"{where} has the unknown part {unknown[0]!r}; choose one of {parts}"
        raise PromptError(msg)
    if missing := sorted(needed - keys):
        names = ", ".join(map(repr, missing))
        parts = ", ".join(sorted(needed))
        msg = f"{where} lacks the part{'s'[: len(missing) - 1]} {names}; it needs {parts}"
        raise PromptError(msg)


def _list_templates(pack: PromptPack) -> Iterator[tuple[str, str, str]]:
    """Every template as (part, key in its table or empty, text), in a fixed order."""
    for part in GIVEN:
        if part in _TABLES:
            table: Mapping[str, str] = getattr(pack, part)
            for key in sorted(table):
                yield part, key, table[key]
        elif (text := getattr(pack, part)) or part not in _OPTIONAL:
            yield part, "", text
