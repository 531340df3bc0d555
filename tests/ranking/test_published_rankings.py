from __future__ import annotations

import numpy as np
import pytest

from peerjudge.data import Ranking, Scheme, Scoring, Tournament
from peerjudge.ranking import peer_rank, rank, select, win_rates

NAMES = ("gpt4", "claude", "vicuna-13b", "gpt35", "bard")


def scores(ranking: Ranking) -> list[float]:
    """The scores in the order in which the paper lists the contestants."""
    return [ranking.contestants[name].score for name in NAMES]


@pytest.fixture
def columns(reviews: Tournament, humans: Tournament) -> dict[str, tuple[Tournament, str]]:
    """The reviews behind each column of PRD Table 2, and how their reviewers are weighted."""
    return {
        "gpt4": (select(reviews, reviewers=["gpt4"]), "peer"),
        "all": (reviews, "equal"),
        "weighted": (reviews, "peer"),
        "human": (humans, "equal"),
    }


@pytest.mark.parametrize(
    ("column", "published", "count"),
    [
        ("gpt4", (0.856, 0.709, 0.348, 0.342, 0.245), 1600),
        ("all", (0.749, 0.662, 0.393, 0.375, 0.320), 8000),
        ("weighted", (0.802, 0.685, 0.376, 0.346, 0.290), 8000),
        # The sign of the mean vote on each battle.
        ("human", (0.822, 0.689, 0.389, 0.314, 0.286), 800),
    ],
)
def test_win_rates_are_those_of_table_2(columns, column, published, count):
    """GPT-4 alone, all five reviewers, these by their own scores, and people award what PRD prints."""
    tournament, weights = columns[column]
    found = rank(tournament, weights=weights, scheme=Scheme.PRD)
    assert scores(found) == pytest.approx(published, abs=0.001)
    assert [found.contestants[name].rank for name in NAMES] == [1, 2, 3, 4, 5]
    assert (found.reviews, found.unreadable) == (count, 0)
    assert sum(found.weights.weights.values()) == pytest.approx(1.0)


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
    ("column", "published", "within", "orders"),
    [
        ("gpt4", (1282, 1150, 883, 878, 804), 3, 1000),
        ("all", (1165, 1104, 930, 919, 881), 3, 300),
        ("weighted", (1213, 1125, 912, 894, 856), 6, 300),
        ("human", (1236, 1127, 920, 868, 847), 3, 1000),
    ],
)
def test_elo_over_many_orders_is_that_of_table_2(columns, column, published, within, orders):
    """The mean over many orders is the published Elo of every column, to a few points."""
    tournament, weights = columns[column]
    found = rank(tournament, scoring=Scoring.ELO, weights=weights, orders=orders, bootstrap=0)
    assert scores(found) == pytest.approx(published, abs=within)


def test_one_order_of_elo_proves_little(reviews: Tournament):
    """Vicuna and GPT-3.5 swap places in many orders, though their mean ratings differ."""
    found = rank(reviews, scoring=Scoring.ELO, orders=200, bootstrap=0)
    third, fourth = found.contestants["vicuna-13b"], found.contestants["gpt35"]
    assert third.low < fourth.score < third.high
    assert third.rank_high > third.rank


def test_the_order_of_the_top_two_survives_other_questions(reviews: Tournament):
    """Resampled questions leave GPT-4 first and Claude second, and the next two undecided."""
    found = rank(reviews, weights="peer", bootstrap=300)
    bounds = {name: (s.rank_low, s.rank_high) for name, s in found.contestants.items()}
    assert bounds["gpt4"] == (1, 1)
    assert bounds["claude"] == (2, 2)
    assert bounds["vicuna-13b"][1] > 3
    assert all(s.low < s.score < s.high for s in found.contestants.values())
