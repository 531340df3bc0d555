"""Result of a trial of a card, and the cards that only a trial can test."""

from __future__ import annotations

from dataclasses import dataclass, field

from peerjudge.data import Usage
from peerjudge.shelf import Shelf

__all__ = ["TriedCard", "list_python_cards"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedCard:
    """What a card said on one comparison; a trial succeeds if a verdict is read from it.

    `verdict` is the read verdict as text, with the answers numbered as they were shown; `rule` names the
    reading rule. `problem` says why there is none, and is empty otherwise. `usd` is the cost of the trial,
    `None` where the price is unknown. `inner` counts the messages before the reply. `latency` is in
    seconds.
    """

    card: str
    verdict: str = ""
    rule: str = ""
    text: str = ""
    usage: Usage = field(default_factory=Usage)
    metered: bool = True
    usd: float | None = 0.0
    latency: float = 0.0
    inner: int = 0
    problem: str = ""


def list_python_cards(shelf: Shelf) -> tuple[str, ...]:
    """Return the names of the project's own cards that are Python files."""
    return tuple(
        entry.name
        for entry in shelf.entries("agents")
        if entry.path.suffix == ".py" and not entry.builtin
    )
