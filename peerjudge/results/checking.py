"""Conditions on the numbers of a comparison, for continuous integration: `gain<0`, `accuracy.low<0.6`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from operator import ge, gt, le, lt
from typing import Literal, TypeAlias

from peerjudge.data.choices import suggest_choice
from peerjudge.errors import DataError

Outcome: TypeAlias = Literal["holds", "does not hold", "not measured"]

_OPERATORS = {"<": lt, "<=": le, ">": gt, ">=": ge}
_TESTED = ("value", "low", "high", "n", "p", "p_holm")
_FIELDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("accuracy", "margin"), ("value", "low", "high", "n")),
    **dict.fromkeys(("gain", "over_mean_seat", "over_better_seat"), _TESTED),
    **dict.fromkeys(("over_self_consistency", "over_vote", "difference"), _TESTED),
}
_TERM = re.compile(
    r"\s*(?P<measure>[A-Za-z_]+)(?:\[(?P<name>.+)\])?(?:\.(?P<field>[A-Za-z_]+))?"
    r"\s*(?P<operator><=|>=|<|>)\s*(?P<bound>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?P<percent>%?)\s*"
)
_FORM = (
    "write it as MEASURE<NUMBER, as in 'gain<0', 'accuracy[gpt4].low<0.6' or 'gain<0 and p<0.05'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The numbers of one measure of one condition, reviewer or pair; `reason` says why there are none."""

    measure: str
    name: str
    numbers: Mapping[str, float] = field(default_factory=dict[str, float])
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A condition held against one row. `text` says so in a sentence.

    Only `does not hold` passes: what cannot be measured must not pass a check in silence.
    """

    condition: str
    measure: str
    name: str
    outcome: Outcome
    text: str

    @property
    def passed(self) -> bool:
        """True if the condition was tested and does not hold."""
        return self.outcome == "does not hold"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Term:
    field: str
    operator: str
    bound: float

    def holds(self, value: float) -> bool:
        return _OPERATORS[self.operator](value, self.bound)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One or several terms on the same measure, which must all hold; `name` selects one row."""

    text: str
    measure: str
    name: str
    terms: tuple[_Term, ...]


def parse_condition(text: str) -> Condition:
    """Parse a condition; `and` joins terms about the same measure.

    Raises:
        DataError: The text is no condition, or has an unknown measure or field.
    """
    measure, name, terms = "", "", list[_Term]()
    for part in re.split(r"\s+and\s+(?=[A-Za-z_]+(?:\[.+\])?(?:\.[A-Za-z_]+)?\s*[<>])", text):
        match = _TERM.fullmatch(part)
        if match is None:
            msg = f"{text!r} is no condition: {_FORM}"
            raise DataError(msg)
        word, of, part_field = match["measure"], match["name"] or "", match["field"] or ""
        if terms and word in _FIELDS[measure] and not of and not part_field:
            word, of, part_field = measure, name, word
        if not terms:
            measure, name = _check_measure(word, text), of
        if word != measure or of not in {"", name}:
            msg = (
                f"{text!r} joins different measures; `and` joins terms about one measure and name, and "
                "several --fail-if are tested each on their own"
            )
            raise DataError(msg)
        terms.append(_build_term(measure, part_field or "value", match))
    return Condition(text=text, measure=measure, name=name, terms=tuple(terms))


def check_rows(rows: Sequence[Row], conditions: Sequence[Condition]) -> tuple[Check, ...]:
    """Hold each condition against each row of its measure, in their order.

    Raises:
        DataError: There is no row of this measure, or none with this name.
    """
    return tuple(check for condition in conditions for check in _check(rows, condition))


def _check(rows: Sequence[Row], condition: Condition) -> Iterator[Check]:
    own = [row for row in rows if row.measure == condition.measure]
    if not own:
        known = ", ".join(dict.fromkeys(row.measure for row in rows)) or "none"
        msg = f"{condition.text!r}: these sources have no {condition.measure}; they have {known}"
        raise DataError(msg)
    chosen = [row for row in own if condition.name in {"", row.name}]
    if not chosen:
        names = [row.name for row in own]
        msg = f"{condition.text!r}: unknown name {condition.name!r}{suggest_choice(condition.name, names)}"
        raise DataError(msg)
    for row in chosen:
        yield _test(condition, row)


def _test(condition: Condition, row: Row) -> Check:
    values = [row.numbers.get(term.field, nan) for term in condition.terms]
    of = f"{row.measure} of {row.name}"
    outcome: Outcome
    if not all(map(isfinite, values)):
        outcome = "not measured"
        text = f"{of} cannot be tested: {row.reason or 'no such number was measured'}"
    else:
        held = all(term.holds(value) for term, value in zip(condition.terms, values, strict=True))
        outcome = "holds" if held else "does not hold"
        text = f"{of} is {_describe(row)}"
        low, high = row.numbers.get("low", nan), row.numbers.get("high", nan)
        if any(one.field == "value" and low <= one.bound <= high for one in condition.terms):
            # The interval of a point estimate that holds the bound leaves the condition open.
            text += "; its interval contains the bound"
    return Check(
        condition=condition.text,
        measure=row.measure,
        name=row.name,
        outcome=outcome,
        text=text,
    )


def _describe(row: Row) -> str:
    numbers = row.numbers
    text = f"{numbers['value']:.3f} [{numbers['low']:.3f}, {numbers['high']:.3f}]"
    more = [f"{key} {numbers[key]:.4g}" for key in ("n", "p", "p_holm") if key in numbers]
    return ", ".join((text, *more))


def _build_term(measure: str, name: str, match: re.Match[str]) -> _Term:
    text = match.string
    if name not in _FIELDS[measure]:
        msg = f"{text!r}: {measure} has no {name!r}{suggest_choice(name, _FIELDS[measure])}"
        raise DataError(msg)
    bound = float(match["bound"]) / (100 if match["percent"] else 1)
    if name != "n" and abs(bound) > 1:
        msg = f"{text!r}: {measure} is a share, from -1 to 1; write 70 percent as 0.7 or 70%"
        raise DataError(msg)
    return _Term(field=name, operator=match["operator"], bound=bound)


def _check_measure(name: str, text: str) -> str:
    if name in _FIELDS:
        return name
    if name in _TESTED:
        msg = f"{text!r}: {name} of what? Write over_vote.{name} or difference.{name}"
        raise DataError(msg)
    msg = f"{text!r}: unknown measure {name!r}{suggest_choice(name, _FIELDS)}"
    raise DataError(msg)
