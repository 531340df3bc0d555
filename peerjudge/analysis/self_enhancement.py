"""Whether a reviewer favours its own answers, or those of its family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.intervals import SHARE, Floats, bootstrap_mean
from peerjudge.analysis.judged import Judged
from peerjudge.data import Measurement, Noun

__all__ = ["SelfEnhancement", "self_enhancement"]

_Bools = npt.NDArray[np.bool_]


class SelfEnhancement(Noun, frozen=True, kw_only=True):
    """How a reviewer sees answers of its own kind, and how others see them.

    `kind` says whose answers: its `own`, or those of the rest of its `family`. The win rates are
    `own_view` (by the reviewer), `peers` (the mean of the other reviewers) and `gold`; a tie is half
    a win. `against_peers` and `against_gold` are the reviewer's minus theirs, on the comparisons
    that both judged; `None` where there are none. Peers may all overrate or underrate an answer;
    gold is the stricter judge of that, and the scarcer.
    """

    reviewer: str
    kind: Literal["own", "family"]
    authors: tuple[str, ...]
    own_view: Measurement
    peers: Measurement | None
    gold: Measurement | None
    against_peers: Measurement | None
    against_gold: Measurement | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Means:
    # By reviewer and comparison: the mean share of the win that the comparison's own first answer
    # got, NaN where there was no review; by comparison: gold's share, and the question.
    given: Floats
    gold: Floats
    question: npt.NDArray[np.int32]


def self_enhancement(
    reviews: Judged,
    *,
    families: Mapping[str, str] | None = None,
    seed: int = 0,
    samples: int = 2000,
) -> tuple[SelfEnhancement, ...]:
    """One row per reviewer whose own answers, or whose family's, took part in what it judged.

    Comparisons between two answers of the same kind are left out. Bounds resample questions.

    Args:
        reviews: of pairs whose authors are known.
        families: the family of reviewers and authors by name; whoever is not named is of none.
        seed: of the resampling.
        samples: how many.
    """
    means = _means(reviews)
    rows: list[SelfEnhancement] = []
    for number, name in enumerate(reviews.reviewers):
        family = (families or {}).get(name, "")
        kin = [a for a in reviews.authors if family and (families or {}).get(a, "") == family]
        kinds: dict[Literal["own", "family"], list[str]] = {
            "own": [a for a in reviews.authors if a == name],
            "family": [a for a in kin if a != name],
        }
        for kind, authors in kinds.items():
            one, other = (_among(reviews, side, authors) for side in (reviews.one, reviews.other))
            counts = ~np.isnan(means.given[number]) & (one != other)
            if counts.any():
                rows.append(
                    _row(name, kind, tuple(authors), means, number, counts, one, seed, samples)
                )
    return tuple(rows)


def _row(
    name: str,
    kind: Literal["own", "family"],
    authors: tuple[str, ...],
    means: _Means,
    number: int,
    counts: _Bools,
    one: _Bools,
    seed: int,
    samples: int,
) -> SelfEnhancement:
    def won(shares: Floats) -> Floats:
        return np.where(one, shares, 1.0 - shares)

    def mean(values: Floats, limits: tuple[float, float]) -> Measurement | None:
        here = counts & ~np.isnan(values)
        if not here.any():
            return None
        return bootstrap_mean(
            values[here], means.question[here], limits=limits, seed=seed, samples=samples
        )

    own = won(means.given[number])
    peers, gold = won(_mean_of_others(means.given, number)), won(means.gold)
    own_view = bootstrap_mean(
        own[counts], means.question[counts], limits=SHARE, seed=seed, samples=samples
    )
    return SelfEnhancement(
        reviewer=name,
        kind=kind,
        authors=authors,
        own_view=own_view,
        peers=mean(peers, SHARE),
        gold=mean(gold, SHARE),
        against_peers=mean(own - peers, (-1.0, 1.0)),
        against_gold=mean(own - gold, (-1.0, 1.0)),
    )


def _means(reviews: Judged) -> _Means:
    shape = (len(reviews.reviewers), len(reviews.gold))
    cell = reviews.reviewer.astype(np.intp) * shape[1] + reviews.comparison
    own_order = np.where(reviews.swapped, -reviews.score, reviews.score)
    cells = shape[0] * shape[1]
    won = np.bincount(cell, (1.0 - own_order) / 2.0, cells).reshape(shape)
    count = np.bincount(cell, minlength=cells).reshape(shape)
    given = np.divide(won, count, out=np.full(shape, np.nan), where=count > 0)
    question = np.zeros(shape[1], dtype=np.int32)
    question[reviews.comparison] = reviews.question
    return _Means(given=given, gold=(1.0 - reviews.gold) / 2.0, question=question)


def _mean_of_others(given: Floats, number: int) -> Floats:
    others: Floats = np.delete(given, number, axis=0)
    seen = ~np.isnan(others)
    total: Floats = np.where(seen, others, 0.0).sum(axis=0)
    return np.where(seen.any(axis=0), total / np.maximum(seen.sum(axis=0), 1), np.nan)


def _among(reviews: Judged, side: npt.NDArray[np.int32], authors: list[str]) -> _Bools:
    numbers = [reviews.authors.index(author) for author in authors]
    return np.isin(side, np.array(numbers, dtype=np.int32))
