from __future__ import annotations

import numpy as np
import pytest

from peerjudge.data import Ranking, Scheme, Scoring, Tournament
from peerjudge.ranking import peer_rank, rank, select, win_rates

NAMES = ("gpt4", "claude", "vicuna-13b", "gpt35", "bard")


def scores(ranking: Ranking) -> list[float]:
    """The scores in the order in which the paper lists the contestants."""
    return [ranking.contestants[name].score for name in NAMES]


def test_win_rates_awarded_by_gpt4_are_those_of_table_2(reviews: Tournament):
    """GPT-4 alone awards the win rates that PRD Table 2 prints for it."""
    found = rank(select(reviews, reviewers=["gpt4"]), weights="peer")
    assert scores(found) == pytest.approx([0.856, 0.709, 0.348, 0.342, 0.245], abs=0.001)
    assert found.weights.weights == {"gpt4": 1.0}


def test_equally_weighted_win_rates_are_those_of_table_2(reviews: Tournament):
    """All five reviewers together award the win rates of Table 2, column All."""
    found = rank(reviews, weights="equal")
    assert scores(found) == pytest.approx([0.749, 0.662, 0.393, 0.375, 0.320], abs=0.001)
    assert found.reviews == 8000
    assert found.unreadable == 0


def test_peer_weighted_win_rates_are_those_of_table_2(reviews: Tournament):
    """Weighted by their own scores they award the win rates of column All (Weighted)."""
    found = rank(reviews, weights="peer", scheme=Scheme.PRD)
    assert scores(found) == pytest.approx([0.802, 0.685, 0.376, 0.346, 0.290], abs=0.001)
    assert [found.contestants[name].rank for name in NAMES] == [1, 2, 3, 4, 5]


def test_human_win_rates_are_those_of_table_2(humans: Tournament):
    """Human votes count as the sign of the mean vote per battle, which gives column Human."""
    found = rank(humans)
    assert scores(found) == pytest.approx([0.822, 0.689, 0.389, 0.314, 0.286], abs=0.001)
    assert found.reviews == 800


def test_final_round_weights_solve_equation_2(reviews: Tournament):
    """The final weights (drawn in Figure 3) reproduce themselves through Equation 2."""
    found = peer_rank(reviews)
    weights = np.array(list(found.weights.values()))
    judged = weights @ win_rates(reviews).rates
    scaled = (judged - judged.min()) / (judged.max() - judged.min())
    assert weights == pytest.approx(scaled / scaled.sum(), abs=1e-9)
    published = [0.48844487, 0.37666039, 0.08181331, 0.05308143, 0.0]
    assert [found.weights[name] for name in NAMES] == pytest.approx(published, abs=1e-7)
    assert found.converged
    assert found.residual <= 1e-10


@pytest.mark.parametrize(
    ("column", "published", "within"),
    [
        ("gpt4", (1282, 1150, 883, 878, 804), 3),
        ("all", (1165, 1104, 930, 919, 881), 3),
        ("weighted", (1213, 1125, 912, 894, 856), 6),
        ("human", (1236, 1127, 920, 868, 847), 3),
    ],
)
def test_elo_over_many_orders_is_that_of_table_2(
    reviews: Tournament,
    humans: Tournament,
    column: str,
    published: tuple[int, ...],
    within: int,
):
    """The mean over a thousand orders is the published Elo of every column, to a few points."""
    tournament = {
        "gpt4": lambda: select(reviews, reviewers=["gpt4"]),
        "human": lambda: humans,
    }.get(column, lambda: reviews)()
    weighting = "peer" if column == "weighted" else "equal"
    found = rank(tournament, scoring=Scoring.ELO, weights=weighting, bootstrap=0)
    assert scores(found) == pytest.approx(published, abs=within)


def test_one_order_of_elo_proves_little(reviews: Tournament):
    """Vicuna and GPT-3.5 swap places in many orders, though their mean ratings differ."""
    found = rank(reviews, scoring=Scoring.ELO, orders=200, bootstrap=0)
    third, fourth = found.contestants["vicuna-13b"], found.contestants["gpt35"]
    assert third.low < fourth.score < third.high
    assert third.rank_high > third.rank


def test_the_order_of_the_top_two_survives_other_questions(reviews: Tournament):
    """Resampled questions leave GPT-4 first and Claude second, and the next two undecided."""
    found = rank(reviews, weights="peer", bootstrap=500)
    bounds = {name: (s.rank_low, s.rank_high) for name, s in found.contestants.items()}
    assert bounds["gpt4"] == (1, 1)
    assert bounds["claude"] == (2, 2)
    assert bounds["vicuna-13b"][1] > 3
    assert all(s.low < s.score < s.high for s in found.contestants.values())
