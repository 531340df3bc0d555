"""Battles, tournaments, contestant rankings and reviewer weights."""

from peerjudge.ranking.elo_ratings import elo, elo_peer, elo_trajectory
from peerjudge.ranking.graphs import find_groups, graph, review_graph
from peerjudge.ranking.resampling import bootstrap
from peerjudge.ranking.standings import Weighting, document_standings, rank, ranking_document
from peerjudge.ranking.strengths import bradley_terry
from peerjudge.ranking.tally import Tally, share_pairs, win_rates
from peerjudge.ranking.tournament import (
    check_contestants,
    collect,
    find_kin_battles,
    select,
    without_family,
)
from peerjudge.ranking.weights import equal_weights, given_weights, peer_rank

__all__ = [
    "Tally",
    "Weighting",
    "bootstrap",
    "bradley_terry",
    "check_contestants",
    "collect",
    "document_standings",
    "elo",
    "elo_peer",
    "elo_trajectory",
    "equal_weights",
    "find_groups",
    "find_kin_battles",
    "given_weights",
    "graph",
    "peer_rank",
    "rank",
    "ranking_document",
    "review_graph",
    "select",
    "share_pairs",
    "win_rates",
    "without_family",
]
