"""The tournament as a graph, for those who think in graphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.data import Tournament

if TYPE_CHECKING:
    import networkx as nx

    Graph: TypeAlias = nx.DiGraph[str]

__all__ = ["graph"]

Floats: TypeAlias = npt.NDArray[np.float64]


def graph(tournament: Tournament, *, weights: Mapping[str, float] | None = None) -> Graph:
    """The tournament as a directed graph: an edge runs from the loser to the winner.

    Edge attributes: `wins` (battles won), `points` (battles won, and half of those tied, each
    counting as much as its reviewer weighs) and `battles` (readable battles of the two). An edge is
    there when it carries points, so a tie makes an edge each way. Every contestant is a node.

    Args:
        tournament: unreadable battles are left out.
        weights: of every reviewer; `None` counts each battle once.
    """
    import networkx as nx

    size = len(tournament.contestants)
    worth = np.array([1.0 if weights is None else weights[name] for name in tournament.reviewers])
    seen = tournament.readable
    cell = tournament.first[seen].astype(np.intp) * size + tournament.second[seen]
    value = tournament.score[seen].astype(np.float64)

    def table(first: Floats, second: Floats) -> Floats:
        flat = [np.bincount(cell, side, size * size).astype(np.float64) for side in (first, second)]
        return flat[0].reshape(size, size) + flat[1].reshape(size, size).T

    ones, won, lost = np.ones(len(cell)), (value < 0).astype(float), (value > 0).astype(float)
    share = worth[tournament.reviewer[seen]]
    battles, wins = table(ones, ones), table(won, lost)
    points = table((1.0 - value) / 2.0 * share, (1.0 + value) / 2.0 * share)
    result: Graph = nx.DiGraph()
    result.add_nodes_from(tournament.contestants)
    for winner, loser in np.argwhere(points > 0).tolist():
        result.add_edge(
            tournament.contestants[loser],
            tournament.contestants[winner],
            wins=int(wins[winner, loser]),
            points=float(points[winner, loser]),
            battles=int(battles[winner, loser]),
        )
    return result
