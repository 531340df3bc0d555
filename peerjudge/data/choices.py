"""Hints for a name that is not one of the known names: the nearest one, or all of them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from peerjudge.errors import DataError


def suggest_name(given: object, known: Iterable[str]) -> str:
    """Return `; did you mean 'NAME'?` for the nearest known name; empty if none is near."""
    near = get_close_matches(str(given), list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def suggest_choice(given: object, known: Iterable[str]) -> str:
    """Return the hint for the nearest known name; if none is near, the names to choose from."""
    names = list(known)
    return suggest_name(given, names) or f"; choose one of {', '.join(names)}"


def require_choice(given: object, known: Iterable[str], *, name: str) -> None:
    """Raise `DataError` unless an argument of this name is one of the known values."""
    names = list(map(str, known))
    if not (isinstance(given, str) and given in names):
        msg = f"{name} is one of {', '.join(names)}, not {given!r}{suggest_name(given, names)}"
        raise DataError(msg)
