"""How ratings of single answers go with the mean ratings that are gold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan, nan
from typing import cast

import numpy as np

from peerjudge.analysis.intervals import Floats, by_cluster, draws, percentiles
from peerjudge.analysis.scoring.cells import Resampling
from peerjudge.analysis.scoring.nouns import Correlation, Judge, Judged, Judgement
from peerjudge.data import Comparison, Measurement

__all__ = ["correlations"]

_PREFIX = "gold_"

_Pair = tuple[float, float, Comparison]
"""A rating, its gold, and what was rated."""


def correlations(judged: Judged, *, resampling: Resampling) -> tuple[Correlation, ...]:
    """By judge and aspect the correlation of its ratings with gold (`meta["gold_ASPECT"]`).

    Ratings of no named aspect, such as a run's, are held against every aspect there is. Where an
    answer was rated several times, the ratings are averaged.
    """
    aspects = dict.fromkeys(
        key.removeprefix(_PREFIX)
        for one in judged.comparisons.values()
        for key, value in one.meta.items()
        if key.startswith(_PREFIX) and isinstance(value, int | float)
    )
    lone = [one for one in judged.judgements if len(one.shown) == 1]
    found: list[Correlation] = []
    for judge in dict.fromkeys(one.judge for one in lone):
        own = [one for one in lone if one.judge == judge]
        for aspect in aspects:
            about = [one for one in own if one.aspect in ("", aspect)]
            if about:
                found.append(_correlation(judge, aspect, about, judged.comparisons, resampling))
    return tuple(found)


def _correlation(
    judge: Judge,
    aspect: str,
    judgements: Sequence[Judgement],
    comparisons: Mapping[str, Comparison],
    how: Resampling,
) -> Correlation:
    rated, unrated = _pairs(aspect, judgements, comparisons)
    x = np.array([rating for rating, _, _ in rated], dtype=np.float64)
    y = np.array([gold for _, gold, _ in rated], dtype=np.float64)
    questions = [one.question.id for _, _, one in rated]
    pooled = _coefficients(x, y)
    return Correlation(
        judge=judge,
        aspect=aspect,
        answers=len(rated),
        unrated=unrated,
        mean=float(x.mean()) if rated else nan,
        mean_gold=float(y.mean()) if rated else nan,
        mean_error=float(np.abs(x - y).mean()) if rated else nan,
        pearson=_pearson(pooled["pearson"], x, y, questions, how),
        spearman=pooled["spearman"],
        kendall=pooled["kendall"],
        by_question=_averaged(_coefficients(*part) for part in _parts(rated)),
        by_author=_coefficients(*_author_means(rated)),
    )


def _pairs(
    aspect: str, judgements: Sequence[Judgement], comparisons: Mapping[str, Comparison]
) -> tuple[list[_Pair], int]:
    """What has both a rating and a gold, and how many judgements gave no rating."""
    given: defaultdict[str, list[float]] = defaultdict(list)
    for one in judgements:
        if one.score is not None:
            given[one.comparison].append(one.score)
    rated: list[_Pair] = []
    for name, ratings in given.items():
        gold = comparisons[name].meta.get(_PREFIX + aspect)
        if isinstance(gold, int | float):
            rated.append((sum(ratings) / len(ratings), float(gold), comparisons[name]))
    return rated, sum(one.score is None for one in judgements)


def _coefficients(x: Floats, y: Floats) -> dict[str, float]:
    """Pearson's r, Spearman's rho and Kendall's tau-b; NaN where either never varies."""
    if len(x) < 2 or np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return {"pearson": nan, "spearman": nan, "kendall": nan}
    # scipy's stubs leave the types of what it returns open.
    from scipy.stats import kendalltau, rankdata  # pyright: ignore[reportUnknownVariableType]

    tau, _ = cast("tuple[float, float]", kendalltau(x, y))
    ranks: Floats = np.stack([cast("Floats", rankdata(values)) for values in (x, y)])
    return {
        "pearson": _pearson_of(x, y),
        "spearman": _pearson_of(*ranks),
        "kendall": float(tau),
    }


def _pearson_of(x: Floats, y: Floats) -> float:
    table: Floats = np.corrcoef(x, y)
    return float(table[0, 1])


def _pearson(
    value: float, x: Floats, y: Floats, questions: Sequence[str], how: Resampling
) -> Measurement:
    if isnan(value) or len(set(questions)) < 2:
        # One question cannot show how questions differ.
        return Measurement(value=value, low=nan, high=nan, n=len(x), level=how.level)
    # Moments about the means add up over questions, so that a resample is a product.
    a, b = x - x.mean(), y - y.mean()
    sums = by_cluster(np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1), questions)
    drawn = draws(len(sums), samples=how.samples, seed=how.seed) @ sums
    n, sa, sb, saa, sbb, sab = drawn.T
    spread = (n * saa - sa * sa) * (n * sbb - sb * sb)
    known = spread > 1e-9
    r = (n * sab - sa * sb)[known] / np.sqrt(spread[known])
    low, high = percentiles(r, level=how.level)
    method = "bootstrap by question"
    return Measurement(value=value, low=low, high=high, n=len(x), level=how.level, method=method)


def _parts(rated: Sequence[_Pair]) -> Iterator[tuple[Floats, Floats]]:
    parts: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for rating, gold, one in rated:
        parts[one.question.id].append((rating, gold))
    for part in parts.values():
        x, y = np.array(part, dtype=np.float64).T
        yield x, y


def _author_means(rated: Sequence[_Pair]) -> tuple[Floats, Floats]:
    parts: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for rating, gold, one in rated:
        if one.answers[0].author:
            parts[one.answers[0].author].append((rating, gold))
    means = np.array([np.mean(part, axis=0) for part in parts.values()], dtype=np.float64)
    x, y = means.reshape(-1, 2).T
    return x, y


def _averaged(found: Iterable[Mapping[str, float]]) -> dict[str, float]:
    kept = [one for one in found if not isnan(one["pearson"])]
    names = ("pearson", "spearman", "kendall")
    if not kept:
        return dict.fromkeys(names, nan)
    return {name: sum(one[name] for one in kept) / len(kept) for name in names}
