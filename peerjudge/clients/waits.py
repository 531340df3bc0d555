"""Waits that a server states with a refusal: in its headers, in fields of its body, or in its words.

Servers agree on no form. Groq says "Please try again in 35s", Gemini has a `retryDelay` of "24s", OpenAI
has `x-ratelimit-reset-tokens: 6m0s` beside the counter that it resets, and OpenRouter names a moment in
milliseconds since 1970, in the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import cast

_HEADERS = ("retry-after-ms", "retry-after")
_RATE_LIMITED = 429
_SAYING_STATUS = frozenset({408, 429, 503, 529})
"""Status codes of which the words of the body can state a wait."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = (
    r"(\d+(?:\.\d+)?)\s*"
    r"(milliseconds?|msecs?|ms|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|[smhd])(?![a-z])"
)
_DURATION_PART = re.compile(_PART, re.ASCII | re.IGNORECASE)
_DURATION = re.compile(rf"(?:{_PART}[\s,]*(?:and\s+)?)+", re.ASCII | re.IGNORECASE)
_SAID = re.compile(
    r"\b(?:try(?:ing)?(?: it)? again|re-?try(?:ing)?|wait(?:ing)?|resets?|available|back)\b[^\d\n]{0,40}?"
    rf"({_DURATION.pattern})",
    re.ASCII | re.IGNORECASE,
)
_FIELD = re.compile(r"(?i)^(?:retry[-_ ]?(?:after|delay|in)|wait)(?:[-_ ]?(?:seconds?|secs?|s))?$")
_FIELD_MS = re.compile(
    r"(?i)^(?:retry[-_ ]?(?:after|delay|in)|wait)[-_ ]?(?:ms|millis(?:econds)?)$"
)
_RESET = re.compile(
    r"(?i)^(?:x-|anthropic-)?rate-?limit-(?:reset(?:-(\w[\w-]*))?|(\w[\w-]*)-reset)$"
)
_REMAINING = re.compile(
    r"(?i)^(?:x-|anthropic-)?rate-?limit-(?:remaining(?:-(\w[\w-]*))?|(\w[\w-]*)-remaining)$"
)
_EPOCH, _EPOCH_MS = 1e9, 1e12
"""Numbers from these on are moments since 1970, in seconds and in milliseconds."""


def read_retry_after(error: BaseException) -> float | None:
    """Return the seconds that a server states with its error; `None` without a wait of more than 0.

    `Retry-After` counts before all other statements. A wait of 0 or in the past says nothing.
    """
    headers = _read_headers(error)
    now = headers.get("date")
    for name in _HEADERS:
        if (value := headers.get(name)) is not None:
            stated = _parse_wait(value, now=now, milliseconds=name.endswith("-ms"))
            if stated is not None and stated > 0.0:
                return stated
    status = getattr(error, "status_code", None)
    if status not in _SAYING_STATUS:
        return None
    body: object = getattr(error, "body", None)
    stated = max(_read_fields(body, now=now), default=None)
    for table in (headers, *_find_tables(body)) if status == _RATE_LIMITED else ():
        if stated is None:
            stated = _read_resets(table, now=now)
    if stated is None:
        said = (_SAID.search(text) for text in (*_find_texts(body), str(error)))
        stated = next((_parse_duration(match[1]) for match in said if match), None)
    return stated if stated is not None and stated > 0.0 else None


def _read_headers(error: BaseException) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    given: Mapping[object, object] = headers if headers is not None else {}
    return {str(name).lower(): str(value) for name, value in dict(given).items()}


def _read_fields(body: object, *, now: str | None) -> Iterator[float]:
    """Yield the waits in fields that are named like one."""
    for table in _find_tables(body):
        for name, value in table.items():
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                in_ms = _FIELD_MS.match(name) is not None
                if in_ms or _FIELD.match(name):
                    stated = _parse_wait(str(value), now=now, milliseconds=in_ms)
                    if stated is not None:
                        yield stated


def _read_resets(table: Mapping[str, object], *, now: str | None) -> float | None:
    """Return the time until the counters that are used up are reset, or the one without a counter."""
    left: dict[str, object] = {}
    waits: dict[str, float] = {}
    for name, value in table.items():
        if match := _REMAINING.match(name):
            left[match[1] or match[2] or ""] = value
        elif match := _RESET.match(name):
            stated = _parse_wait(str(value), now=now)
            if stated is not None:
                waits[match[1] or match[2] or ""] = stated
    used_up = [
        wait for name, wait in waits.items() if name not in left or str(left[name]).strip() == "0"
    ]
    return max(used_up, default=None)


def _parse_wait(value: str, *, now: str | None, milliseconds: bool = False) -> float | None:
    """Return the seconds of a number, a duration such as `6m0s`, or a moment; `None` for another text.

    A moment counts from the server's own clock `now`.
    """
    value = value.strip()
    negative = value.startswith("-")
    number = value.removeprefix("-")
    if _NUMBER.fullmatch(number):
        seconds = float(number)
        if seconds >= _EPOCH:
            moment = seconds / 1000.0 if seconds >= _EPOCH_MS else seconds
            return moment - _read_clock(now).timestamp()
        seconds = seconds / 1000.0 if milliseconds else seconds
        return -seconds if negative else seconds
    if _DURATION.fullmatch(value):
        return _parse_duration(value)
    return _parse_moment(value, now=now)


def _parse_moment(value: str, *, now: str | None) -> float | None:
    try:
        moment = (
            datetime.fromisoformat(value) if "T" in value[:11] else parsedate_to_datetime(value)
        )
        moment = moment.replace(tzinfo=moment.tzinfo or UTC)
        return (moment - _read_clock(now)).total_seconds()
    except (ValueError, OverflowError):
        return None


def _read_clock(now: str | None) -> datetime:
    try:
        return parsedate_to_datetime(now or "").astimezone(UTC)
    except (ValueError, OverflowError):
        return datetime.now(UTC)


def _parse_duration(text: str) -> float:
    """Return the seconds of a duration of one or more parts."""
    total = 0.0
    for number, unit in _DURATION_PART.findall(text):
        name = unit.lower()
        total += float(number) * _UNITS["ms" if name.startswith(("ms", "milli")) else name[0]]
    return total


def _find_tables(body: object) -> Iterator[Mapping[str, object]]:
    """Yield all tables within a body."""
    if isinstance(body, dict):
        table = cast("dict[str, object]", body)
        yield table
        for value in table.values():
            yield from _find_tables(value)
    elif isinstance(body, list):
        for value in cast("list[object]", body):
            yield from _find_tables(value)


def _find_texts(body: object) -> Iterator[str]:
    """Yield all texts within a body."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, list):
        for value in cast("list[object]", body):
            yield from _find_texts(value)
    elif isinstance(body, dict):
        for value in cast("dict[str, object]", body).values():
            yield from _find_texts(value)
