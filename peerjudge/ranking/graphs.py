"""Graphs of a tournament: wins by reviewer, and the groups of contestants that battles connect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.data import Tournament, replace
from peerjudge.errors import DataError
from peerjudge.ranking.tally import Floats, Meetings, add_sides

if TYPE_CHECKING:
    import networkx as nx

    Graph: TypeAlias = nx.DiGraph[str]
    ReviewGraph: TypeAlias = nx.MultiDiGraph[str]

Members = npt.NDArray[np.intp]


def graph(tournament: Tournament, *, weights: Mapping[str, float] | None = None) -> Graph:
    """Build the directed graph of the readable battles; an edge points from the loser to the winner.

    Edge attributes: `wins` (battles won), `points` (battles won plus half of the ties, each times
    its reviewer's weight) and `battles` (readable battles of the two). An edge exists if it has
    points, so a tie makes an edge in both directions. Every contestant is a node. Without `weights`
    each battle counts once.
    """
    import networkx as nx

    size = len(tournament.contestants)
    worth = np.array([1.0 if weights is None else weights[name] for name in tournament.reviewers])
    seen = tournament.readable
    first, second = tournament.first[seen].astype(np.intp), tournament.second[seen].astype(np.intp)
    value = tournament.score[seen].astype(np.float64)

    def table(one: Floats, other: Floats) -> Floats:
        flat = add_sides(first * size + second, second * size + first, one, other, size * size)
        return flat.reshape(size, size)

    ones, won, lost = np.ones(len(first)), (value < 0).astype(float), (value > 0).astype(float)
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


def review_graph(tournament: Tournament) -> ReviewGraph:
    """Build the graph of the readable battles with one edge for every reviewer, its key.

    As in `graph` an edge points from the loser to the winner and has `wins`, `points` and `battles`,
    here of this reviewer and without weights. `graph.graph["reviewers"]` names all reviewers,
    also those without a readable battle, and `graph.graph["contestant_of"]` is that of the tournament.
    `peer_rank` weighs the reviewers of such a graph.
    """
    import networkx as nx

    result: ReviewGraph = nx.MultiDiGraph(
        reviewers=list(tournament.reviewers), contestant_of=dict(tournament.contestant_of)
    )
    result.add_nodes_from(tournament.contestants)
    for judge, reviewer in enumerate(tournament.reviewers):
        own = replace(tournament, readable=tournament.readable & (tournament.reviewer == judge))
        for loser, winner, edge in graph(own).edges(data=True):
            result.add_edge(loser, winner, key=reviewer, **edge)
    return result


def read_meetings(
    played: ReviewGraph,
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], Meetings]:
    """Return reviewers, the contestant that each is, contestants, and the meetings of a graph.

    Raises:
        DataError: an edge has no points or battles.
    """
    names = tuple(sorted(played.nodes))
    edges = [(key, *ends, edge) for *ends, key, edge in played.edges(keys=True, data=True)]
    reviewers = tuple(sorted({*played.graph.get("reviewers", ()), *(edge[0] for edge in edges)}))
    place = {name: index for index, name in enumerate(names)}
    judge = {name: index for index, name in enumerate(reviewers)}
    points = np.zeros((len(reviewers), len(names), len(names)))
    battles = np.zeros(points.shape, dtype=np.int64)
    for reviewer, loser, winner, edge in edges:
        if not {"points", "battles"} <= edge.keys():
            msg = (
                f"the edge from {loser!r} to {winner!r} by {reviewer!r} needs points and battles, "
                f"and has {', '.join(edge) or 'neither'}; build the graph with review_graph"
            )
            raise DataError(msg)
        row, one, other = judge[reviewer], place[winner], place[loser]
        points[row, one, other] = edge["points"]
        battles[row, one, other] = battles[row, other, one] = edge["battles"]
    own = tuple(played.graph.get("contestant_of", {}).get(name, name) for name in reviewers)
    return reviewers, own, names, Meetings(points=points, battles=battles)


def find_groups(met: npt.NDArray[np.bool_]) -> list[Members]:
    """Return the groups of contestants that met, directly or through others, the largest first.

    These are the components of the graph of a tournament. Scores of two groups have no common
    measure. A contestant without a battle is in no group.

    Args:
        met: `[contestant, opponent]`, symmetric.
    """
    playing = np.flatnonzero(met.any(axis=1))
    if not len(playing) or met.sum(axis=1).max() == len(playing) - 1:
        # One contestant met all others.
        return [playing] if len(playing) else []
    import networkx as nx

    one, other = np.nonzero(np.triu(met))
    pairs: nx.Graph[int] = nx.Graph()
    pairs.add_edges_from(zip(one.tolist(), other.tolist(), strict=True))
    groups = nx.connected_components(pairs)
    members = [np.array(sorted(group), dtype=np.intp) for group in groups]
    return sorted(members, key=lambda group: (-len(group), group[0]))


def name_group(names: Sequence[str], group: Members) -> list[str]:
    """Return the names of the members of a group."""
    chosen: list[int] = group.tolist()
    return [names[index] for index in chosen]
