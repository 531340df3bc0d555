"""Who beat whom, and how ratings grew with the battles."""

import numpy as np
from hypothesis import given, settings, strategies as st

from peerjudge.analysis.peers import follow_ratings, tally_head_to_head
from peerjudge.data import Battle
from peerjudge.ranking import collect

battles = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([-1, 0, 1, None])),
    min_size=1,
    max_size=40,
).map(
    lambda rows: collect(
        Battle.scored(
            question=f"q{number % 5}",
            reviewer="ann" if number % 2 else "bob",
            first=f"c{first}",
            second=f"c{(first + step) % 4}",
            score=score,
        )
        for number, (first, step, score) in enumerate(rows)
    )
)


@settings(max_examples=25)
@given(battles)
def test_shares_of_two_contestants_add_up(tournament):
    """What one won the other lost; two without a battle have no share; weights do not change the count."""
    weights = dict.fromkeys(tournament.reviewers, 1.0) | {"ann": 3.0}
    found = tally_head_to_head(tournament, weights=weights, order=tournament.contestants)
    for row in range(len(found.contestants)):
        for column in range(len(found.contestants)):
            share, other = found.shares[row][column], found.shares[column][row]
            if row == column or not found.battles[row][column]:
                assert share is None
            else:
                assert np.isclose(share + other, 1.0)
    assert sum(map(sum, found.battles)) == 2 * np.count_nonzero(tournament.readable)


@settings(max_examples=25)
@given(battles, st.integers(1, 60))
def test_trajectories_begin_at_the_start_and_conserve_points(tournament, most: int):
    """Whatever is played, what one wins the others lose: the mean over all stays 1000."""
    played = int(np.count_nonzero(tournament.readable))
    if not played:
        return
    weights = dict.fromkeys(tournament.reviewers, 0.5)
    names = sorted(
        {
            tournament.contestants[place]
            for column in (tournament.first, tournament.second)
            for place in column[tournament.readable].tolist()
        }
    )
    found = follow_ratings(tournament, weights=weights, contestants=names, most=most)
    means = np.array([one.mean for one in found])
    assert np.allclose(means.mean(axis=0), 1000.0)
    for one in found:
        assert one.battles[0] == 0
        assert one.mean[0] == 1000.0
        assert one.battles[-1] == min(most, played)
        assert len(one.battles) <= 22
        assert all(low <= high for low, high in zip(one.low, one.high, strict=True))
