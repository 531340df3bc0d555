"""Codes of verdicts in files: what a value says, and values that conventions read differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from peerjudge.datasets.lines import Row
from peerjudge.datasets.names import clean_name
from peerjudge.errors import DataError

Choice: TypeAlias = int | Literal["tie", "unreadable", "refused"] | None
"""The chosen answer by its place from 0, a tie, a verdict that cannot be read, or no verdict."""

MEANINGS: Mapping[str, Choice] = {
    "a": 0,
    "b": 1,
    "c": 2,
    "d": 3,
    "tie": "tie",
    "unreadable": "unreadable",
    "none": None,
}
"""What a code can be named as."""

_WORDS = ("first answer", "second answer", "third answer", "fourth answer")
_LISTED = 12
"""Most values of a column that a note lists."""


@dataclass(slots=True)
class Codebook:
    """Reads the codes of one request, and counts how it read each value of each column.

    `named` has the meaning of codes that the user named; these go before any other reading. `low` has the
    columns with a number below 1, and `open` those of formats that do not say where numbers begin.
    `offered` is the number of answers of annotators in the files, and `left_out` counts by reason what of the
    files is not read.
    """

    named: Mapping[str, str] = field(default_factory=dict[str, str])
    counts: dict[tuple[Path, str], Counter[tuple[str, Choice]]] = field(
        default_factory=dict[tuple[Path, str], Counter[tuple[str, Choice]]]
    )
    low: set[tuple[Path, str]] = field(default_factory=set[tuple[Path, str]])
    open: set[tuple[Path, str]] = field(default_factory=set[tuple[Path, str]])
    offered: int = 0
    left_out: Counter[str] = field(default_factory=Counter[str])

    def read(
        self,
        row: Row,
        key: str,
        meanings: Mapping[str, Choice],
        *,
        names: Mapping[str, frozenset[int]] | None = None,
        from_one: bool = False,
    ) -> Choice:
        """Return what the value of a column says.

        Numbers count the answers from 1. One below 1 is taken as no verdict, for `check` to refuse.

        Args:
            row: its row.
            key: the column.
            meanings: codes of the format in lower case; an empty text is a missing value.
            names: names that stand for answers, with their places.
            from_one: whether the format says that numbers begin with 1.

        Raises:
            DataError: the value has no meaning, or is a name of one answer and the code of another verdict.
        """
        said = _normalize(row.label(key))
        if not from_one:
            self.open.add((row.path, key))
        if said in self.named:
            return self._count(row, key, said, MEANINGS[self.named[said]])
        number = _as_number(said)
        readings: set[Choice] = set((names or {}).get(said, ()))
        if said.lower() in meanings:
            readings.add(meanings[said.lower()])
        if len(readings) == 1:
            (choice,) = readings
            return self._count(row, key, said, choice) if said else choice
        if number is not None and number < 1 and not readings and not self._numbers:
            self.low.add((row.path, key))
            return self._count(row, key, said, None)
        wanted = ", ".join(dict.fromkeys([*filter(None, names or ()), *_list_codes(meanings)]))
        if not said and not readings:
            msg = f"no {key!r}; give one of {wanted} (found {sorted(row.fields)})"
        elif readings:
            what = " or ".join(sorted(map(_describe, readings)))
            msg = (
                f"{key!r} is {said!r}, which can be {what}, by the names and codes of the answers; say what "
                f"it means, as in --codes {said}=a, or give the contestant another name"
            )
        else:
            empty = "leave it empty where it is not known, or " if "" in meanings else ""
            msg = (
                f"{key!r} must be one of {wanted}, not {said!r:.60}; {empty}name another code, as in "
                f"--codes {said[:20]}=a"
            )
        raise row.error(msg)

    def read_scale(self, row: Row, key: str) -> Choice:
        """Return what a number between the codes of two answers says; the middle is a tie.

        Without named codes, 1 is the first answer, 2 the second and 0 a tie.

        Raises:
            DataError: the value is no number, or is beyond the scale.
        """
        value = row.number(key)
        if value is None:
            return "unreadable"
        said = f"{value:g}"
        self.open.add((row.path, key))
        if said in self.named:
            return self._count(row, key, said, MEANINGS[self.named[said]])
        first, second = self._find_scale(row)
        low, high = sorted((first, second))
        if not self._numbers and 0 < value < 1:
            self.low.add((row.path, key))
            return self._count(row, key, said, None)
        if not self._numbers and value == 0:
            return self._count(row, key, said, "tie")
        if not low <= value <= high:
            msg = f"{key!r} is from {low:g} to {high:g}, 0 for a tie, or null, not {value:g}"
            raise row.error(msg)
        middle = (first + second) / 2
        choice: Choice = "tie" if value == middle else int((value > middle) == (second > first))
        return self._count(row, key, said, choice)

    @property
    def _numbers(self) -> list[float]:
        """The numbers that the user named."""
        return [number for code in self.named if (number := _as_number(code)) is not None]

    def _find_scale(self, row: Row) -> tuple[float, float]:
        if not self._numbers:
            return 1, 2
        places = {meaning: code for code, meaning in self.named.items()}
        try:
            return float(places["a"]), float(places["b"])
        except (KeyError, ValueError) as cause:
            msg = "name the numbers of both answers, as in --codes 0=a,1=b"
            raise row.error(msg) from cause

    def _count(self, row: Row, key: str, said: str, choice: Choice) -> Choice:
        self.counts.setdefault((row.path, key), Counter())[said, choice] += 1
        return choice

    def check(self) -> None:
        """Check that no number can be read in another way.

        Raises:
            DataError: a column has numbers below 1, or none above 1 on a scale, so that they do not say where
                they begin; or some of its numbers are named, and others are not.
        """
        for place, counts in self.counts.items():
            path, key = place
            found = {said: number for said, _ in counts if (number := _as_number(said)) is not None}
            left = [said for said in found if said not in self.named]
            if left and self._numbers:
                between = _between(found, self._numbers)
                if not set(left) <= between:
                    msg = f"{path}: {key!r} also holds {_join(left)}; name all numbers with --codes"
                    raise DataError(msg)
            elif left and (place in self.low or (place in self.open and max(found.values()) <= 1)):
                ordered = sorted(left, key=lambda said: found[said])
                times = Counter[str]()
                for (said, _), count in counts.items():
                    times[said] += count
                how_often = ", ".join(f"{said}: {_say_times(times[said])}" for said in ordered)
                msg = (
                    f"{path}: the numbers in {key!r} do not say where they begin ({how_often}); name them, "
                    f"as in {' or '.join(_suggest_codes(min(found.values()), max(found.values())))}"
                )
                raise DataError(msg)

    def describe(self) -> tuple[str, ...]:
        """Return one sentence for each column: how each value was read, and how often."""
        totals: dict[str, Counter[tuple[str, Choice]]] = {}
        for (_, key), counts in self.counts.items():
            totals.setdefault(key, Counter()).update(counts)
        return tuple(
            f"{key!r} was read as {_list_readings(counts)}" for key, counts in totals.items()
        )


def name_places(*lists: Sequence[str]) -> Mapping[str, frozenset[int]]:
    """Return the places that each name stands for.

    Args:
        lists: names of the answers in their order, such as ids and authors.
    """
    found: dict[str, set[int]] = {}
    for names in lists:
        for place, name in enumerate(names):
            found.setdefault(clean_name(name), set()).add(place)
    return {name: frozenset(places) for name, places in found.items() if name}


def check_codes(codes: Mapping[str, str]) -> Mapping[str, str]:
    """Return the named codes in the form in which they are looked up.

    Raises:
        DataError: a code is named as something that is no verdict.
    """
    for code, meaning in codes.items():
        if meaning not in MEANINGS:
            msg = f"the code {code!r} is named {meaning!r}; choose one of {', '.join(MEANINGS)}"
            raise DataError(msg)
    return {_normalize(code): meaning for code, meaning in codes.items()}


def _between(found: Mapping[str, float], ends: Sequence[float]) -> set[str]:
    """Return the numbers that lie strictly inside those that are named, as grades of a scale do."""
    return {said for said, number in found.items() if min(ends) < number < max(ends) and number % 1}


def _suggest_codes(least: float, most: float) -> tuple[str, str]:
    """Return the two common readings of numbers that begin below 1."""
    if least < 0:
        return f"--codes={least:g}=a,0=tie,{most:g}=b", f"--codes={least:g}=b,0=tie,{most:g}=a"
    return "--codes 0=a,1=b,2=tie"[: -6 * (most < 2) or None], "--codes 0=tie,1=a,2=b"


def _normalize(said: str) -> str:
    """Return a code; whole numbers lose their zeros after the point, which other tools add."""
    number = _as_number(said)
    return f"{number:g}" if number is not None and number == int(number) else said


def _as_number(said: str) -> float | None:
    try:
        number = float(said)
    except ValueError:
        return None
    return number if abs(number) < 1e15 else None


def _describe(choice: Choice) -> str:
    if isinstance(choice, int):
        return _WORDS[choice]
    return "no verdict" if choice is None else choice


def _list_codes(meanings: Mapping[str, Choice]) -> list[str]:
    """Return at most three codes for each meaning."""
    found: dict[Choice, list[str]] = {}
    for code, choice in meanings.items():
        if code:
            found.setdefault(choice, []).append(code)
    return [code for codes in found.values() for code in codes[:3]]


def _list_readings(counts: Counter[tuple[str, Choice]]) -> str:
    ordered = sorted(counts.items(), key=lambda each: (-each[1], str(each[0])))
    said = [
        f"{code}: {_describe(choice)}, {_say_times(count)}"
        for (code, choice), count in ordered[:_LISTED]
    ]
    more = len(ordered) - _LISTED
    return "; ".join(said) + (f"; {more} other values" if more > 0 else "")


def _say_times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _join(codes: Sequence[str]) -> str:
    return ", ".join(sorted(codes)[:_LISTED])
