"""Every two reviewers of a panel: whether they agree, err together, and which is the better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan

import numpy as np

from peerjudge.analysis.inference import (
    CorrelationTest,
    McNemar,
    correlations_with_gold,
    holm,
    mcnemar,
)
from peerjudge.analysis.intervals import SHARE, Floats, by_cluster, measured, resampled
from peerjudge.analysis.kappa import KAPPA, cohen_kappa, correlation
from peerjudge.analysis.panel.items import Items
from peerjudge.data import Measurement, Noun, replace

__all__ = ["Counted", "PanelPair", "adjusted", "counted", "panel_pairs"]

# Of two reviewers and an item: nine cells for what they said, then four for who of them erred.
_SAID, _ERRED = 9, 4
# So many pairs are resampled in one matrix product: reading the draws anew for each pair is slow.
_BLOCK = 64


class PanelPair(Noun, frozen=True, kw_only=True):
    """Two reviewers on what both judged.

    `same` is the share of equal verdicts. Where there is gold: `error_correlation` is how much more
    often than by chance they are wrong together (phi), `accuracy` McNemar's test of which is right
    on more questions, and `correlation` Williams' test of which correlates better with gold over
    comparisons. The `_adjusted` p-values are Holm's over all pairs of the panel.
    """

    one: str
    other: str
    same: Measurement
    cohen_kappa: Measurement
    error_correlation: Measurement | None
    accuracy: McNemar | None
    accuracy_adjusted: float | None
    correlation: CorrelationTest | None
    correlation_adjusted: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counted:
    """Some pairs of reviewers: their cells by question, summed, and in resampled questions.

    `by_question` is `[question, pair, cell]`, `drawn` is `[sample, pair, cell]`.
    """

    pairs: Sequence[tuple[int, int]]
    by_question: Floats
    drawn: Floats

    @property
    def phi(self) -> tuple[Floats, Floats]:
        """How the errors of each pair correlate `[pair]`, and in every sample `[sample, pair]`."""
        return _phi(self.by_question.sum(axis=0)), _phi(self.drawn)


def counted(items: Items, *, seed: int, samples: int) -> Iterator[Counted]:
    """All pairs that judged an item together, some at a time."""
    judges = items.ratings.shape[1]
    seen = (~np.isnan(items.ratings)).astype(np.float64)
    together = seen.T @ seen
    pairs = [pair for pair in combinations(range(judges), 2) if together[pair]]
    for start in range(0, len(pairs), _BLOCK):
        some = pairs[start : start + _BLOCK]
        cells = np.hstack([_cells(items, one, other) for one, other in some])
        sums = by_cluster(cells, items.question)
        drawn = resampled(sums, samples=samples, seed=seed)
        shape = (-1, len(some), _SAID + _ERRED)
        yield Counted(pairs=some, by_question=sums.reshape(shape), drawn=drawn.reshape(shape))


def panel_pairs(items: Items, names: Sequence[str], some: Counted) -> list[PanelPair]:
    """What the counts say of these pairs; p-values are not adjusted yet, see `adjusted`."""
    phi, phi_drawn = some.phi
    rows: list[PanelPair] = []
    for k, (one, other) in enumerate(some.pairs):
        cells, drawn = some.by_question[:, k], some.drawn[:, k]
        whole = cells.sum(axis=0, keepdims=True)
        said, erred = cells[:, :_SAID].sum(axis=1), cells[:, _SAID:]
        golden = erred.sum(axis=1)
        rows.append(
            PanelPair(
                one=names[one],
                other=names[other],
                same=_of(said, _same(whole), _same(drawn), SHARE),
                cohen_kappa=_of(said, _kappa(whole), _kappa(drawn), KAPPA),
                error_correlation=(
                    _of(golden, phi[k : k + 1], phi_drawn[:, k], KAPPA) if golden.any() else None
                ),
                # Right where the other erred, less wrong where it did not.
                accuracy=(
                    mcnemar((erred - erred[:, [0, 2, 1, 3]])[golden > 0, 1].tolist())
                    if golden.any()
                    else None
                ),
                accuracy_adjusted=None,
                correlation=_williams(items, one, other),
                correlation_adjusted=None,
            )
        )
    return rows


def adjusted(pairs: Sequence[PanelPair]) -> tuple[PanelPair, ...]:
    """The same with p-values adjusted for how many pairs there are (Holm)."""
    accuracy = holm([nan if pair.accuracy is None else pair.accuracy.p_value for pair in pairs])
    correlated = holm(
        [nan if pair.correlation is None else pair.correlation.p_value for pair in pairs]
    )
    return tuple(
        replace(
            pair,
            accuracy_adjusted=None if pair.accuracy is None else accuracy[k],
            correlation_adjusted=None if pair.correlation is None else correlated[k],
        )
        for k, pair in enumerate(pairs)
    )


def _cells(items: Items, one: int, other: int) -> Floats:
    """`[item, cell]`: a 1 in the cell of what the two said, and in that of who erred."""
    ours, theirs = items.ratings[:, one], items.ratings[:, other]
    both = ~np.isnan(ours + theirs)
    golden = both & ~np.isnan(items.gold)
    cells = np.zeros((len(ours), _SAID + _ERRED))
    said = 3 * (ours[both] + 1) + theirs[both] + 1
    erred = 2 * (ours != items.gold)[golden] + (theirs != items.gold)[golden]
    cells[np.flatnonzero(both), said.astype(np.intp)] = 1.0
    cells[np.flatnonzero(golden), _SAID + erred.astype(np.intp)] = 1.0
    return cells


def _of(
    by_question: Floats, value: Floats, drawn: Floats, limits: tuple[float, float]
) -> Measurement:
    clusters, n = int(np.count_nonzero(by_question)), int(by_question.sum())
    return measured(float(value[0]), drawn, clusters=clusters, n=n, limits=limits)


def _same(cells: Floats) -> Floats:
    agreed, total = cells[:, 0:_SAID:4].sum(axis=1), cells[:, :_SAID].sum(axis=1)
    return np.divide(agreed, total, out=np.full(len(cells), nan), where=total > 0)


def _kappa(cells: Floats) -> Floats:
    return cohen_kappa(cells[:, :_SAID].reshape(-1, 3, 3))


def _phi(cells: Floats) -> Floats:
    """The correlation of errors of `[..., cell]`."""
    none, other, one, both = np.moveaxis(cells[..., _SAID:], -1, 0)
    ours, theirs = one + both, other + both
    moments = np.stack([none + one + other + both, ours, theirs, ours, theirs, both], axis=-1)
    return correlation(moments.reshape(-1, 6)).reshape(moments.shape[:-1])


def _williams(items: Items, one: int, other: int) -> CorrelationTest | None:
    # Both orders of a comparison are one item, in the comparison's own order.
    rows = ~np.isnan(items.ratings[:, one] + items.ratings[:, other] + items.gold)
    turned = np.where(items.swapped[rows], -1.0, 1.0)
    scores = [items.gold[rows], items.ratings[rows, one], items.ratings[rows, other]]
    columns = np.column_stack([np.ones(len(turned)), *(score * turned for score in scores)])
    sums = by_cluster(columns, items.comparison[rows])
    gold, ours, theirs = (sums[:, 1:] / sums[:, :1]).T.tolist()
    return correlations_with_gold(gold, ours, theirs)
