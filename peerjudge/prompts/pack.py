"""Prompt packs: read from TOML, checked part by part, and identified by their words.

What the templates of each part are given is `GIVEN`. Whatever others wrote arrives fenced.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Set
from types import MappingProxyType

from peerjudge.data import PromptPack, content_hash, from_plain
from peerjudge.errors import DataError, PromptError
from peerjudge.prompts.templates import check_template

__all__ = ["GIVEN", "pack_identity", "read_pack"]

RENDERING = 1
"""Counts the changes of what `render` adds to a pack's words; part of every pack's identity."""

GIVEN: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "system": frozenset({"mark"}),
        "seat": frozenset({"number", "others"}),
        "scene": frozenset({"question", "answers", "task"}),
        "heard": frozenset({"speaker", "own", "private", "task", "about", "words"}),
        "criteria": frozenset({"aspects", "labels"}),
        "remind": frozenset({"number", "others"}),
        "tasks": frozenset({"criteria", "labels", "low", "high", "worst", "best"}),
        "reply": frozenset({"numbers", "tie", "low", "high", "worst", "best"}),
    }
)
"""The values that the templates of each part are given.

`mark` is the mark of the fences; `number` the speaker's place in the discussion, from 1, and
`others` those of the rest; `question` and `answers` are fenced, `labels` are the names under which
the answers are shown, `task` is what the speaker is asked to do with them; `speaker` is `Reviewer
2`, or `You` in what a seat hears of itself before a discussion, `own` whether that is the one now
asked, `private` whether it was said in private, `task` what had been asked, `about` the label of
the one answer it was about (or empty) and `words` what was said, fenced; `aspects` are the
criteria, none when they are not to be named, `criteria` that part filled; `numbers` are those of
the answers and `tie` is the number for a tie; `low` and `high` bound the scale of a rating, of
which `worst` is the one end and `best` the other. There are no `answers` and no `labels` where the
speaker is asked before it sees any.
"""

_TABLES = ("tasks", "reply")
_REPLIES = frozenset({"verdict", "verdict_or_tie"})
_RATINGS = frozenset(
    {
        "rating",
        *("example_score_only", "example_score_reasons", "example_reasons_score"),
        *("schema_score_only", "schema_score_reasons", "schema_reasons_score"),
    }
)
"""The forms of a rating: the number, and JSON asked for by example or by schema."""


def read_pack(name: str, text: str) -> PromptPack:
    """The pack that this TOML text holds.

    Raises `PromptError` for text that is not TOML, a missing or unknown part, a template that does
    not compile, and a template that uses a value which its part is not given.
    """
    try:
        plain = tomllib.loads(text)
    except tomllib.TOMLDecodeError as cause:
        msg = f"prompt pack {name!r} is not TOML: {cause}"
        raise PromptError(msg) from cause
    known = {"description", "aspects", *GIVEN}
    _require(plain.keys(), known=known, optional={"aspects"}, where=f"prompt pack {name!r}")
    try:
        pack = from_plain(PromptPack, {"name": name, **plain})
    except DataError as cause:
        msg = f"prompt pack {name!r}: {cause}"
        raise PromptError(msg) from cause
    _require(
        pack.reply.keys(),
        known={*_REPLIES, *_RATINGS},
        optional={*_RATINGS},
        where=f"[reply] of prompt pack {name!r}",
    )
    for part, key, template in _templates(pack):
        where = f"{part}{f'.{key}' if key else ''} of prompt pack {name!r}"
        check_template(template, GIVEN[part], where=where)
    return pack


def pack_identity(pack: PromptPack) -> str:
    """A digest of all that the pack makes reviewers read; its name and description are not in it."""
    words = [[part, key, template] for part, key, template in _templates(pack)]
    return content_hash(RENDERING, words, list(pack.aspects))


def _templates(pack: PromptPack) -> Iterator[tuple[str, str, str]]:
    """Every template as (part, key in its table or empty, text), in a fixed order."""
    for part in GIVEN:
        if part in _TABLES:
            table: Mapping[str, str] = getattr(pack, part)
            for key in sorted(table):
                yield part, key, table[key]
        else:
            yield part, "", getattr(pack, part)


def _require(keys: Set[str], *, known: set[str], optional: set[str], where: str) -> None:
    if unknown := sorted(keys - known):
        msg = f"{where} has the unknown part {unknown[0]!r}; the parts are {sorted(known)}"
        raise PromptError(msg)
    if missing := sorted(known - optional - keys):
        msg = f"{where} lacks the part {missing[0]!r}; it needs {sorted(known - optional)}"
        raise PromptError(msg)
