"""Conventions by which the authors of a dataset turn votes into gold, and verdicts into printed figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from peerjudge.data.nouns import Noun


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


class Undecided(StrEnum):
    """Ways to count a verdict that is inconsistent, unreadable or refused."""

    LEFT_OUT = "left_out"
    """It is not counted: the accuracy is over readable verdicts."""
    AS_TIE = "as_tie"
    """An inconsistent one is a tie, right where gold is a tie; an unreadable or refused one is wrong."""


COUNTING: Mapping[Undecided, str] = MappingProxyType(
    {
        Undecided.LEFT_OUT: "inconsistent, unreadable and refused verdicts are left out",
        Undecided.AS_TIE: "an inconsistent verdict is a tie, an unreadable or refused one is wrong",
    }
)
"""What each way to count does, in words for readers."""


class Conventions(Noun, frozen=True, kw_only=True):
    """Conventions of the authors of a dataset, which `score --as-published` follows.

    `undecided` says how verdicts without a readable decision count. `votes` names the types of people
    each of whose votes is a gold verdict of its own (`("expert",)`); without any, each comparison has
    one gold. `by` names the groups of the published table. With `mean_of_groups` the figure of several
    subsets is the mean of theirs, without it all their verdicts are pooled. `ratings` says in words
    which figure the authors print of ratings. `source` is the publication.
    """

    source: str
    undecided: Undecided = Undecided.LEFT_OUT
    votes: tuple[str, ...] = ()
    by: str = ""
    mean_of_groups: bool = False
    ratings: str = ""
