"""Panels against their best member: all weighting schemes on the same items, with paired differences.

A verdict of a panel is the sign of the weighted mean of its members' scores (-1 first shown, 0 tie, +1
second), right where it is gold. Bounds resample questions and find the weights again in every sample; the
accuracies of members and of equal weights, which have none to find, have the t of all shares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
import numpy.typing as npt

from peerjudge.analysis import build_tournament
from peerjudge.analysis.agreement import combine_scores, score_items
from peerjudge.analysis.ballots import TIE, Ballots, Floats, score_of
from peerjudge.analysis.grouping import divide_known, group_rows
from peerjudge.analysis.selecting import number_authors, number_judges
from peerjudge.data import LEVEL, Measurement, Noun, Scheme
from peerjudge.errors import ConvergenceError, DataError
from peerjudge.features.panels.slopes import fit_slopes
from peerjudge.ranking import peer_rank
from peerjudge.ranking.resampling import weigh_samples
from peerjudge.statistics.clusters import draw_clusters, number_clusters
from peerjudge.statistics.interval import DIFFERENCE, SHARE, measure_mean
from peerjudge.statistics.resampling import make_measurement

__all__ = ["PanelRow", "Panels", "TiesBroken", "measure_panels"]

# (sample, cell) entries at a time, which bounds the memory.
_BLOCK = 1 << 22
_NO_PEERS = "no reviewer is the author of an answer here"


class TiesBroken(Noun, frozen=True, kw_only=True):
    """The best member with its ties broken by another one.

    `by` says how that is the next one: by `weight`, by `accuracy`, or by both.
    """

    by: str
    next: str
    accuracy: Measurement


class PanelRow(Noun, frozen=True, kw_only=True):
    """One weighting scheme on the items that the panel and what it is compared with both judged.

    `over_best` is its accuracy minus that of the best member, `over_ties_broken` minus that of each entry of
    `Panels.ties_broken`; `where_best_chooses` the accuracy on the items on which the best member has no tie.
    """

    scheme: str
    weights: Mapping[str, float]
    accuracy: Measurement
    over_best: Measurement
    over_ties_broken: tuple[Measurement, ...]
    where_best_chooses: float


class Panels(Noun, frozen=True, kw_only=True):
    """Panels of the same reviewers under several weighting schemes, and their best member.

    The best member is the one with the highest accuracy on these items, the same in all samples. `chooses`
    is the share of items on which it has no tie, `best_where_it_chooses` its accuracy there. `left_out` says
    by scheme why there is none.
    """

    best: str
    accuracy: Measurement
    chooses: float
    best_where_it_chooses: float
    ties_broken: tuple[TiesBroken, ...]
    rows: tuple[PanelRow, ...]
    left_out: Mapping[str, str]
    questions: int
    items: int
    samples: int
    level: float = LEVEL


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Scheme:
    """Weights by judge, and those of the samples or one row for all of them."""

    name: str
    weights: Floats
    drawn: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Items:
    """Items with the same scores and the same gold as one cell; `counts` is `[question, cell]`.

    `cell` and `question` are by item, `scores` and `gold` by cell, `draws` is `[sample, question]`.
    """

    cell: npt.NDArray[np.intp]
    question: npt.NDArray[np.intp]
    scores: Floats
    gold: Floats
    counts: Floats
    draws: Floats

    def split(self) -> Iterator[tuple[slice, Floats]]:
        """Yield samples and how often each has each cell, `[sample, cell]`."""
        span = max(1, _BLOCK // max(len(self.gold), 1))
        for start in range(0, len(self.draws), span):
            part = slice(start, start + span)
            yield part, self.draws[part] @ self.counts


def measure_panels(ballots: Ballots, *, seed: int = 0, samples: int = 2000) -> Panels | None:
    """Return the panels of these judges; `None` with fewer than two of them, or without gold.

    Args:
        ballots: On pairs, see `select_judges`.
        seed: Of the resampling.
        samples: Number of resamples.
    """
    names = [name for name, _ in number_judges(ballots)]
    golden = ballots.where(ballots.gold >= TIE)
    present = [name for name, _ in number_judges(golden)]
    if len(names) < 2 or names != present or not golden.readable.any():
        return None
    asked = np.unique(ballots.question)
    draws = draw_clusters(len(asked), samples=samples, seed=seed)
    schemes, left_out = _weigh(ballots, names, draws)
    items = _count_items(golden, draws[:, np.isin(asked, golden.question)])
    right = np.where(np.isnan(items.scores), np.nan, np.sign(items.scores) == items.gold[:, None])
    known = ~np.isnan(right)
    times = items.counts.sum(axis=0)
    shares = divide_known(times @ np.where(known, right, 0.0), times @ known)
    order = np.argsort(-shares, kind="stable")
    best = int(order[0])
    own = np.sign(items.scores[:, best])
    ties = bool(times @ (own == 0.0))
    broken = _list_next(schemes, order, names) if ties else {}
    rivals = [own, *(_break_ties(own, items.scores[:, other]) for other in broken)]
    choosing = np.abs(own) == 1.0

    def where_best_chooses(verdict: Floats) -> float:
        rows = choosing & ~np.isnan(verdict)
        total = times[rows].sum()
        return float(times[rows] @ (verdict == items.gold)[rows] / total) if total else nan

    def build_row(scheme: _Scheme) -> PanelRow:
        accuracy, over = _measure_scheme(items, scheme, rivals)
        return PanelRow(
            scheme=scheme.name,
            weights=dict(zip(names, map(float, scheme.weights), strict=True)),
            accuracy=accuracy,
            over_best=over[0],
            over_ties_broken=tuple(over[1:]),
            where_best_chooses=where_best_chooses(_combine(items, scheme.weights)),
        )

    return Panels(
        best=names[best],
        accuracy=_measure_fixed(items, own),
        chooses=float(times @ choosing / (times @ ~np.isnan(own))),
        best_where_it_chooses=where_best_chooses(own),
        ties_broken=tuple(
            TiesBroken(by=by, next=names[other], accuracy=_measure_fixed(items, rival))
            for (other, by), rival in zip(broken.items(), rivals[1:], strict=True)
        ),
        rows=tuple(map(build_row, schemes)),
        left_out=left_out,
        questions=len(items.counts),
        items=int(times.sum()),
        samples=samples,
    )


def _weigh(
    ballots: Ballots, names: Sequence[str], draws: Floats
) -> tuple[list[_Scheme], dict[str, str]]:
    """Return the schemes that these ballots allow, and why the others are left out."""
    even = np.full(len(names), 1.0 / len(names))
    schemes = [_Scheme(name="equal", weights=even, drawn=even[None])]
    left_out: dict[str, str] = {}
    authors, of = number_authors(ballots)
    known = bool((of[np.unique(ballots.comparison[ballots.readable])] >= 0).all())
    for kind in Scheme:
        if {ballots.name_contestant(name) for name in names}.isdisjoint(authors):
            left_out[kind.value] = _NO_PEERS
            continue
        try:
            schemes.append(_weigh_peers(ballots, names, draws, kind))
        except (DataError, ConvergenceError) as cause:
            left_out[kind.value] = str(cause)
    several = len(authors) < len(np.unique(ballots.comparison[ballots.readable]))
    fitted = fit_slopes(ballots, by_author=known and several)
    if fitted is None:
        left_out["slopes"] = "the fit does not settle"
    else:
        drawn = fitted.weigh_samples(draws)
        schemes.append(_Scheme(name="slopes", weights=fitted.weigh(), drawn=drawn))
    return schemes, left_out


def _weigh_peers(ballots: Ballots, names: Sequence[str], draws: Floats, kind: Scheme) -> _Scheme:
    played = build_tournament(ballots, reviewers=names)
    held = peer_rank(played, scheme=kind).weights
    codes: list[int] = np.unique(ballots.question).tolist()
    place = {ballots.questions[code]: k for k, code in enumerate(codes)}
    columns = [place[name] for name in played.questions]
    drawn, _ = weigh_samples(played, draws[:, columns], scheme=kind)
    at = [played.reviewers.index(name) for name in names]
    return _Scheme(
        name=kind.value, weights=np.array([held[name] for name in names]), drawn=drawn[:, at]
    )


def _count_items(golden: Ballots, draws: Floats) -> _Items:
    item, first = group_rows(golden.comparison, golden.swapped)
    items = golden.where(first)
    scores = score_items(golden, item)
    gold = score_of(items.gold, items.first)
    table = np.column_stack([scores, gold])
    # NaN is unlike itself, so that missing scores would never be one cell.
    _, at, cell = np.unique(
        np.where(np.isnan(table), 9.0, table), axis=0, return_index=True, return_inverse=True
    )
    question = number_clusters(items.question)
    shape = (int(question.max()) + 1, len(at))
    counts = np.bincount(question * shape[1] + cell.ravel(), minlength=shape[0] * shape[1])
    return _Items(
        cell=cell.ravel(),
        question=question,
        scores=scores[at],
        gold=gold[at],
        counts=counts.reshape(shape).astype(np.float64),
        draws=draws,
    )


def _list_next(
    schemes: Sequence[_Scheme], order: npt.NDArray[np.intp], names: Sequence[str]
) -> dict[int, str]:
    """Return who breaks the ties of the best member, with `weight` or `accuracy` or both."""
    best, by_accuracy = int(order[0]), int(order[1])
    found = next((one for one in schemes if one.name == Scheme.PRD.value), None)
    if found is None:
        return {by_accuracy: "accuracy"}
    others = [number for number in range(len(names)) if number != best]
    by_weight = max(others, key=lambda number: found.weights[number])
    if by_weight == by_accuracy:
        return {by_weight: "weight and accuracy"}
    return {by_weight: "weight", by_accuracy: "accuracy"}


def _break_ties(own: Floats, other: Floats) -> Floats:
    """Return verdicts with the other's verdict for a tie, as far as the other has one."""
    return np.where((own == 0.0) & ~np.isnan(other), np.sign(other), own)


