"""Battles, tournaments, contestant rankings and reviewer weights."""

from peerjudge.ranking.battles import (
    Stance,
    battles_from_reviews,
    battles_from_transcripts,
    from_dataset,
    reviews_from_transcripts,
    score,
    stance_of,
)
from peerjudge.ranking.elo_ratings import EloRatings, EloTrajectory, elo, elo_peer, elo_trajectory
from peerjudge.ranking.resampling import Resampled, bootstrap
from peerjudge.ranking.standings import Weighting, rank, ranking_document
from peerjudge.ranking.strengths import bradley_terry
from peerjudge.ranking.tally import Tally, win_rates
from peerjudge.ranking.tournament import (
    PANEL,
    collect,
    graph,
    majority_verdicts,
    select,
    without_family,
)
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
