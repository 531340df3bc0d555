"""Choice of the next pairs of a ranking."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings, strategies as st

from peerjudge.ranking.active import choose_pairs


def plenty(size: int, each: int = 100) -> np.ndarray:
    """Return as many comparisons left for every pair."""
    return each * (1 - np.eye(size, dtype=np.int64))


def points_of(strengths: list[float], each: float) -> np.ndarray:
    """Return the expected points of contestants with these strengths, `each` comparisons per pair."""
    s = np.array(strengths)
    points = each / (1 + np.exp(s - s[:, None]))
    np.fill_diagonal(points, 0)
    return points


def test_without_results_every_pair_is_taken_once():
    """Nothing is known, so all ten pairs of five contestants are equally open."""
    assert len(set(choose_pairs(np.zeros((5, 5)), plenty(5), count=10))) == 10


def test_pairs_whose_order_is_open_come_first():
    """Of four contestants the two middle ones are alike: four of five choices are their pair."""
    chosen = Counter(choose_pairs(points_of([3, 0.1, 0, -3], 20), plenty(4), count=10))
    assert chosen[1, 2] == 8
    assert (1, 2) not in choose_pairs(points_of([3, 0.1, 0, -3], 20), plenty(4), count=5)[4:]


def test_few_results_do_not_count_as_clear():
    """Where contestants differ no more than by chance, their comparisons stay balanced."""
    random = np.random.default_rng(2)
    points = np.triu(random.integers(0, 2, (6, 6)), 1).astype(float)
    points += np.triu(1 - points, 1).T
    chosen = Counter(choose_pairs(points, plenty(6), count=30))
    assert max(chosen.values()) - min(chosen.values()) <= 2
    assert len(chosen) == 15


def test_a_tie_does_not_use_up_all_comparisons():
    """A pair that was compared a thousand times yields to one that is nearly as open and less known."""
    points = points_of([0, 0, 5, 5.5], 3)
    points[:2, :2] = [[0, 500], [500, 0]]
    assert set(choose_pairs(points, plenty(4), count=3)) == {(2, 3)}


def test_no_pair_is_taken_more_often_than_it_can_be():
    """Where the open pair has two comparisons left, the third choice is another pair."""
    left = plenty(4)
    left[1, 2] = left[2, 1] = 2
    chosen = choose_pairs(points_of([3, 0.1, 0, -3], 20), left, count=3)
    assert Counter(chosen)[1, 2] == 2
    assert len(choose_pairs(np.zeros((3, 3)), plenty(3, 1), count=10)) == 3
    assert choose_pairs(np.zeros((1, 1)), np.zeros((1, 1), dtype=np.int64), count=5) == []


@settings(max_examples=20)
@given(st.integers(2, 7), st.integers(0, 2**31))
def test_the_choice_depends_on_the_points_only(size, seed):
    """The same points give the same pairs, and a longer choice begins with a shorter one."""
    points = np.random.default_rng(seed).integers(0, 9, (size, size)).astype(float)
    np.fill_diagonal(points, 0)
    longer = choose_pairs(points, plenty(size), count=12)
    assert choose_pairs(points.copy(), plenty(size), count=5) == longer[:5]
    assert all(row < column for row, column in longer)
