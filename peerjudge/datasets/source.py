"""The contract of a dataset module, and gold verdicts from votes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from peerjudge.data import TIE, Dataset, GoldRule, Verdict, settle_votes


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


def settle_gold(votes: Sequence[int], rule: GoldRule, pair: tuple[str, str]) -> Verdict | None:
    """Return the gold verdict on this pair of answer ids, or `None` without votes."""
    if not votes:
        return None
    score = settle_votes(votes, rule)
    return TIE if score == 0 else Verdict.of(pair[score > 0])
