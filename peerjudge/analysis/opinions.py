"""Who alters and who holds: opinion events counted by reviewer and role (PRD Figure 6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from peerjudge.analysis.intervals import bootstrap_mean
from peerjudge.data import EventKind, Measurement, OpinionEvent, Role

__all__ = ["OpinionCounts", "opinions"]

_CONTRADICTED = (EventKind.HELD, EventKind.ALTERED, EventKind.SHIFTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpinionCounts:
    """The events of one reviewer in one role.

    `altered` and `held` are the shares of the events in which it had been contradicted; their
    bounds resample comparisons, and their `n` is 0 where it never was.
    """

    reviewer: str
    role: Role
    events: Mapping[EventKind, int]
    altered: Measurement
    held: Measurement


def opinions(
    events: Iterable[OpinionEvent], *, seed: int = 0, samples: int = 2000
) -> tuple[OpinionCounts, ...]:
    """The events counted by reviewer and role, sorted by both; every kind is there, if only as 0."""
    groups: defaultdict[tuple[str, Role], list[OpinionEvent]] = defaultdict(list)
    for event in events:
        groups[event.reviewer, event.role].append(event)

    def share(group: Sequence[OpinionEvent], kind: EventKind) -> Measurement:
        contradicted = [event for event in group if event.kind in _CONTRADICTED]
        return bootstrap_mean(
            [float(event.kind is kind) for event in contradicted],
            [event.comparison for event in contradicted],
            seed=seed,
            samples=samples,
        )

    return tuple(
        OpinionCounts(
            reviewer=reviewer,
            role=role,
            events={kind: sum(event.kind is kind for event in group) for kind in EventKind},
            altered=share(group, EventKind.ALTERED),
            held=share(group, EventKind.HELD),
        )
        for (reviewer, role), group in sorted(groups.items())
    )
