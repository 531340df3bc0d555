"""Texts that name data and how its columns are read, such as `pairs.csv?question=Prompt&codes=0=a,1=b`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, unquote

from peerjudge.datasets.source import Options
from peerjudge.errors import DataError

_CODES = "codes"
"""Key of the codes; every other key is a field of the format."""
_PLAIN = " =,.:/@*()[]'-"
"""Characters of columns that need no escape."""


def split_spec(spec: str) -> tuple[str, Options]:
    """Return the place that a text names, and the columns and codes that follow it after `?`.

    Raises:
        DataError: what follows is not written FIELD=COLUMN, or a field is given twice.
    """
    place, mark, tail = spec.rpartition("?")
    paths = (Path(one).expanduser() for one in (spec, spec.partition(":")[2]) if one)
    if not mark or "=" not in tail or "://" in spec or any(path.exists() for path in paths):
        return spec, Options()
    given: dict[str, str] = {}
    for part in tail.split("&"):
        field, _, column = (unquote(one).strip() for one in part.partition("="))
        if not (field and column) or field in given:
            msg = (
                f"{spec!r} must map each field once, as in {place}?question=Prompt&answer_a=First, "
                f"not {part!r}"
            )
            raise DataError(msg)
        given[field] = column
    codes = given.pop(_CODES, "")
    return place, Options(names=given, codes=_split_codes(spec, codes))


def add_to_spec(spec: str, *, names: Mapping[str, str], codes: Mapping[str, str]) -> str:
    """Return the text that names the same data with more columns and codes; those given here win.

    Args:
        spec: text that names data, or an empty one.
        names: columns by field.
        codes: meanings by code.
    """
    if not (names or codes):
        return spec
    place, known = split_spec(spec)
    columns = {**known.names, **names}
    parts = [f"{quote(field, _PLAIN)}={quote(column, _PLAIN)}" for field, column in columns.items()]
    if meanings := {**known.codes, **codes}:
        said = ",".join(f"{code}={meaning}" for code, meaning in meanings.items())
        parts.append(f"{_CODES}={quote(said, _PLAIN)}")
    return f"{place}?{'&'.join(parts)}"


def _split_codes(spec: str, text: str) -> dict[str, str]:
    codes: dict[str, str] = {}
    for part in text.split(",") if text else ():
        code, equals, meaning = (one.strip() for one in part.rpartition("="))
        if not (code and equals and meaning):
            msg = f"{spec!r} must name codes as in codes=0=a,1=b, not {part!r}"
            raise DataError(msg)
        codes[code] = meaning
    return codes
