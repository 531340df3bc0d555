"""Unfolds an experiment into the discussions to be played: condition by order by leader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from peerjudge.data import (
    Card,
    Comparison,
    Condition,
    Experiment,
    Leader,
    Orders,
    PromptPack,
    Role,
    Seat,
    Seating,
    Transcript,
    content_hash,
    replace,
)
from peerjudge.engine import identify
from peerjudge.errors import ExperimentError
from peerjudge.prompts import pack_identity
from peerjudge.protocol import DiscussionProtocol
from peerjudge.runs.rehearsal import rehearse
from peerjudge.shelf import Shelf
from peerjudge.shelf.cards import card_identity

__all__ = ["Cast", "Part", "Plan", "cast_parts", "shown_orders"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A condition with everything it names found on the shelves: protocol, prompts and cards.

    `code` is the digest of the protocol's code where that is the user's own.
    """

    condition: Condition
    protocol: DiscussionProtocol
    pack: PromptPack
    seats: tuple[Seat, ...]
    code: str = ""


Cast = Mapping[str, Card]
"""The cards of an experiment by reviewer name, with the experiment's settings applied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An experiment ready to be played on given comparisons.

    Iterating yields one empty transcript per discussion, comparison by comparison, so that a run
    that stops early has played whole comparisons under every condition.
    """

    experiment: Experiment
    parts: tuple[Part, ...]
    cast: Cast
    comparisons: Sequence[Comparison]

    def __iter__(self) -> Iterator[Transcript]:
        for comparison in self.comparisons:
            for part in self.parts:
                yield from _discussions(part, comparison, self.experiment)

    def __len__(self) -> int:
        seed = self.experiment.seed
        each = sum(
            len(_shown(part, comparison, seed=seed)) * len(_seatings(part, comparison, seed=seed))
            for comparison in self.comparisons
            for part in self.parts
        )
        return each * self.experiment.repetitions


def cast_parts(experiment: Experiment, shelf: Shelf, cast: Cast) -> tuple[Part, ...]:
    """Every condition of the experiment with its protocol, prompts and seats.

    Raises `ExperimentError` for conditions that share a name, `ShelfError` for names on no shelf,
    `ProtocolError` for a number of seats or an option that the protocol does not take,
    `PromptError` for a pack without the words that the protocol needs.
    """
    names = [condition.name for condition in experiment.conditions]
    if not names:
        msg = f"experiment {experiment.name!r} declares no conditions"
        raise ExperimentError(msg)
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        msg = f"experiment {experiment.name!r} has two conditions called {repeated[0]!r}"
        raise ExperimentError(msg)
    return tuple(_part(condition, experiment, shelf, cast) for condition in experiment.conditions)


def shown_orders(comparison: Comparison, orders: Orders, *, seed: int) -> tuple[Comparison, ...]:
    """The comparison in every order in which it is to be shown; one order for a single answer."""
    if len(comparison.answers) == 1:
        return (comparison,)
    if orders is Orders.RANDOM:
        swap = _coin(seed, "order", comparison.id)
        orders = Orders.SWAPPED if swap else Orders.GIVEN
    if orders is Orders.GIVEN:
        return (comparison,)
    if orders is Orders.SWAPPED:
        return (comparison.swapped(),)
    if len(comparison.answers) == 2:
        return (comparison, comparison.swapped())
    shown = comparison.shown
    if orders is Orders.ALL:
        return tuple(map(comparison.reordered, permutations(shown)))
    return tuple(comparison.reordered(shown[i:] + shown[:i]) for i in range(len(shown)))


def _shown(part: Part, comparison: Comparison, *, seed: int) -> tuple[Comparison, ...]:
    """The orders of a condition, without the reverse of one that a protocol reverses itself."""
    orders = shown_orders(comparison, part.condition.orders, seed=seed)
    if not part.protocol.reverses:
        return orders
    kept: list[Comparison] = []
    for order in orders:
        if order.swapped() not in kept:
            kept.append(order)
    return tuple(kept)


def _part(condition: Condition, experiment: Experiment, shelf: Shelf, cast: Cast) -> Part:
    protocol = shelf.protocol(condition.protocol, options=condition.options)
    pack = shelf.prompts(condition.prompts or experiment.prompts)
    least, most = protocol.answers
    protocol.require(seats=len(condition.seats), answers=most or least)
    rehearse(protocol, pack, seats=len(condition.seats))
    return Part(
        condition=condition,
        protocol=protocol,
        pack=pack,
        seats=_seats(condition.seats, cast, shelf),
        code=shelf.code("protocols", protocol.name),
    )


def _seats(named: Sequence[str | Seating], cast: Cast, shelf: Shelf) -> tuple[Seat, ...]:
    return tuple(
        _seat(f"reviewer_{number}", seating, cast, shelf) for number, seating in enumerate(named, 1)
    )


def _seat(seat_id: str, named: str | Seating, cast: Cast, shelf: Shelf) -> Seat:
    seating = Seating(reviewer=named) if isinstance(named, str) else named
    card = cast[seating.reviewer]
    sampling = card.sampling
    if seating.temperature is not None:
        sampling = replace(sampling, temperature=seating.temperature)
    identity, code = card_identity(card), shelf.code("agents", card.name)
    return Seat(
        id=seat_id,
        reviewer=card.name,
        sampling=sampling,
        identity=content_hash(identity, code) if code else identity,
    )


def _discussions(
    part: Part, comparison: Comparison, experiment: Experiment
) -> Iterator[Transcript]:
    part.protocol.require(seats=len(part.seats), answers=len(comparison.answers))
    prompts = pack_identity(part.pack)
    settings = part.protocol.settings()
    for shown in _shown(part, comparison, seed=experiment.seed):
        for seats in _seatings(part, comparison, seed=experiment.seed):
            for repetition in range(experiment.repetitions):
                head = Transcript(
                    id="-",
                    comparison=shown,
                    protocol=part.protocol.name,
                    seats=seats,
                    condition=part.condition.name,
                    options=settings,
                    prompts=part.pack.name,
                    repetition=repetition,
                )
                yield replace(
                    head, id=identify(head, prompts=prompts, seed=experiment.seed, code=part.code)
                )


def _seatings(part: Part, comparison: Comparison, *, seed: int) -> tuple[tuple[Seat, ...], ...]:
    seats = part.seats
    leader = part.condition.leader
    if len(seats) == 1:
        return (seats,)
    if leader is Leader.RANDOM:
        second = _coin(seed, "leader", comparison.id)
        leader = Leader.SECOND if second else Leader.FIRST
    led_by_second = (seats[1], seats[0], *seats[2:])
    chosen = {
        Leader.FIRST: (seats,),
        Leader.SECOND: (led_by_second,),
        Leader.BOTH: (seats, led_by_second),
    }[leader]
    return tuple(_with_roles(order) for order in chosen)


def _with_roles(seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
    # Two reviewers lead and follow; in a larger panel nobody leads.
    leading = (Role.LEADER, Role.FOLLOWER)
    roles = leading if len(seats) == len(leading) else (Role.PANELIST,) * len(seats)
    return tuple(
        replace(seat, id=f"reviewer_{number}", role=role)
        for number, (seat, role) in enumerate(zip(seats, roles, strict=True), 1)
    )


def _coin(seed: int, purpose: str, comparison_id: str) -> bool:
    return int(content_hash(seed, purpose, comparison_id), 16) % 2 == 1
