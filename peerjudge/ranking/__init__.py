"""Battles from reviews, a tournament from battles, and the ranking and weighting computed from it."""

from peerjudge.ranking.battles import (
    battles_from_reviews,
    battles_from_transcripts,
    from_dataset,
    score,
)
from peerjudge.ranking.collecting import collect, select, without_family
from peerjudge.ranking.drawn import graph
from peerjudge.ranking.elo_ratings import EloRatings, EloTrajectory, elo, elo_peer, elo_trajectory
from peerjudge.ranking.majority import PANEL, majority_verdicts
from peerjudge.ranking.resampling import Resampled, bootstrap
from peerjudge.ranking.stances import Stance, reviews_from_transcripts, stance_of
from peerjudge.ranking.standings import Weighting, rank, ranking_document
from peerjudge.ranking.strengths import bradley_terry
from peerjudge.ranking.tally import Tally, win_rates
from peerjudge.ranking.weights import equal_weights, given_weights, peer_rank

__all__ = [
    "PANEL",
    "EloRatings",
    "EloTrajectory",
    "Resampled",
    "Stance",
    "Tally",
    "Weighting",
    "battles_from_reviews",
    "battles_from_transcripts",
    "bootstrap",
    "bradley_terry",
    "collect",
    "elo",
    "elo_peer",
    "elo_trajectory",
    "equal_weights",
    "from_dataset",
    "given_weights",
    "graph",
    "majority_verdicts",
    "peer_rank",
    "rank",
    "ranking_document",
    "reviews_from_transcripts",
    "score",
    "select",
    "stance_of",
    "win_rates",
    "without_family",
]
