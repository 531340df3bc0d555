"""Changes of stance by reviewer, role, opponent and round, and persuasion between reviewers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from peerjudge.analysis.ballots import DIRECTIONS, EVENTS, ROLES, Ballots, Bools, Codes
from peerjudge.analysis.grouping import Ints, list_distinct
from peerjudge.data import Direction, EventKind, Measurement, Noun
from peerjudge.statistics.sampler import Sampler

if TYPE_CHECKING:
    import networkx as nx

CONTRADICTED = (EventKind.HELD, EventKind.ALTERED, EventKind.SHIFTED)
"""The kinds of event of a seat that has heard a stance other than its own."""

Key = tuple[int, int, str, int]
"""Codes of reviewer and role, name of the opponent, and round; -1 or empty for all of them."""


class StanceCounts(Noun, frozen=True, kw_only=True):
    """Opinion events of one group; `None` in `reviewer`, `role`, `opponent` or `round` means all.

    `altered` and `held` are shares of the events in which a seat was contradicted; `towards_gold` is
    the share that went to gold of the moves between gold and another stance. `gold`, `majority` and
    `first` count the moves by direction, seen from the gold answer (`None` where none of the events has
    one), from the majority of the private stances (`None` where no move has one) and from the
    first-shown answer.
    """

    reviewer: str | None
    role: str | None
    opponent: str | None
    round: int | None
    events: Mapping[EventKind, int]
    altered: Measurement
    held: Measurement
    towards_gold: Measurement
    gold: Mapping[Direction, int] | None
    majority: Mapping[Direction, int] | None
    first: Mapping[Direction, int]


class Persuasion(Noun, frozen=True, kw_only=True):
    """Contradictions of `listener` by `speaker`, and those after which the listener altered to its stance."""

    speaker: str
    listener: str
    contradicted: int
    altered: int
    share: Measurement


def is_event(event: Codes, *kinds: EventKind) -> Bools:
    """Return where the code in `Ballots.event` is one of these kinds; any kind without arguments."""
    return np.isin(event, [EVENTS.index(kind) for kind in kinds or EventKind])


def count_moves(ballots: Ballots, *, sampler: Sampler) -> tuple[StanceCounts, ...]:
    """Return rows per reviewer, reviewer and role, reviewer and opponent, and role and round.

    Reviewers come in order of appearance. An event with several opponents (in a panel) is in the
    row of each. Bounds resample questions.
    """
    moves = ballots.where(is_event(ballots.event))
    place = {code: number for number, code in enumerate(list_distinct(moves.reviewer))}
    judges: list[int] = moves.reviewer.tolist()
    roles: list[int] = moves.role.tolist()
    rounds: list[int] = moves.round.tolist()
    panels: list[int] = moves.opponents.tolist()

    def rows(keys: Callable[[int], Iterable[Key]]) -> list[StanceCounts]:
        groups: defaultdict[Key, list[int]] = defaultdict(list)
        for move in range(len(moves)):
            for key in keys(move):
                groups[key].append(move)
        ordered = sorted(groups, key=lambda key: (place.get(key[0], -1), *key[1:]))
        return [_count(key, moves.where(np.array(groups[key])), sampler) for key in ordered]

    return (
        *rows(lambda move: [(judges[move], -1, "", -1)]),
        *rows(lambda move: [(judges[move], roles[move], "", -1)]),
        *rows(
            lambda move: [
                (judges[move], -1, opponent, -1) for opponent in set(moves.panels[panels[move]])
            ]
        ),
        *rows(lambda move: [(-1, roles[move], "", rounds[move])]),
    )


def count_persuasion(ballots: Ballots, *, sampler: Sampler) -> tuple[Persuasion, ...]:
    """Return one row per speaker and listener, the most contradicted first."""
    moves = ballots.where(is_event(ballots.event, *CONTRADICTED))
    altered = is_event(moves.event, EventKind.ALTERED)
    heard: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    listeners: list[int] = moves.reviewer.tolist()
    panels: list[int] = moves.opponents.tolist()
    for move, (listener, panel) in enumerate(zip(listeners, panels, strict=True)):
        for speaker in set(moves.panels[panel]):
            heard[speaker, listener].append(move)
    rows = [
        Persuasion(
            speaker=speaker,
            listener=moves.reviewers[listener],
            contradicted=len(at),
            altered=int(altered[at].sum()),
            share=sampler.mean(altered[at], moves.question[at]),
        )
        for (speaker, listener), at in heard.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.contradicted, row.speaker, row.listener)))


def build_persuasion_graph(rows: Iterable[Persuasion]) -> nx.DiGraph[str]:
    """Return the reviewers as nodes, with an edge from each speaker to each listener it contradicted.

    Edge attributes: `contradicted`, `altered` and `share` (of altered). Node attributes:
    `persuaded`, how often others altered to its stance, and `altered`, how often it altered to
    theirs. A reviewer that discusses with itself has an edge to itself.
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


def has_gold_choice(ballots: Ballots) -> bool:
    """Return whether the gold of any ballot is an answer, so that a stance can move to it or from it."""
    return bool((ballots.gold >= 0).any())


def count_kinds(event: Codes) -> dict[EventKind, int]:
    """Return how often each kind of event occurs."""
    counts: Ints = np.bincount(event[event >= 0], minlength=len(EVENTS))
    return {kind: int(counts[EVENTS.index(kind)]) for kind in EventKind}


def _count(key: Key, moves: Ballots, sampler: Sampler) -> StanceCounts:
    reviewer, role, opponent, number = key
    contradicted = is_event(moves.event, *CONTRADICTED)
    towards, away = DIRECTIONS.index(Direction.TOWARDS), DIRECTIONS.index(Direction.AWAY)
    decided = np.isin(moves.gold_move, (towards, away))
    question = moves.question

    def share(hit: Bools, among: Bools) -> Measurement:
        return sampler.mean(hit[among], question[among])

    return StanceCounts(
        reviewer=None if reviewer < 0 else moves.reviewers[reviewer],
        role=None if role < 0 else ROLES[role],
        opponent=opponent or None,
        round=None if number < 0 else number,
        events=count_kinds(moves.event),
        altered=share(is_event(moves.event, EventKind.ALTERED), contradicted),
        held=share(is_event(moves.event, EventKind.HELD), contradicted),
        towards_gold=share(moves.gold_move == towards, decided),
        gold=_directions(moves.gold_move) if has_gold_choice(moves) else None,
        majority=_directions(moves.majority_move) if (moves.majority_move >= 0).any() else None,
        first=_directions(moves.first_move),
    )


def _directions(moves: Codes) -> dict[Direction, int]:
    counts: Ints = np.bincount(moves[moves >= 0], minlength=len(DIRECTIONS))
    return {direction: int(counts[code]) for code, direction in enumerate(DIRECTIONS)}
