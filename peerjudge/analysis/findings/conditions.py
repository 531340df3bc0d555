"""One condition's numbers from the records of its discussions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from peerjudge.analysis.accuracy import Accuracy
from peerjudge.analysis.findings.measures import Sample, Sampler
from peerjudge.analysis.findings.nouns import (
    CONTRADICTED,
    Agreement,
    ConditionFindings,
    Consistency,
    Effort,
    GroupFindings,
    SeatFindings,
)
from peerjudge.analysis.findings.records import DiscussionRecord, SeatRecord
from peerjudge.data import (
    INCONSISTENT,
    EventKind,
    Measurement,
    Outcome,
    Role,
    StopReason,
    Verdict,
    reconcile,
)
from peerjudge.tracker import NoEventReason

__all__ = ["condition_findings", "effort_of", "seat_findings"]

Records = Sequence[DiscussionRecord]
Held = tuple[DiscussionRecord, SeatRecord]

_ROLES = (None, *Role)


def condition_findings(records: Records, *, sampler: Sampler) -> ConditionFindings:
    """The numbers of one condition. Only discussions that are done enter shares and counts of verdicts."""
    done = [record for record in records if record.done]
    outcomes = Counter(record.verdict.outcome for record in done)
    first = records[0]
    return ConditionFindings(
        name=first.condition,
        protocol=first.protocol,
        seats=len(first.seats),
        reviewers=tuple(dict.fromkeys(s.reviewer for r in records for s in r.seats)),
        effort=effort_of(records),
        outcomes={outcome: outcomes[outcome] for outcome in Outcome},
        before=_before(done, sampler),
        after=_after(done, sampler),
        gain=_gain(done, sampler),
        subsets=_groups(done, sampler, by=lambda record: record.subset),
        categories=_groups(done, sampler, by=lambda record: record.category),
        first_before=_first_before(done, sampler),
        first_after=sampler.mean(_first_shown(record, record.verdict) for record in done),
        consistency_before=_consistency(_both_orders_before(done), sampler),
        consistency_after=_consistency(_both_orders_after(done), sampler),
        agreement=Agreement(
            before=sampler.mean(_agreed(r, [s.private for s in r.seats]) for r in done),
            after=sampler.mean(_agreed(r, [s.final for s in r.seats]) for r in done),
        ),
        by_seat=seat_findings(done, sampler=sampler),
    )


def effort_of(records: Iterable[DiscussionRecord]) -> Effort:
    """What was played, summed."""
    records = list(records)
    stops = Counter(record.stop for record in records)
    return Effort(
        done=stops[StopReason.COMPLETE],
        failed=stops[StopReason.FAILED],
        unfinished=stops[None],
        comparisons=len({record.comparison for record in records}),
        turns=sum(record.turns for record in records),
        calls=sum(record.calls for record in records),
        cached=sum(record.cached for record in records),
        prompt_tokens=sum(record.prompt_tokens for record in records),
        completion_tokens=sum(record.completion_tokens for record in records),
        estimated=any(record.estimated for record in records),
    )


def seat_findings(
    records: Records, *, sampler: Sampler, by_role: bool = True
) -> tuple[SeatFindings, ...]:
    """One row per reviewer (and role), reviewers in order of appearance."""
    held: dict[tuple[str, Role | None], list[Held]] = defaultdict(list)
    for record in records:
        for seat in record.seats:
            held[seat.reviewer, seat.role if by_role else None].append((record, seat))
    order = list(dict.fromkeys(reviewer for reviewer, _ in held))
    keys = sorted(held, key=lambda key: (order.index(key[0]), _ROLES.index(key[1])))
    return tuple(_seat_row(*key, held[key], sampler) for key in keys)


def _seat_row(
    reviewer: str, role: Role | None, held: Sequence[Held], sampler: Sampler
) -> SeatFindings:
    events = Counter(kind for _, seat in held for kind in seat.events)
    no_events = Counter(reason for _, seat in held for reason in seat.no_events)
    among_others = [(r, s.private) for r, s in held if len(r.seats) > 1]
    return SeatFindings(
        reviewer=reviewer,
        role=role,
        discussions=len(held),
        before=_accuracy(among_others, sampler),
        after=_accuracy(((r, s.final) for r, s in held), sampler),
        first_before=sampler.mean(_first_shown(*judged) for judged in among_others),
        first_after=sampler.mean(_first_shown(r, s.final) for r, s in held),
        events={kind: events[kind] for kind in EventKind},
        no_events={reason: no_events[reason] for reason in NoEventReason},
        altered=sampler.mean(
            (record.question, float(kind is EventKind.ALTERED))
            for record, seat in held
            for kind in seat.events
            if kind in CONTRADICTED
        ),
        towards_gold=sum(seat.towards_gold for _, seat in held),
        away_from_gold=sum(seat.away_from_gold for _, seat in held),
    )


def _accuracy(
    judged: Iterable[tuple[DiscussionRecord, Verdict | None]], sampler: Sampler
) -> Accuracy | None:
    """Accuracy of these verdicts; `None` where there is no gold or no verdict was asked for."""
    return sampler.accuracy(
        (record.question, verdict, record.gold)
        for record, verdict in judged
        if verdict is not None and record.gold is not None
    )


def _before(records: Records, sampler: Sampler) -> Accuracy | None:
    discussed = [record for record in records if len(record.seats) > 1]
    return _accuracy(((r, seat.private) for r in discussed for seat in r.seats), sampler)


def _after(records: Records, sampler: Sampler) -> Accuracy | None:
    return _accuracy(((record, record.verdict) for record in records), sampler)


def _gain(records: Records, sampler: Sampler) -> Measurement | None:
    gains: list[Sample] = []
    for record in records:
        before = [
            record.correct(seat.private)
            for seat in record.seats
            if seat.private is not None and seat.private.readable
        ]
        if len(record.seats) > 1 and before and record.gold and record.verdict.readable:
            gain = record.correct(record.verdict) - sum(before) / len(before)
            gains.append((record.question, gain))
    return sampler.mean(gains, limits=(-1.0, 1.0))


def _groups(
    records: Records, sampler: Sampler, *, by: Callable[[DiscussionRecord], str]
) -> tuple[GroupFindings, ...]:
    grouped: dict[str, list[DiscussionRecord]] = defaultdict(list)
    for record in records:
        if by(record):
            grouped[by(record)].append(record)
    return tuple(
        GroupFindings(
            name=name,
            comparisons=len({record.comparison for record in group}),
            before=_before(group, sampler),
            after=_after(group, sampler),
        )
        for name, group in sorted(grouped.items())
    )


def _first_before(records: Records, sampler: Sampler) -> Measurement | None:
    return sampler.mean(
        _first_shown(record, seat.private)
        for record in records
        if len(record.seats) > 1
        for seat in record.seats
    )


def _first_shown(record: DiscussionRecord, verdict: Verdict | None) -> Sample | None:
    """Whether the first-shown answer was chosen; no sample where it was asked in several orders."""
    if not record.one_order or verdict is None or verdict.choice is None or len(record.shown) == 1:
        return None
    return record.question, float(verdict.choice == record.shown[0])


def _agreed(record: DiscussionRecord, stances: Iterable[Verdict | None]) -> Sample | None:
    readable = [stance for stance in stances if stance is not None and stance.readable]
    return (record.question, float(len(set(readable)) == 1)) if len(readable) > 1 else None


Orders = Mapping[Hashable, Mapping[tuple[str, ...], tuple[str, Verdict]]]
"""Judgements that differ in the shown order only: by what they share, then by order."""


def _both_orders_after(records: Records) -> Orders:
    orders: dict[Hashable, dict[tuple[str, ...], tuple[str, Verdict]]] = defaultdict(dict)
    for record in records:
        key = (record.comparison, record.repetition, record.seating)
        orders[key][record.shown] = (record.question, record.verdict)
    return orders


def _both_orders_before(records: Records) -> Orders:
    orders: dict[Hashable, dict[tuple[str, ...], tuple[str, Verdict]]] = defaultdict(dict)
    for record in records:
        for place, seat in enumerate(record.seats):
            if len(record.seats) > 1 and seat.private is not None:
                key = (record.comparison, record.repetition, record.seating, place)
                orders[key][record.shown] = (record.question, seat.private)
    return orders


def _consistency(orders: Orders, sampler: Sampler) -> Consistency:
    outcomes: Counter[str] = Counter()
    rates: list[Sample] = []
    for judged in orders.values():
        if len(judged) < 2:
            continue
        questions, verdicts = zip(*judged.values(), strict=True)
        outcome = _reconciled(verdicts)
        if outcome == INCONSISTENT or outcome.readable:
            rates.append((questions[0], float(outcome.readable)))
        outcomes["readable" if outcome.readable else outcome.outcome] += 1
    return Consistency(
        judged=outcomes.total(),
        same=outcomes["readable"],
        inconsistent=outcomes[Outcome.INCONSISTENT],
        unreadable=outcomes[Outcome.UNREADABLE] + outcomes[Outcome.REFUSED],
        rate=sampler.mean(rates),
    )


def _reconciled(verdicts: Sequence[Verdict]) -> Verdict:
    """`reconcile` over any number of orders: an unreadable one outranks a contradiction."""
    first, *others = verdicts
    pairs = [reconcile(first, other) for other in others]
    unreadable = [pair for pair in pairs if not pair.readable and pair != INCONSISTENT]
    contradicted = [pair for pair in pairs if pair == INCONSISTENT]
    return (unreadable or contradicted or pairs)[0]
