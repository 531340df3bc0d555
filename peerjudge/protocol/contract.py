"""What a discussion protocol is: a pure function from what has been said to the next cue.

A protocol file on the `protocols/` shelf holds

* a docstring: what it does and where it comes from,
* `SEATS` and optionally `ANSWERS`: how many it takes, as `(least, most)`, `None` for no limit,
* `next_cue(seats, comparison, turns, options) -> Cue | None`,
* optionally `Options`: a frozen dataclass of keyword-only options with defaults,
* optionally `conclude(seats, comparison, turns, options) -> Verdict` (default: the last verdict),
* optionally `SWAP_SYMMETRIC = False` when showing the answers in another order changes more than
  the order in which they are shown,
* optionally `REVERSES = True` when it asks in the shown order and in the reverse one itself: of two
  orders that are each other's reverse, a run then plays the first.

`DiscussionProtocol` is such a file with its options chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields

from peerjudge.data import (
    UNREADABLE,
    Comparison,
    Cue,
    Scalar,
    Seat,
    Turn,
    Verdict,
)
from peerjudge.errors import ProtocolError

__all__ = ["Conclude", "DiscussionProtocol", "NextCue", "NoOptions", "last_verdict"]

NextCue = Callable[[tuple[Seat, ...], Comparison, tuple[Turn, ...], object], Cue | None]
Conclude = Callable[[tuple[Seat, ...], Comparison, tuple[Turn, ...], object], Verdict]


@dataclass(frozen=True, kw_only=True)
class NoOptions:
    """The options of a protocol that has none."""


def last_verdict(
    seats: tuple[Seat, ...], comparison: Comparison, turns: Sequence[Turn], options: object = None
) -> Verdict:
    """The last readable verdict given; else the last verdict given; `UNREADABLE` if none was."""
    verdicts = [turn.review.verdict for turn in turns if turn.review.verdict is not None]
    readable = [verdict for verdict in verdicts if verdict.readable]
    return (readable or verdicts or [UNREADABLE])[-1]


@dataclass(frozen=True, kw_only=True)
class DiscussionProtocol:
    """A protocol with its options chosen: pure, total, and the same for the same input.

    `seats` and `answers` are `(least, most)`; `most` is `None` for no limit.
    """

    name: str
    description: str
    cue: NextCue
    conclusion: Conclude = last_verdict
    options: object = NoOptions()
    seats: tuple[int, int | None] = (1, 1)
    answers: tuple[int, int | None] = (2, 2)
    swap_symmetric: bool = True
    reverses: bool = False

    def next_cue(
        self, seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...]
    ) -> Cue | None:
        """Who speaks next, and to what; `None` when the discussion is over."""
        return self.cue(seats, comparison, turns, self.options)

    def conclude(
        self, seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...]
    ) -> Verdict:
        """What the discussion came to."""
        return self.conclusion(seats, comparison, turns, self.options)

    def require(self, *, seats: int, answers: int) -> None:
        """Raise `ProtocolError` unless this many seats and answers fit."""
        for noun, count, (least, most) in (
            ("seats", seats, self.seats),
            ("answers", answers, self.answers),
        ):
            if count < least or (most is not None and count > most):
                wanted = f"{least}" if least == most else f"{least} to {most or 'any number'}"
                msg = f"protocol {self.name!r} takes {wanted} {noun}, not {count}"
                raise ProtocolError(msg)

    def settings(self) -> Mapping[str, Scalar]:
        """The options by name, as they enter a discussion's identity and the manifest."""
        options = self.options
        return {field.name: getattr(options, field.name) for field in fields(options)}  # pyright: ignore[reportArgumentType]
