"""The contract of a dataset module, and the rules that turn votes into gold verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from peerjudge.data import TIE, Dataset, Verdict


class GoldRule(StrEnum):
    """Rules for votes that do not all agree. Votes are -1 (first), 0 (tie) and +1 (second)."""

    SIGN_OF_MEAN = "sign_of_mean"
    """The sign of the mean vote; a tie where the votes cancel out."""
    STRICT_MAJORITY = "strict_majority"
    """The vote of more than half of the people, else a tie."""
    FIRST_VOTE_ON_EVEN = "first_vote_on_even"
    """The sign of the mean vote; where the votes cancel out, the vote that came first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Options for reading a dataset.

    `path` is the place of the data. `reviews` is false where recorded reviews are not needed. `gold`
    settles votes that disagree; `None` is the dataset's own rule.
    """

    path: Path
    reviews: bool = True
    gold: GoldRule | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Declaration of a dataset: the constant `SOURCE` of its module or file.

    `description` is one line. `read` turns a place on disk into a dataset. `place` is that place
    where the caller need not name one. `upstream` is the address of the published files that are
    listed in `registry/NAME.txt`. `votes` is true where gold comes from several people's votes, so
    that a `GoldRule` applies.
    """

    description: str
    read: Callable[[Request], Dataset]
    place: Path | None = None
    upstream: str = ""
    votes: bool = False


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


def settle_gold(votes: Sequence[int], rule: GoldRule, pair: tuple[str, str]) -> Verdict | None:
    """Return the gold verdict on this pair of answer ids, or `None` without votes."""
    if not votes:
        return None
    score = settle_votes(votes, rule)
    return TIE if score == 0 else Verdict.of(pair[score > 0])
