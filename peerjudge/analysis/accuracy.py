"""How often verdicts are right, and how far the unreadable ones could move that."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from peerjudge.analysis.intervals import SHARE, bootstrap_mean, proportion
from peerjudge.data import Measurement, Verdict

__all__ = ["Accuracy", "accuracy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """The share of readable verdicts that equal the gold, and what the unreadable could make of it.

    `worst_case` and `best_case` are the shares if every unreadable verdict were wrong or right.
    """

    measured: Measurement
    unreadable: int
    worst_case: float
    best_case: float


def accuracy(
    judged: Iterable[tuple[Verdict, Verdict]],
    *,
    clusters: Iterable[Hashable] | None = None,
    seed: int = 0,
    samples: int = 2000,
    level: float = 0.95,
) -> Accuracy:
    """Accuracy of verdicts against golds. A tie is right exactly when the gold is a tie.

    Args:
        judged: pairs of a verdict and its gold; pairs without a readable gold are passed over.
        clusters: the question of each pair: the bounds then resample questions. Without, they are
            Wilson's, for independent verdicts.
        seed: of the resampling.
        samples: how many.
        level: of the interval.
    """
    pairs = list(judged)
    names = list(range(len(pairs))) if clusters is None else list(clusters)
    known = [
        (verdict, gold, name)
        for (verdict, gold), name in zip(pairs, names, strict=True)
        if gold.readable
    ]
    readable = [(verdict == gold, name) for verdict, gold, name in known if verdict.readable]
    right = sum(hit for hit, _ in readable)
    unreadable = len(known) - len(readable)
    if clusters is None:
        measured = proportion(right, len(readable), level=level)
    else:
        hits, at = [float(hit) for hit, _ in readable], [name for _, name in readable]
        measured = bootstrap_mean(hits, at, limits=SHARE, seed=seed, samples=samples, level=level)
    return Accuracy(
        measured=measured,
        unreadable=unreadable,
        worst_case=proportion(right, len(known)).value,
        best_case=proportion(right + unreadable, len(known)).value,
    )
