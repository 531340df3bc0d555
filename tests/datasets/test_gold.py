"""Votes that disagree become one gold verdict by a named rule."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from peerjudge.data import TIE, GoldRule, Verdict, settle_votes
from peerjudge.datasets import settle_gold

VOTES = st.lists(st.sampled_from((-1, 0, 1)), min_size=1, max_size=7)
RULES = st.sampled_from(GoldRule)


@given(VOTES, RULES)
def test_no_rule_favours_a_position(votes, rule):
    """Reversing the answers reverses the gold, under every rule."""
    assert settle_votes([-vote for vote in votes], rule) == -settle_votes(votes, rule)


@given(st.sampled_from((-1, 0, 1)), st.integers(1, 7), RULES)
def test_a_unanimous_vote_is_the_gold(vote, people, rule):
    """If all people agree, every rule returns their vote."""
    assert settle_votes([vote] * people, rule) == vote


@given(VOTES)
def test_the_first_vote_decides_only_where_the_votes_cancel_out(votes):
    """The two rules of the mean differ exactly where the votes sum to 0."""
    mean = settle_votes(votes, GoldRule.SIGN_OF_MEAN)
    first = settle_votes(votes, GoldRule.FIRST_VOTE_ON_EVEN)
    assert first == (mean if sum(votes) else votes[0])


@given(VOTES)
def test_a_strict_majority_has_more_than_half(votes):
    """A score that half of the people or fewer gave is no strict majority."""
    score = settle_votes(votes, GoldRule.STRICT_MAJORITY)
    assert score == 0 or 2 * votes.count(score) > len(votes)


@pytest.mark.parametrize(
    ("votes", "mean", "strict"), [([1, 0, 0], 1, 0), ([1, 0, -1], 0, 0), ([-1, -1, 0], -1, -1)]
)
def test_the_mean_and_the_majority_are_different_rules(votes, mean, strict):
    """One person's preference among two ties moves the mean but is no majority."""
    assert settle_votes(votes, GoldRule.SIGN_OF_MEAN) == mean
    assert settle_votes(votes, GoldRule.STRICT_MAJORITY) == strict


def test_gold_names_answers():
    """A score becomes the first answer, a tie or the second; no votes make no gold."""
    verdicts = [
        settle_gold(votes, GoldRule.SIGN_OF_MEAN, ("x", "y")) for votes in ([-1], [0], [1], [])
    ]
    assert verdicts == [Verdict.of("x"), TIE, Verdict.of("y"), None]
