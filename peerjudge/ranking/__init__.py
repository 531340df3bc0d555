"""Ranks contestants, and weighs reviewers by how they rank as contestants."""

from peerjudge.ranking.elo_ratings import EloRatings, EloTrajectory, elo, elo_peer, elo_trajectory
from peerjudge.ranking.resampling import Resampled, bootstrap
from peerjudge.ranking.standings import Weighting, rank, ranking_document
from peerjudge.ranking.strengths import bradley_terry
from peerjudge.ranking.tally import Tally, win_rates
from peerjudge.ranking.weights import equal_weights, given_weights, peer_rank

__all__ = [
    "EloRatings",
    "EloTrajectory",
    "Resampled",
    "Tally",
    "Weighting",
    "bootstrap",
    "bradley_terry",
    "elo",
    "elo_peer",
    "elo_trajectory",
    "equal_weights",
    "given_weights",
    "peer_rank",
    "rank",
    "ranking_document",
    "win_rates",
]
