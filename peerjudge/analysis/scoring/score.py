"""Scores every judge of a source against gold: its accuracy, by group, and our own reading of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from operator import attrgetter

from peerjudge.analysis.scoring.cells import Resampling, measure
from peerjudge.analysis.scoring.groups import gold_rows
from peerjudge.analysis.scoring.nouns import (
    Cell,
    Disagreement,
    Judge,
    Judged,
    Judgement,
    OwnReading,
    Score,
    Scores,
)
from peerjudge.analysis.scoring.ratings import correlations
from peerjudge.data import Verdict
from peerjudge.errors import DataError

__all__ = ["score"]


def score(
    judged: Judged, *, by: str = "", seed: int = 0, samples: int = 2000, level: float = 0.95
) -> Scores:
    """Accuracy of every judge against gold, in all and by group; ratings by correlation.

    Args:
        judged: from `judged_from_dataset` or `judged_from_transcripts`.
        by: `subset`, `category`, `labeler` or a key of the comparisons' `meta`; see `gold_rows`.
        seed: of the resampling of questions that makes the intervals.
        samples: how many.
        level: of the intervals.

    Raises:
        DataError: nothing has a gold, or nothing can be grouped so.
    """
    resampling = Resampling(seed=seed, samples=samples, level=level)
    rated = correlations(judged, resampling=resampling)
    if rated and by:
        msg = f"ratings are scored by aspect, not by {by!r}; leave --by out"
        raise DataError(msg)
    rows, groups = gold_rows(judged, by)
    compared = [one for one in judged.judgements if len(one.shown) > 1]

    cells = partial(
        measure,
        compared,
        comparisons=judged.comparisons,
        rows=rows,
        groups=groups,
        resampling=resampling,
    )
    recorded = cells(attrgetter("verdict"))
    scored = {judge: found for judge, found in recorded.items() if "" in found}
    if not (scored or rated):
        msg = f"no judgement in {judged.name} has a gold to be scored against"
        raise DataError(msg)
    own = cells(attrgetter("own"))
    met = {row.comparison for row in rows}
    reread: defaultdict[Judge, list[Judgement]] = defaultdict(list)
    for one in compared:
        if one.own is not None and one.comparison in met:
            reread[one.judge].append(one)
    return Scores(
        source=judged.name,
        by=by,
        groups=groups,
        simulated=judged.simulated,
        seed=seed,
        level=level,
        left_out=judged.left_out,
        scores=tuple(
            Score(
                judge=judge,
                total=found[""],
                groups=_without_total(found),
                own_reading=_own_reading(own.get(judge, {}), reread[judge]),
            )
            for judge, found in scored.items()
        ),
        correlations=rated,
        disagreements=tuple(one for found in reread.values() for one in _disagreements(found)),
        ratings=judged.ratings,
    )


def _without_total(found: Mapping[str, Cell]) -> dict[str, Cell]:
    return {group: cell for group, cell in found.items() if group}


def _own_reading(found: Mapping[str, Cell], reread: Sequence[Judgement]) -> OwnReading | None:
    if "" not in found:
        return None
    kinds = Counter(_kind(one.verdict, one.own) for one in reread if one.own is not None)
    return OwnReading(
        total=found[""],
        groups=_without_total(found),
        same=kinds["same"],
        different=kinds["different"],
        only_recorded=kinds["only_recorded"],
        only_own=kinds["only_own"],
    )


def _kind(recorded: Verdict, own: Verdict) -> str:
    """How the two go together; two that are both without a stance are the same."""
    if recorded == own or not (recorded.readable or own.readable):
        return "same"
    if recorded.readable and own.readable:
        return "different"
    return "only_recorded" if recorded.readable else "only_own"


def _disagreements(reread: Sequence[Judgement]) -> list[Disagreement]:
    return [
        Disagreement(
            judge=one.judge,
            comparison=one.comparison,
            shown=one.shown,
            recorded=one.verdict,
            own=one.own,
            rule=one.rule,
            text=one.text,
        )
        for one in reread
        if one.own is not None and _kind(one.verdict, one.own) != "same"
    ]
