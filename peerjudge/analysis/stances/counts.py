"""Who alters and who holds, against whom, when, and which way."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from peerjudge.analysis.intervals import SHARE, bootstrap_mean
from peerjudge.analysis.stances.records import CONTRADICTED, Discussion, Move
from peerjudge.data import Direction, EventKind, Measurement, Noun, Role

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Persuasion", "StanceCounts", "persuasion", "persuasion_graph", "stance_counts"]

Placed = tuple[str, Move]
"""A move, and the question it belongs to."""

Key = tuple[str | None, Role | None, str | None, int | None]
"""Reviewer, role, opponent and round; `None` where a row is over all of them."""


class StanceCounts(Noun, frozen=True, kw_only=True):
    """The opinion events of one group: `None` in `reviewer`, `role`, `opponent`, `round` is all.

    `altered` and `held` are the shares of the events in which a seat had been contradicted;
    `towards_gold` is the share of the moves between gold and another stance that went to gold.
    `gold`, `majority` and `first` count the moves by direction, seen from the gold answer, from the
    majority of the private stances and from the first-shown answer.
    """

    reviewer: str | None
    role: Role | None
    opponent: str | None
    round: int | None
    events: Mapping[EventKind, int]
    altered: Measurement
    held: Measurement
    towards_gold: Measurement
    gold: Mapping[Direction, int]
    majority: Mapping[Direction, int]
    first: Mapping[Direction, int]


class Persuasion(Noun, frozen=True, kw_only=True):
    """How often `listener` was contradicted by `speaker`, and how often it altered to its stance."""

    speaker: str
    listener: str
    contradicted: int
    altered: int
    share: Measurement


def stance_counts(
    discussions: Sequence[Discussion], *, seed: int = 0, samples: int = 2000
) -> tuple[StanceCounts, ...]:
    """Rows per reviewer, per reviewer and role, per reviewer and opponent, per role and round.

    Reviewers come in order of appearance. An event with several opponents (in a panel) is in the
    row of each. Bounds resample questions.
    """
    moves = [(one.question, move) for one in discussions for move in one.moves]
    order = {name: k for k, name in enumerate(dict.fromkeys(m.event.reviewer for _, m in moves))}

    def rows(keys: Callable[[Move], Iterable[Key]]) -> list[StanceCounts]:
        groups: defaultdict[Key, list[Placed]] = defaultdict(list)
        for question, move in moves:
            for key in keys(move):
                groups[key].append((question, move))
        ordered = sorted(groups, key=lambda key: _place(key, order))
        return [_row(key, groups[key], seed=seed, samples=samples) for key in ordered]

    return (
        *rows(lambda move: [(move.event.reviewer, None, None, None)]),
        *rows(lambda move: [(move.event.reviewer, move.event.role, None, None)]),
        *rows(lambda move: [(move.event.reviewer, None, one, None) for one in set(move.opponents)]),
        *rows(lambda move: [(None, move.event.role, None, move.round)]),
    )


def persuasion(
    discussions: Iterable[Discussion], *, seed: int = 0, samples: int = 2000
) -> tuple[Persuasion, ...]:
    """Who persuades whom: one row per speaker and listener, the most contradicted first."""
    heard: defaultdict[tuple[str, str], list[tuple[str, float]]] = defaultdict(list)
    for one in discussions:
        for move in one.moves:
            if move.event.kind in CONTRADICTED:
                altered = float(move.event.kind is EventKind.ALTERED)
                for speaker in set(move.opponents):
                    heard[speaker, move.event.reviewer].append((one.question, altered))
    rows = [
        Persuasion(
            speaker=speaker,
            listener=listener,
            contradicted=len(given),
            altered=int(sum(altered for _, altered in given)),
            share=_share(given, seed=seed, samples=samples),
        )
        for (speaker, listener), given in heard.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.contradicted, row.speaker, row.listener)))


def persuasion_graph(rows: Iterable[Persuasion]) -> nx.DiGraph[str]:
    """The reviewers as nodes, and an edge from each speaker to each listener it contradicted.

    Edge attributes: `contradicted`, `altered` and `share` (of altered). Node attributes:
    `persuaded`, how often others altered to its stance, and `altered`, how often it did to theirs.
    A reviewer that discusses with itself has an edge to itself.
    """
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    for row in rows:
        graph.add_edge(
            row.speaker,
            row.listener,
            contradicted=row.contradicted,
            altered=row.altered,
            share=row.share.value,
        )
    for name in graph:
        graph.nodes[name]["persuaded"] = sum(
            d["altered"] for *_, d in graph.out_edges(name, data=True)
        )
        graph.nodes[name]["altered"] = sum(
            d["altered"] for *_, d in graph.in_edges(name, data=True)
        )
    return graph


def _row(key: Key, placed: Sequence[Placed], *, seed: int, samples: int) -> StanceCounts:
    reviewer, role, opponent, number = key
    events = [move.event for _, move in placed]
    kinds = Counter(event.kind for event in events)
    contradicted = [(q, move.event.kind) for q, move in placed if move.event.kind in CONTRADICTED]
    decided = [
        (question, float(move.event.gold is Direction.TOWARDS))
        for question, move in placed
        if move.event.gold in (Direction.TOWARDS, Direction.AWAY)
    ]

    def of(kind: EventKind) -> Measurement:
        hits = [(question, float(found is kind)) for question, found in contradicted]
        return _share(hits, seed=seed, samples=samples)

    directions = {
        target: Counter(getattr(event, target) for event in events)
        for target in ("gold", "majority", "first")
    }
    counted = {
        target: {direction: found[direction] for direction in Direction}
        for target, found in directions.items()
    }
    return StanceCounts(
        reviewer=reviewer,
        role=role,
        opponent=opponent,
        round=number,
        events={kind: kinds[kind] for kind in EventKind},
        altered=of(EventKind.ALTERED),
        held=of(EventKind.HELD),
        towards_gold=_share(decided, seed=seed, samples=samples),
        gold=counted["gold"],
        majority=counted["majority"],
        first=counted["first"],
    )


def _share(given: Sequence[tuple[str, float]], *, seed: int, samples: int) -> Measurement:
    questions, values = [question for question, _ in given], [value for _, value in given]
    return bootstrap_mean(values, questions, limits=SHARE, seed=seed, samples=samples)


def _place(key: Key, order: Mapping[str, int]) -> tuple[int, str, str, int]:
    reviewer, role, opponent, number = key
    parts = list(Role)
    first = -1 if reviewer is None else order[reviewer]
    return first, f"{parts.index(role) if role else -1:02}", opponent or "", number or 0
