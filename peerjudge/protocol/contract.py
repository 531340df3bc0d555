"""The contract of a discussion protocol: a pure function from the turns so far to the next cues.

A protocol file on the `protocols/` shelf holds

* a docstring: what the protocol does, and its source,
* `SEATS` and optionally `ANSWERS`: the numbers it takes, as `(least, most)`, `None` for no limit,
* `next_cues(seats, comparison, turns, options) -> tuple[Cue, ...]`,
* optionally `Options`: a frozen dataclass of keyword-only options with defaults,
* optionally `conclude(seats, comparison, turns, options) -> Verdict` (default: the last verdict),
* optionally `ROLES`: what each seat is, such as `("debater", ..., "judge")`; `...` repeats the one before it,
  so that seats of any number have a role. Seats of one role get the same private cues whatever their place,
* optionally `SWAP_SYMMETRIC = False`, if another order of the answers changes more than the order in
  which they are shown,
* optionally `REVERSES = True`, if the protocol itself asks in the shown and in the reverse order: of
  two orders that are each other's reverse, a run then plays the first.

`next_cues` returns a *set*: all cues that are settled, in the order of their turns. The first one is turn
`len(turns)`. A cue may hear any turn before its own, also of its set; it is spoken as soon as the turns that
it hears are there, so that cues that hear none of each other are spoken at the same time, in a *wave*. The
function is called again when the whole set is spoken, and `()` ends the discussion. A set may
have one cue.

`DiscussionProtocol` is such a file with its options. `peerjudge.testing.check_protocol` checks it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import EllipsisType, MappingProxyType

from peerjudge.data import Comparison, Cue, Role, Scalar, Seat, Turn, Verdict
from peerjudge.errors import ProtocolError
from peerjudge.protocol.conclusions import last_verdict

NextCues = Callable[[tuple[Seat, ...], Comparison, tuple[Turn, ...], object], tuple[Cue, ...]]
LATER: Mapping[str, object] = MappingProxyType({"later": True})
"""Metadata of an option that stored discussions of the protocol lack; its default is what they did."""
Roles = tuple[str | EllipsisType, ...]
"""Roles of seats; `...` repeats the one before it."""
Conclude = Callable[[tuple[Seat, ...], Comparison, tuple[Turn, ...], object], Verdict]


@dataclass(frozen=True, kw_only=True)
class NoOptions:
    """The options of a protocol that has none."""


@dataclass(frozen=True, kw_only=True)
class DiscussionProtocol:
    """A protocol with its options: pure, total, and the same for the same input.

    `seats` and `answers` are `(least, most)`; `most` is `None` for no limit. Without `roles`, one seat is a
    judge, two are leader and follower, and more are panelists.
    """

    name: str
    description: str
    cues: NextCues
    conclusion: Conclude = last_verdict
    options: object = NoOptions()
    seats: tuple[int, int | None] = (1, 1)
    answers: tuple[int, int | None] = (2, 2)
    roles: Roles = ()
    swap_symmetric: bool = True
    reverses: bool = False

    def next_cues(
        self, seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...]
    ) -> tuple[Cue, ...]:
        """Return the cues of the next set after these turns; none when the discussion is over."""
        return self.cues(seats, comparison, turns, self.options)

    def conclude(
        self, seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...]
    ) -> Verdict:
        """Return the verdict of the discussion."""
        return self.conclusion(seats, comparison, turns, self.options)

    def list_roles(self, count: int) -> tuple[str, ...]:
        """Return the role of each of so many seats, in their order.

        Raises:
            ProtocolError: The declared roles are for another number of seats.
        """
        if not self.roles:
            return Role.of_seats(count)
        named = [role for role in self.roles if isinstance(role, str)]
        repeated = self.roles.index(...) if ... in self.roles else None
        missing = count - len(named)
        if missing < 0 or (missing and repeated is None):
            told = ", ".join("..." if role is ... else repr(role) for role in self.roles)
            msg = (
                f"protocol {self.name!r} declares ROLES = ({told}), which do not fit {count} seats"
            )
            raise ProtocolError(msg)
        if repeated is not None:
            named[repeated:repeated] = [named[repeated - 1]] * missing
        return tuple(named)

    def require(self, *, seats: int, answers: int) -> None:
        """Raise `ProtocolError` unless the protocol takes this many seats and answers."""
        for noun, count, (least, most) in (
            ("seats", seats, self.seats),
            ("answers", answers, self.answers),
        ):
            if count < least or (most is not None and count > most):
                wanted = f"{least}" if least == most else f"{least} to {most or 'any number'}"
                msg = f"protocol {self.name!r} takes {wanted} {noun}, not {count}"
                raise ProtocolError(msg)

    def settings(self) -> Mapping[str, Scalar]:
        """Return the options by name, as a discussion's identity and the manifest hold them.

        An option that came `LATER` than stored discussions is left out at its default.
        """
        options = self.options
        found = {field: getattr(options, field.name) for field in fields(options)}  # pyright: ignore[reportArgumentType]
        return {
            field.name: value
            for field, value in found.items()
            if not (field.metadata == LATER and value == field.default)
        }

    @property
    def option_names(self) -> frozenset[str]:
        """The names of all options."""
        return frozenset(field.name for field in fields(self.options))  # pyright: ignore[reportArgumentType]
