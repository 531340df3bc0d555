"""Verdicts and ratings as JSON: bare, in a code fence, or at either end of a reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
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
_CANDIDATES = 16
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
_NUMBER = re.compile(r"(-?[0-9]{1,9}(?:\.[0-9]{1,9})?)(?: ?/ ?[0-9]{1,3})?")
_CUT = re.compile(r'(?m)^\{\s*"')
_FENCE_HEAD = re.compile(r"\w* *")


@dataclass(frozen=True, slots=True)
class JsonReply:
    """JSON object of a reply: its members (none if it is broken), and whether it ends the reply."""

    members: Members
    closing: bool


class _Object(tuple[tuple[str, object], ...]):
    """Members of a JSON object in order, including duplicate keys."""

    __slots__ = ()


_DECODER = json.JSONDecoder(object_pairs_hook=_Object)


def find_json(text: str) -> JsonReply | None:
    """Return the JSON object that makes up, ends or starts a reply; `None` if there is none."""
    if "{" not in text:
        return None
    block = _final_block(text)
    if block.startswith("{"):
        value, end = _decode(block, 0)
        return JsonReply(_list_members(value), not block[end:].strip())
    if block.endswith("}") and (ending := _at_end(block)) is not None:
        return JsonReply(_list_members(ending), closing=True)
    last = max((found.start() for found in _CUT.finditer(block)), default=-1)
    if last < 0:
        return None
    value = _decode(block, last)[0]
    if value is not None:
        return JsonReply(_list_members(value), closing=False)
    return JsonReply((), closing=True) if "\n\n" not in block[last:] else None


def json_verdict(text: str, reply: JsonReply) -> int:
    """Return the only verdict code in the JSON of a reply, else `CONTRADICTION` or `BROKEN`."""
    if text.count("{") > 1 and len({*map(_verdict_of, list_objects(text))} - {BROKEN}) > 1:
        return CONTRADICTION
    return _verdict_of(reply.members)


def json_score(members: Members) -> float | None:
    """Return the only rating among the members, else `None`."""
    scores = {_score(value) for key, value in members if key in _SCORE_KEYS}
    return scores.pop() if len(scores) == 1 else None


def _final_block(text: str) -> str:
    """Return the content of the code fence that opens or closes a reply, else the reply."""
    text = text.strip()
    if text.startswith("```") and text.count("```") == 2 and not text.endswith("```"):
        return text.partition("\n")[2].partition("```")[0].strip()
    if text.startswith("```") and text.count("```") == 1:
        return text.partition("\n")[2].strip()
    if not text.endswith(("```", "~~~")):
        return text
    body = text[:-3]
    start = body.rfind(text[-3:])
    if start < 0:
        return text
    head, _, rest = body[start + 3 :].partition("\n")
    return rest.strip() if _FENCE_HEAD.fullmatch(head) else f"{head}\n{rest}".strip()


def _at_end(block: str) -> _Object | None:
    """Return the object that ends with the block; `None` if there is none among the last braces."""
    start = len(block)
    for _ in range(_CANDIDATES):
        start = block.rfind("{", 0, start)
        if start < 0:
            return None
        value, end = _decode(block, start)
        if value is not None and end == len(block):
            return value
    return None


def list_objects(text: str) -> Iterator[Members]:
    """Yield the members of the JSON objects in a text, of the first 16; broken ones are left out."""
    at = 0
    for _ in range(_CANDIDATES):
        at = text.find("{", at)
        if at < 0:
            break
        value, end = _decode(text, at)
        if value is not None:
            yield _list_members(value)
        at = end if value is not None else at + 1


def _verdict_of(members: Members) -> int:
    codes = {_code(value) for key, value in members if key in _VERDICT_KEYS} - {None}
    if len(codes) > 1:
        return CONTRADICTION
    return cast("int", codes.pop()) if codes else BROKEN


def _decode(block: str, start: int) -> tuple[_Object | None, int]:
    try:
        value, end = cast("tuple[object, int]", _DECODER.raw_decode(block, start))
    except (ValueError, RecursionError):
        return None, len(block)
    return (value if isinstance(value, _Object) else None), end


def _list_members(value: _Object | None) -> Members:
    return () if value is None else tuple(_flatten(value, _DEPTH))


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
        return float(found[1]) if found else None
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST:
        return float(value)
    return None
