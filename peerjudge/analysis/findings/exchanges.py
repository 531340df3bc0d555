"""What contradiction did, turn by turn and opponent by opponent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from peerjudge.analysis.findings.measures import Sample, Sampler
from peerjudge.analysis.findings.nouns import CONTRADICTED, Persuasion, TurnFindings
from peerjudge.analysis.findings.records import DiscussionRecord
from peerjudge.data import Direction, EventKind, OpinionEvent

__all__ = ["persuasions", "turn_findings"]

Records = Sequence[DiscussionRecord]
Asked = tuple[str, OpinionEvent]
"""An event and the question it happened on."""


def turn_findings(records: Records, *, sampler: Sampler) -> tuple[TurnFindings, ...]:
    """The events of every turn, counted from 1 after the private reviews."""
    turns: dict[int, list[Asked]] = defaultdict(list)
    for record in records:
        for event in record.events:
            turns[event.turn - record.private_turns + 1].append((record.question, event))
    return tuple(_turn(number, turns[number], sampler) for number in sorted(turns))


def persuasions(records: Records, *, sampler: Sampler) -> tuple[Persuasion, ...]:
    """For every two reviewers how often the one gave way to the other, in order of appearance."""
    met: dict[tuple[str, str], list[Asked]] = defaultdict(list)
    order: dict[str, None] = {}
    for record in records:
        order.update((seat.reviewer, None) for seat in record.seats)
        for source, event in record.contradictions:
            met[source, event.reviewer].append((record.question, event))
    names = list(order)
    pairs = sorted(met, key=lambda pair: (names.index(pair[1]), names.index(pair[0])))
    return tuple(_persuasion(*pair, met[pair], sampler) for pair in pairs)


def _turn(number: int, asked: Sequence[Asked], sampler: Sampler) -> TurnFindings:
    kinds = Counter(event.kind for _, event in asked)
    return TurnFindings(
        turn=number,
        events={kind: kinds[kind] for kind in EventKind},
        altered=sampler.mean(_gave_way(asked)),
        towards_gold=_moved(asked, Direction.TOWARDS),
        away_from_gold=_moved(asked, Direction.AWAY),
    )


def _persuasion(source: str, target: str, asked: Sequence[Asked], sampler: Sampler) -> Persuasion:
    kinds = Counter(event.kind for _, event in asked)
    return Persuasion(
        source=source,
        target=target,
        contradicted=len(asked),
        altered=kinds[EventKind.ALTERED],
        rate=sampler.mean(_gave_way(asked)),
        towards_gold=_moved(asked, Direction.TOWARDS),
        away_from_gold=_moved(asked, Direction.AWAY),
    )


def _gave_way(asked: Iterable[Asked]) -> Iterable[Sample]:
    return (
        (question, float(event.kind is EventKind.ALTERED))
        for question, event in asked
        if event.kind in CONTRADICTED
    )


def _moved(asked: Iterable[Asked], direction: Direction) -> int:
    return sum(event.gold is direction for _, event in asked)
