"""Formats of numbers and names, the same in terminal tables, pages and figures."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

from peerjudge.data import EventKind, Measurement

MISSING = "-"
SIMULATED = "Simulated reviewers: these numbers say nothing about real models."
SIMULATED_ANSWERS = "Simulated answers: their words and their quality are invented."

_DIRECTION_CONTROLS = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))
"""Characters that change the direction of writing until they are closed."""

_EVENTS = {
    EventKind.HELD: "held",
    EventKind.ALTERED: "altered",
    EventKind.SHIFTED: "shifted",
    EventKind.AGREED: "agreed",
    EventKind.ALTERED_AFTER_AGREEMENT: "altered after agreement",
}
_TASKS = {
    "review": "review",
    "review_explained": "review with reasons",
    "pros_cons": "pros and cons",
    "solve_first": "own answer, then review",
    "explain_one": "explanation of one answer",
    "explain_both": "explanation of the answers",
    "decide": "decision",
    "rate": "rating",
    "score": "rating",
    "score_by_rules": "rating by rules",
    "write_criteria": "criteria for this question",
    "discuss": "discussion",
    "reconsider": "second look",
    "verdict": "reading of a verdict",
}


def share(value: float, digits: int = 0) -> str:
    """Format a share in percent without the sign: `71`, or `99.6` where `100` would claim all."""
    if isnan(value):
        return MISSING
    rounded = f"{100 * value:.{digits}f}"
    if 0.0 < value < 1.0 and float(rounded) in {0.0, 100.0}:
        return f"{min(max(100 * value, 0.1), 99.9):.1f}"
    return rounded.removeprefix("-") if float(rounded) == 0.0 else rounded


def percent(measured: Measurement | None, digits: int = 0) -> str:
    """Format a share with its interval in percent: `71 [65, 77]`."""
    return _bounded(measured, lambda value: share(value, digits))


def span(low: float, high: float, digits: int = 0) -> str:
    """Format the least and the greatest possible share in percent: `65 to 78`."""
    return f"{share(low, digits)} to {share(high, digits)}"


def points(measured: Measurement | None, digits: int = 0) -> str:
    """Format a difference of shares with its interval in percentage points: `+7 [-2, +12]`."""
    return _bounded(measured, lambda value: signed(value, digits))


def signed(value: float, digits: int = 0) -> str:
    """Format a difference of shares in percentage points: `+7`, `-0.4`, `0`."""
    if isnan(value):
        return MISSING
    rounded = f"{100 * value:+.{digits}f}"
    return "0" if float(rounded) == 0.0 else rounded


def decimal(value: float | None, digits: int = 3) -> str:
    """Format a number that is no share, such as a kappa, a weight or a rating: `0.410`, `1213`."""
    if value is None or isnan(value):
        return MISSING
    # A half is rounded up, as papers print it; adding 0.0 turns a rounded -0.0 into 0.0.
    return f"{round(value + 1e-9, digits) + 0.0:.{digits}f}"


def interval(measured: Measurement | None, digits: int = 3) -> str:
    """Format a number with its interval: `0.410 [0.329, 0.453]`; without bounds only the number."""
    return _bounded(measured, lambda value: decimal(value, digits))


def p_value(value: float | None) -> str:
    """Format a p-value with three digits: `0.031`, `< 0.001`."""
    if value is None or isnan(value):
        return MISSING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def counted(number: int, noun: str, several: str = "") -> str:
    """Format a count with its noun: `1 turn`, `2,000 turns`; `several` is an irregular plural."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {several or f'{noun}s'}"


def tokens(number: int) -> str:
    """Format a number of tokens: `1 token`, `9,120 tokens`, `29.4 million tokens`."""
    if number < 1_000_000:
        return counted(number, "token")
    return f"{number / 1_000_000:,.1f} million tokens"


def isolated(name: str) -> str:
    """Return a name that cannot change the direction of the sentence around it."""
    return f"\u2068{name.translate(_DIRECTION_CONTROLS)}\u2069"


def name_event(kind: EventKind) -> str:
    """Return the name of a kind of opinion event in words."""
    return _EVENTS[kind]


def name_task(task: str) -> str:
    """Return a task of a prompt pack in words; a task of a user's own pack has its own name."""
    return _TASKS.get(task, task.replace("_", " "))


def minus_signs(formatted: str) -> str:
    """Return formatted numbers with the typographic minus sign, which a terminal may lack."""
    return formatted if formatted == MISSING else formatted.replace("-", "\u2212")


def name_role(role: str | None) -> str:
    """Return a role in words; `None` stands for all roles together."""
    return "all roles" if role is None else role


_ROUGH = 8
"""Intervals from fewer questions than this are printed with a caution."""


def interval_note(level: float, questions: int) -> str:
    """Return what the intervals of a figure are."""
    asked = counted(questions, "question")
    return f"Intervals: {100 * level:.0f} %, with the {asked} as the unit."


def preface(*, simulated: bool, questions: int) -> list[str]:
    """Return the sentences before numbers that mean less than they seem to; empty for others.

    Args:
        simulated: Whether any reviewer is simulated.
        questions: The number of questions behind the numbers, see `caution`.
    """
    return [*([SIMULATED] if simulated else []), *caution(questions)]


def caution(questions: int) -> list[str]:
    """Return a sentence on intervals from fewer than 8 questions; empty for more, or none."""
    if not 0 < questions < _ROUGH:
        return []
    return [
        (
            f"Caution: only {counted(questions, 'question')}. Below {_ROUGH}, intervals and p-values are "
            "rough: they depend on assumptions that so few questions cannot show to be wrong."
        )
    ]


def orders_note(level: float) -> str:
    """Return what the bounds of a rating over battles are."""
    return f"Mean over random orders of the battles; bounds hold {100 * level:.0f} % of the orders."


def share_tick(value: float) -> str:
    """Format a share at an axis: `25 %`."""
    return f"{100 * value:.4g} %"


def points_tick(value: float) -> str:
    """Format a difference of shares at an axis, in percentage points: `+10`."""
    return "0" if abs(value) < 1e-9 else minus_signs(f"{100 * value:+.4g}")


def rating_tick(value: float) -> str:
    """Format an Elo rating at an axis: `1200`."""
    return f"{value:.0f}"


def plain_tick(value: float) -> str:
    """Format a plain number at an axis: `0.25`, `1,500`."""
    return f"{value:,.4g}" if value < 10_000 else f"{value:,.0f}"


def _bounded(measured: Measurement | None, show: Callable[[float], str]) -> str:
    """Format a measurement with its interval, or alone where it has none."""
    if measured is None or measured.n == 0:
        return MISSING
    value, low, high = map(show, (measured.value, measured.low, measured.high))
    return value if low == high == MISSING else f"{value} [{low}, {high}]"
