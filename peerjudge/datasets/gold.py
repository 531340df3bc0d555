"""How several people's votes on a pair become one gold verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from peerjudge.data import TIE, Verdict

__all__ = ["GoldRule", "gold_verdict", "settle"]


class GoldRule(StrEnum):
    """What to make of votes that do not all agree. Votes are -1 (first), 0 (tie) and +1 (second)."""

    SIGN_OF_MEAN = "sign_of_mean"
    """The sign of the mean vote; a tie where the votes cancel out."""
    STRICT_MAJORITY = "strict_majority"
    """The vote that more than half of the people gave, else a tie."""
    FIRST_VOTE_ON_EVEN = "first_vote_on_even"
    """The sign of the mean vote; where the votes cancel out, the vote that came first."""


def settle(votes: Sequence[int], rule: GoldRule) -> int:
    """One score (-1, 0, +1) from at least one vote, given in the order of the source."""
    mean_sign = (sum(votes) > 0) - (sum(votes) < 0)
    match rule:
        case GoldRule.SIGN_OF_MEAN:
            return mean_sign
        case GoldRule.FIRST_VOTE_ON_EVEN:
            return mean_sign or votes[0]
        case GoldRule.STRICT_MAJORITY:
            score, count = Counter(votes).most_common(1)[0]
            return score if 2 * count > len(votes) else 0


def gold_verdict(votes: Sequence[int], rule: GoldRule, pair: tuple[str, str]) -> Verdict | None:
    """The gold verdict on this pair of answer ids; `None` where nobody voted."""
    if not votes:
        return None
    score = settle(votes, rule)
    return TIE if score == 0 else Verdict.of(pair[score > 0])
