"""Rules that turn several people's votes on a comparison into one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum


class GoldRule(StrEnum):
    """Rules for votes that do not all agree. Votes are -1 (first), 0 (tie) and +1 (second)."""

    SIGN_OF_MEAN = "sign_of_mean"
    """The sign of the mean vote; a tie where the votes cancel out."""
    STRICT_MAJORITY = "strict_majority"
    """The vote of more than half of the people, else a tie."""
    FIRST_VOTE_ON_EVEN = "first_vote_on_even"
    """The sign of the mean vote; where the votes cancel out, the vote that came first."""


def settle_votes(votes: Sequence[int], rule: GoldRule) -> int:
    """Return one score (-1, 0, +1) for at least one vote, in the order of the source."""
    mean_sign = (sum(votes) > 0) - (sum(votes) < 0)
    match rule:
        case GoldRule.SIGN_OF_MEAN:
            return mean_sign
        case GoldRule.FIRST_VOTE_ON_EVEN:
            return mean_sign or votes[0]
        case GoldRule.STRICT_MAJORITY:
            score, count = Counter(votes).most_common(1)[0]
            return score if 2 * count > len(votes) else 0
