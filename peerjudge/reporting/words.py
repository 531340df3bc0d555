"""How numbers and names are put into words, the same in the terminal and in the HTML report."""

from __future__ import annotations

from math import isnan

from peerjudge.analysis.accuracy import Accuracy
from peerjudge.analysis.findings import Effort, SeatFindings
from peerjudge.data import EventKind, Measurement

__all__ = [
    "MISSING",
    "SIMULATED",
    "bounds",
    "cost_words",
    "counted",
    "effort_sentence",
    "event_name",
    "interval_note",
    "named",
    "orders_note",
    "p_words",
    "percent",
    "points",
    "role_name",
    "share",
    "token_words",
]

SIMULATED = "Simulated reviewers: these numbers say nothing about real models."
MISSING = "-"

_TURNING = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))
"""The characters that change the direction of writing until they are closed."""

_EVENTS = {
    EventKind.HELD: "held",
    EventKind.ALTERED: "altered",
    EventKind.SHIFTED: "shifted",
    EventKind.AGREED: "agreed",
    EventKind.ALTERED_AFTER_AGREEMENT: "altered after agreement",
}


def share(value: float) -> str:
    """A share in per cent, without the sign: `71`, or `99.6` where rounding would claim a whole."""
    if isnan(value):
        return MISSING
    rounded = f"{100 * value:.0f}"
    hidden = rounded in {"0", "100"} and value not in (0.0, 1.0)
    return f"{100 * value:.1f}" if hidden else rounded


def percent(measured: Measurement | None) -> str:
    """A share with its interval, in per cent: `71 [65, 77]`."""
    if measured is None or measured.n == 0:
        return MISSING
    return f"{share(measured.value)} [{share(measured.low)}, {share(measured.high)}]"


def points(measured: Measurement | None) -> str:
    """A difference of shares with its interval, in points: `+7 [-2, +12]`."""
    if measured is None or measured.n == 0:
        return MISSING
    value, low, high = (_signed(number) for number in (measured.value, measured.low, measured.high))
    return f"{value} [{low}, {high}]"


def bounds(accuracy: Accuracy | None) -> str:
    """What the accuracy is if every unreadable verdict were wrong, or right: `65 to 78`."""
    if accuracy is None:
        return MISSING
    return f"{share(accuracy.worst_case)} to {share(accuracy.best_case)}"


def counted(number: int, noun: str) -> str:
    """`1 turn`, `2,000 turns`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def effort_sentence(effort: Effort) -> str:
    """What was played, in one line."""
    said = [counted(effort.done, "discussion"), f"of {counted(effort.comparisons, 'comparison')}"]
    rest = [
        f"{count:,} {word}"
        for count, word in ((effort.failed, "failed"), (effort.unfinished, "unfinished"))
        if count
    ]
    tokens = effort.prompt_tokens + effort.completion_tokens
    about = "about " if effort.estimated else ""
    cost = f"{counted(effort.turns, 'turn')}, {about}{token_words(tokens)}"
    return "; ".join([" ".join(said) + (f" ({', '.join(rest)})" if rest else ""), cost]) + "."


def named(name: str) -> str:
    """A name within a sentence, that cannot turn the direction of what is written around it."""
    return f"\u2068{name.translate(_TURNING)}\u2069"


def token_words(tokens: int) -> str:
    """`1 token`, `9,120 tokens`, `29.4 million tokens`."""
    if tokens < 1_000_000:
        return counted(tokens, "token")
    return f"{tokens / 1_000_000:,.1f} million tokens"


def interval_note(level: float, questions: int) -> str:
    """What the intervals of a figure are."""
    return f"Intervals: {100 * level:.0f} %, from resampling the {counted(questions, 'question')}."


def orders_note(level: float) -> str:
    """What the bounds of a trajectory are."""
    return f"Mean over random orders of the battles; bounds hold {100 * level:.0f} % of the orders."


def p_words(value: float) -> str:
    """A p-value: `0.031`, `< 0.001`."""
    if isnan(value):
        return MISSING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def cost_words(cost: float | None) -> str:
    """An amount of money: `0.0042 USD`, `12.50 USD`, `nothing`."""
    if cost is None:
        return "unknown"
    if cost == 0.0:
        return "nothing"
    return f"{cost:,.2f} USD" if cost >= 1.0 else f"{cost:.2g} USD"


def event_name(kind: EventKind) -> str:
    """The kind of an opinion event as it is said."""
    return _EVENTS[kind]


def role_name(seat: SeatFindings) -> str:
    """The role, or that all are pooled."""
    return "all roles" if seat.role is None else seat.role.value


def _signed(value: float) -> str:
    rounded = f"{100 * value:+.0f}"
    return "0" if rounded in {"+0", "-0"} else rounded
