"""Schedule of a run: its discussions by comparison, condition, shown order and leader, and their order."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, takewhile
from typing import TYPE_CHECKING, Protocol

from peerjudge.data import (
    Card,
    Comparison,
    Condition,
    Experiment,
    Leader,
    Orders,
    PromptPack,
    Seat,
    Transcript,
    content_hash,
    replace,
)
from peerjudge.engine import identify
from peerjudge.errors import ProtocolError
from peerjudge.prompts import pack_identity
from peerjudge.protocol import DiscussionProtocol
from peerjudge.store import Archive

if TYPE_CHECKING:
    from peerjudge.analysis.stopping import Decision

Cast = Mapping[str, Card]
"""The cards of an experiment by reviewer name, with the experiment's settings applied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A condition with its protocol, prompt pack and seats loaded.

    `code` is the digest of the protocol's source where the user wrote it, else empty. `reread` is the
    second model that reads replies without a readable verdict, if there is one. `reask` is how often a
    model whose reply names no choice is asked for it.
    """

    condition: Condition
    protocol: DiscussionProtocol
    pack: PromptPack
    seats: tuple[Seat, ...]
    code: str = ""
    reread: Seat | None = None
    reask: int = 0

    @property
    def speakers(self) -> tuple[Seat, ...]:
        """The seats, and the second model that rereads their replies."""
        return self.seats if self.reread is None else (*self.seats, self.reread)

    def judges(self, comparison: Comparison) -> bool:
        """Return whether the condition judges this comparison: all authors are of its `contestants`."""
        wanted = self.condition.contestants
        return not wanted or {answer.author for answer in comparison.answers} <= set(wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An experiment with the comparisons that it is run on.

    Iteration yields one empty transcript per discussion, comparison by comparison: a run that stops
    early has complete comparisons under every condition.
    """

    experiment: Experiment
    parts: tuple[Part, ...]
    cast: Cast
    comparisons: Sequence[Comparison]

    def __iter__(self) -> Iterator[Transcript]:
        for comparison in self.comparisons:
            for part in self.parts:
                if part.judges(comparison):
                    yield from _discussions(part, comparison, self.experiment)

    def __len__(self) -> int:
        seed = self.experiment.seed
        each = sum(
            len(_orders(part, comparison, seed=seed)) * len(_seatings(part, comparison, seed=seed))
            for comparison in self.comparisons
            for part in self.parts
            if part.judges(comparison)
        )
        return each * self.experiment.repetitions


def list_orders(comparison: Comparison, orders: Orders, *, seed: int) -> tuple[Comparison, ...]:
    """Return the comparison in each order in which it is shown; a single answer has one order."""
    if len(comparison.answers) == 1:
        return (comparison,)
    if orders is Orders.RANDOM:
        swap = _flip_coin(seed, "order", comparison.id)
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


class OrderOfPlay(Protocol):
    """Source of the blocks of comparisons of a run, with the last look of a rule that ends it."""

    decision: Decision | None

    async def next_block(self) -> Sequence[Comparison]:
        """Return the next block, once all discussions of the last one have ended; empty at the end."""
        ...


class PlainOrder:
    """All comparisons in one block."""

    def __init__(self, comparisons: Sequence[Comparison]) -> None:
        self._comparisons = comparisons
        self.decision: Decision | None = None

    async def next_block(self) -> Sequence[Comparison]:
        """Return all comparisons the first time, then none."""
        block, self._comparisons = self._comparisons, ()
        return block


async def read_discussions(
    archive: Archive, plan: Plan, comparisons: Sequence[Comparison]
) -> list[Transcript]:
    """Return the stored discussions of a plan on these comparisons, in its order and conditions."""
    heads = list(dataclasses.replace(plan, comparisons=comparisons))
    stored = archive.transcripts_of(head.id for head in heads)
    known = {transcript.id: transcript async for transcript in stored}
    return [replace(known[head.id], condition=head.condition) for head in heads if head.id in known]


def shuffle_questions(comparisons: Sequence[Comparison], *, seed: int) -> tuple[Comparison, ...]:
    """Return the comparisons in a random order of their questions, in the given order within each.

    The place of a question depends on the seed and its id alone, so that more data keep this order.
    """
    place = {
        question: content_hash(seed, "order of questions", question)
        for question in {comparison.question.id for comparison in comparisons}
    }
    return tuple(sorted(comparisons, key=lambda comparison: place[comparison.question.id]))


def keep_questions(comparisons: Sequence[Comparison], limit: int | None) -> tuple[Comparison, ...]:
    """Return the first whole questions with at most `limit` comparisons; all without a limit."""
    if limit is None or limit >= len(comparisons):
        return tuple(comparisons)
    cut = comparisons[limit].question.id
    return tuple(takewhile(lambda comparison: comparison.question.id != cut, comparisons))


def _discussions(
    part: Part, comparison: Comparison, experiment: Experiment
) -> Iterator[Transcript]:
    try:
        part.protocol.require(seats=len(part.seats), answers=len(comparison.answers))
    except ProtocolError as error:
        msg = f"comparison {comparison.id!r}: {error} (in a table: the columns answer_a, answer_b, ...)"
        raise ProtocolError(msg) from error
    prompts = pack_identity(part.pack)
    settings = part.protocol.settings()
    for shown in _orders(part, comparison, seed=experiment.seed):
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
                    reask=part.reask,
                    reread=part.reread,
                )
                yield replace(
                    head, id=identify(head, prompts=prompts, seed=experiment.seed, code=part.code)
                )


def _orders(part: Part, comparison: Comparison, *, seed: int) -> tuple[Comparison, ...]:
    """Return the orders of a condition; a protocol that reverses them itself gets one of each pair."""
    orders = list_orders(comparison, part.condition.orders, seed=seed)
    if not part.protocol.reverses:
        return orders
    kept: list[Comparison] = []
    for order in orders:
        if order.swapped() not in kept:
            kept.append(order)
    return tuple(kept)


def _seatings(part: Part, comparison: Comparison, *, seed: int) -> tuple[tuple[Seat, ...], ...]:
    seats = part.seats
    leader = part.condition.leader
    if len(seats) == 1:
        return (seats,)
    if leader is Leader.RANDOM:
        second = _flip_coin(seed, "leader", comparison.id)
        leader = Leader.SECOND if second else Leader.FIRST
    led_by_second = (seats[1], seats[0], *seats[2:])
    chosen = {
        Leader.FIRST: (seats,),
        Leader.SECOND: (led_by_second,),
        Leader.BOTH: (seats, led_by_second),
    }[leader]
    roles = part.protocol.list_roles(len(seats))
    return tuple(_assign_roles(order, roles) for order in chosen)


def _assign_roles(seats: tuple[Seat, ...], roles: Sequence[str]) -> tuple[Seat, ...]:
    return tuple(
        replace(seat, id=f"reviewer_{number}", role=role)
        for number, (seat, role) in enumerate(zip(seats, roles, strict=True), 1)
    )


def _flip_coin(seed: int, purpose: str, comparison_id: str) -> bool:
    return int(content_hash(seed, purpose, comparison_id), 16) % 2 == 1
