"""Verdicts and ratings as JSON: bare, in a code fence, or at either end of a reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from peerjudge.verdicts.codes import (
    ABSTENTION,
    BROKEN,
    CODE,
    CONTRADICTION,
    NAME,
    NOUN,
    TIE_WORDS,
    code_of,
)

Members = tuple[tuple[str, object], ...]

_DEPTH = 4
_LARGEST = 1e9
_VERDICT_KEYS = frozenset(
    f"{prefix}{word}"
    for prefix in ("", "final", "better", "best", "preferred", "winning")
    for word in (
        *("choice", "winner", "decision", "preference", "verdict", "answer", "output", "vote"),
        *("response", "judgement", "judgment", "assistant", "model", "selection", "pick"),
    )
) - {"response", "assistant", "model"} | {"better", "best", "preferred", "chosen", "selected"}
_SCORE_KEYS = frozenset(
    {"score", "rating", "grade", "mark", "overall", "overallscore", "overallrating"}
)
_VALUE = re.compile(
    rf"(?:{NAME}|{CODE}|[a-e]|(?i:{TIE_WORDS})|(?i:(?:the )?(?:first|second|third|fourth)))"
    r"(?: (?:wins|is (?:the )?(?:better|best|winner)(?: \w+)?))?\.?"
)
_SMALL = re.compile(rf"(?i:({NOUN}) )([a-e])")
_NUMBER = re.compile(r"(-?[0-9]{1,9}(?:\.[0-9]{1,9}|,[0-9]{1,2})?)(?: ?/ ?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class JsonReply:
    """JSON object of a reply: its members (none if it is broken), and whether it ends the reply.

    `before` holds the lines before it.
    """

    members: Members
    closing: bool
    before: Sequence[str] = ()


class _Object(tuple[tuple[str, object], ...]):
    """Members of a JSON object in order, including duplicate keys."""

    __slots__ = ()


_DECODER = json.JSONDecoder(object_pairs_hook=_Object, strict=False)


def decode_object(text: str, start: int) -> tuple[Members | None, int]:
    """Return the members of the JSON object that begins at `start`, and its end; `None` for a broken one.

    A string may go on over several lines; all else is strict.
    """
    try:
        value, end = cast("tuple[_Object, int]", _DECODER.raw_decode(text, start))
    except (ValueError, RecursionError):
        return None, start
    return tuple(_flatten(value, _DEPTH)), end


def json_verdict(objects: Sequence[Members], reply: JsonReply) -> int:
    """Return the only verdict code in the JSON of a reply, else `CONTRADICTION` or `BROKEN`."""
    if len({*map(_verdict_of, objects)} - {BROKEN}) > 1:
        return CONTRADICTION
    return _verdict_of(reply.members)


def json_score(members: Members) -> float | None:
    """Return the only rating among the members, else `None`."""
    scores = {_score(value) for key, value in members if key in _SCORE_KEYS}
    return scores.pop() if len(scores) == 1 else None


def _verdict_of(members: Members) -> int:
    codes = {_code(value) for key, value in members if key in _VERDICT_KEYS} - {None}
    if len(codes) > 1:
        return CONTRADICTION
    return cast("int", codes.pop()) if codes else BROKEN


def _flatten(value: _Object, depth: int) -> Iterator[tuple[str, object]]:
    for key, inner in value:
        if not isinstance(inner, _Object):
            name = "".join(filter(str.isalpha, key)).lower()
            # "answer_1" is an answer or its score, and no verdict.
            yield ("" if key[-1:].isdigit() else name), inner
        elif depth:
            yield from _flatten(inner, depth - 1)


def _code(value: object) -> int | None:
    """Return the code of a number, in range or not, or of a text that is a name or a code."""
    if isinstance(value, int | float):
        whole = not isinstance(value, bool) and -100 < value < 100 and value == int(value)
        return int(value) if whole and value > 0 else BROKEN
    if not isinstance(value, str):
        return BROKEN
    text = value.strip().replace("_", " ")
    if text.lower() == "none":
        return ABSTENTION
    text = _SMALL.sub(lambda small: f"{small[1]} {small[2].upper()}", text)
    text = text.upper() if len(text) == 1 else text
    return code_of(text) if _VALUE.fullmatch(text) else None


def _score(value: object) -> float | None:
    if isinstance(value, str):
        found = _NUMBER.fullmatch(
            value.strip()
        )  # float() refuses some of the marks that strip() removes
        return float(found[1].replace(",", ".")) if found else None
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST:
        return float(value)
    return None