def _combine(items: _Items, weights: Floats) -> Floats:
    return combine_scores(items.scores, weights[None])[:, 0]


def _measure_scheme(
    items: _Items, scheme: _Scheme, rivals: Sequence[Floats]
) -> tuple[Measurement, list[Measurement]]:
    """Return the accuracy of the panel, and the accuracy minus that of each rival.

    A difference is over the items on which both have a verdict.
    """
    # A rival that is never right, and judged all, stands for none: the accuracy itself.
    known = [np.ones_like(items.gold), *(1.0 - np.isnan(rival) for rival in rivals)]
    hits = [np.zeros_like(items.gold), *((rival == items.gold) * 1.0 for rival in rivals)]
    met, lost = np.column_stack(known), np.column_stack(hits)

    def count(verdict: Floats, times: Floats) -> tuple[Floats, Floats]:
        both = times * ~np.isnan(verdict)
        gained = (both * (verdict == items.gold)) @ met
        return gained - both @ lost, both @ met

    above, below = count(_combine(items, scheme.weights)[None], items.counts.sum(axis=0)[None])
    fixed = len(scheme.drawn) == 1
    drawn = np.concatenate(
        [
            divide_known(*count(combine_scores(items.scores, scheme.drawn[one]).T, times))
            for part, times in items.split()
            for one in [slice(None) if fixed else part]
        ]
    )
    limits = [SHARE, *[DIFFERENCE] * len(rivals)]
    measured = [
        _bound(items, above[0, k], below[0, k], drawn[:, k], limits[k]) for k in range(len(limits))
    ]
    own = _measure_fixed(items, _combine(items, scheme.weights)) if fixed else measured[0]
    return own, measured[1:]


def _measure_fixed(items: _Items, verdict: Floats) -> Measurement:
    """Return the accuracy of verdicts by cell that do not depend on the sample."""
    known = ~np.isnan(verdict)[items.cell]
    right = (verdict == items.gold)[items.cell]
    return measure_mean(right[known], items.question[known], limits=SHARE)


def _bound(
    items: _Items, above: float, below: float, drawn: Floats, limits: tuple[float, float]
) -> Measurement:
    value = float(above / below) if below else nan
    return make_measurement(value, drawn, clusters=len(items.counts), n=int(below), limits=limits)
