"""Simulated studies: the measures of each condition, comparison by comparison, in many studies."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from peerjudge.data import Card, Leader, Orders, replace
from peerjudge.ranking.tally import divide_known
from peerjudge.runs import Part, Plan
from peerjudge.simulation.arrays import Items, Speaker, World, build_items, build_speaker
from peerjudge.simulation.discussions import NOTHING, Conclusions, Draws, Played, play_script
from peerjudge.simulation.scripts import Script, write_script

Floats = npt.NDArray[np.float64]

_CELLS = 50_000
"""Comparisons times studies that are simulated at a time, so that the arrays fit into the cache."""
_SELECTIONS = 20
"""Fewest selections of comparisons, so that the power of a small study is not that of one selection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Measures of a condition, `[study, comparison]`, averaged over its discussions.

    `after` is the share of correct conclusions (NaN without one), `before` that of correct private
    verdicts; it is `None` for a lone judge, and where no seat judges privately. `seats` is the share of
    correct private verdicts of each reviewer, told apart by its temperature. `contradicted` and `altered`
    count turns by role.
    """

    after: Floats
    before: Floats | None
    seats: Mapping[tuple[str, float | None], Floats]
    contradicted: Mapping[str, Floats]
    altered: Mapping[str, Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Discussion:
    """A discussion of a condition. `order` and `leader` are set if they are drawn at random."""

    script: Script
    conclusions: Conclusions = field(default_factory=Conclusions)
    repetition: int
    order: int | None
    leader: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDesign:
    """A planned study that can be simulated with any number of comparisons."""

    items: Items
    speakers: Mapping[str, Speaker]
    discussions: Mapping[str, tuple[_Discussion, ...]]

    def select(self, *names: str) -> StudyDesign:
        """Return the design with these conditions only."""
        kept = {name: each for name, each in self.discussions.items() if name in names}
        return dataclasses.replace(self, discussions=kept)


_Coins = Sequence[npt.NDArray[np.int64]]
"""By comparison, the random order and the random leader."""
_Batch = tuple[World, Mapping[str, Speaker], _Coins, Draws]
"""Studies simulated together."""


def build_design(plan: Plan, cast: Mapping[str, Card]) -> StudyDesign:
    """Build the design of a plan; the cards are simulated ones.

    Raises:
        ProtocolError: A protocol cannot be simulated as arrays.
        DataError: A comparison does not have two answers.
    """
    return StudyDesign(
        items=build_items(plan.comparisons),
        speakers={name: build_speaker(card, plan.comparisons) for name, card in cast.items()},
        discussions={
            part.condition.name: tuple(_list_discussions(part, plan)) for part in plan.parts
        },
    )


def list_scripts(part: Part, plan: Plan) -> tuple[Script, ...]:
    """List the scripts of the discussions of a condition on one comparison."""
    return tuple(one.script for one in _list_discussions(part, plan))


def simulate_studies(
    design: StudyDesign, *, comparisons: int, studies: int, random: np.random.Generator
) -> Iterator[Mapping[str, Measures]]:
    """Simulate studies with this number of comparisons; yield measures by condition in batches.

    The comparisons of the plan are selected anew for each batch, all about equally often.
    """
    for batch in _draw_batches(design, comparisons=comparisons, studies=studies, random=random):
        yield {name: _measure(each, batch) for name, each in design.discussions.items()}


def simulate_accuracies(
    design: StudyDesign, *, comparisons: int, studies: int, random: np.random.Generator
) -> Mapping[str, float]:
    """Return the mean accuracy of each condition over all studies; 0 without a readable verdict."""
    sums = {name: np.zeros(2) for name in design.discussions}
    for conditions in simulate_studies(
        design, comparisons=comparisons, studies=studies, random=random
    ):
        for name, measured in conditions.items():
            sums[name] += np.nansum(measured.after), np.count_nonzero(~np.isnan(measured.after))
    return {name: float(right / max(count, 1.0)) for name, (right, count) in sums.items()}


def simulate_lengths(
    design: StudyDesign, *, comparisons: int, studies: int, random: np.random.Generator
) -> Mapping[str, tuple[float, ...]]:
    """Return by condition the share of discussions that reach each turn."""
    counts = {
        name: np.zeros(max(len(one.script.steps) for one in each))
        for name, each in design.discussions.items()
    }
    for batch in _draw_batches(design, comparisons=comparisons, studies=studies, random=random):
        for name, discussions in design.discussions.items():
            turns = counts[name]
            for _, played, weight in _play(discussions, batch):
                for turn in range(len(turns)):
                    turns[turn] += float(((played.turns > turn) * weight).sum())
    return {name: tuple((turns / turns[0]).tolist()) for name, turns in counts.items()}


def _draw_batches(
    design: StudyDesign, *, comparisons: int, studies: int, random: np.random.Generator
) -> Iterator[_Batch]:
    at_a_time = max(1, min(_CELLS // comparisons, studies // _SELECTIONS))
    for done in range(0, studies, at_a_time):
        rows = np.resize(random.permutation(len(design.items)), comparisons).astype(np.intp)
        speakers = {
            name: dataclasses.replace(speaker, own=np.asarray(speaker.own)[rows])
            for name, speaker in design.speakers.items()
        }
        count = min(at_a_time, studies - done)
        world = World(design.items.take(rows), studies=count, random=random)
        coins = [random.integers(0, 2, comparisons) for _ in ("order", "leader")]
        yield world, speakers, coins, {}


def _list_discussions(part: Part, plan: Plan) -> Iterator[_Discussion]:
    """Yield the discussions of a condition on one comparison; both where one is drawn at random."""
    declared = part.condition
    random_order = declared.orders is Orders.RANDOM
    random_leader = declared.leader is Leader.RANDOM
    both = replace(
        declared,
        orders=Orders.BOTH if random_order else declared.orders,
        leader=Leader.BOTH if random_leader else declared.leader,
        contestants=(),
    )
    first = plan.comparisons[0]
    heads = list(
        dataclasses.replace(
            plan, parts=(dataclasses.replace(part, condition=both),), comparisons=(first,)
        )
    )
    shown = list(dict.fromkeys(head.comparison.shown for head in heads))
    seatings = list(dict.fromkeys(head.seats for head in heads))
    for head in heads:
        swapped = head.comparison.shown != first.shown
        yield _Discussion(
            script=write_script(part.protocol, head.seats, first, swapped=swapped),
            repetition=head.repetition,
            order=shown.index(head.comparison.shown) if random_order else None,
            leader=seatings.index(head.seats) if random_leader else None,
        )


def _play(
    discussions: Sequence[_Discussion], batch: _Batch
) -> Iterator[tuple[_Discussion, Played, Floats]]:
    """Play each discussion; the weight is 1 for comparisons that have it, else 0."""
    world, speakers, coins, draws = batch
    for discussion in discussions:
        played = play_script(
            discussion.script,
            world,
            {seat.id: speakers[seat.reviewer] for seat in discussion.script.seats},
            draws=draws,
            conclusions=discussion.conclusions,
            repetition=discussion.repetition,
        )
        weight = np.ones(world.shape[1])
        for coin, value in zip(coins, (discussion.order, discussion.leader), strict=True):
            if value is not None:
                weight *= coin == value
        yield discussion, played, weight


def _measure(discussions: Sequence[_Discussion], batch: _Batch) -> Measures:
    world = batch[0]
    correct, read = (np.zeros(world.shape) for _ in range(2))
    by_seat: dict[tuple[str, float | None], tuple[Floats, Floats]] = {}
    contradicted: dict[str, Floats] = {}
    altered: dict[str, Floats] = {}
    for discussion, played, weight in _play(discussions, batch):
        readable = weight * (played.conclusion != NOTHING)
        correct += readable * (played.conclusion == world.gold)
        read += readable
        for number, seat in enumerate(discussion.script.seats):
            stance = played.private[number]
            if stance is not None:
                key = (seat.reviewer, seat.sampling.temperature)
                right, times = by_seat.setdefault(
                    key, (np.zeros(world.shape), np.zeros(world.shape))
                )
                right += weight * (stance == world.gold)
                times += weight
            for counts, drawn in (
                (contradicted, played.contradicted),
                (altered, played.altered),
            ):
                counts[seat.role] = counts.get(seat.role, np.zeros(world.shape)) + (
                    weight * drawn[number]
                )
    lone = all(len(discussion.script.seats) == 1 for discussion in discussions)
    return Measures(
        after=divide_known(correct, read),
        before=None if lone or not by_seat else _pool(by_seat.values()),
        seats={key: divide_known(*counts) for key, counts in by_seat.items()},
        contradicted=contradicted,
        altered=altered,
    )


def _pool(counts: Iterable[tuple[Floats, Floats]]) -> Floats:
    right, times = (np.sum(one, axis=0) for one in zip(*counts, strict=True))
    return divide_known(right, times)
