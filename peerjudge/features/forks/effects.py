"""Effects of changes in forked discussions, against forks without a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import nan
from typing import TypeAlias

import numpy as np

from peerjudge.data import EventKind, Measurement, Noun, StopReason, Transcript, replace
from peerjudge.statistics.clusters import Floats, Numbers
from peerjudge.statistics.interval import PairedDifference
from peerjudge.statistics.sampler import Sampler
from peerjudge.statistics.testing import adjust_holm
from peerjudge.tracker import opinion_events

OUTCOMES = ("turned", "right", "altered")
"""What is measured of a fork: another conclusion than the parent's, the gold one, a seat that altered."""


class ForkContrast(Noun, frozen=True, kw_only=True):
    """An outcome under a change minus the same without one, on the plays that have both.

    `difference` is a mean over discussions of the mean over draws, with its test by question;
    `p_holm` is its p-value, adjusted for all tests of the table.
    """

    outcome: str
    discussions: int
    difference: PairedDifference
    p_holm: float = nan


class ForkRow(Noun, frozen=True, kw_only=True):
    """The forks under one change, or without one (an empty `change`).

    `plays` are complete forks of `discussions`; `unfinished` have failed or not ended, `unreadable` have
    no readable conclusion. Shares are means over discussions. `turned`: the conclusion is not the
    parent's; `towards` and `away`: it is gold and the parent's was not, or the reverse; `altered`: a seat
    altered its opinion in a turn that was played. A share is `None` where nothing can be counted.
    `contrasts` are empty without a change.
    """

    change: str
    discussions: int
    plays: int
    unfinished: int
    unreadable: int
    turned: Measurement | None
    towards: Measurement | None
    away: Measurement | None
    altered: Measurement | None
    contrasts: tuple[ForkContrast, ...] = ()

    def contrast(self, outcome: str) -> ForkContrast | None:
        """Return the contrast of an outcome, if it was measured."""
        return next((one for one in self.contrasts if one.outcome == outcome), None)


class ForkEffects(Noun, frozen=True, kw_only=True):
    """The table of a run of forks: one row without a change, then one for each change.

    `redraws` is the number of plays with new random draws; without any there are no contrasts.
    `tests` is the number of tests for which p-values are adjusted.
    """

    at: int
    redraws: int
    discussions: int
    questions: int
    tests: int
    rows: tuple[ForkRow, ...]
    simulated: bool
    level: float


_Plays: TypeAlias = dict[tuple[str, int], dict[str, float]]
"""By parent and draw the outcomes of each complete fork under one change, NaN where one cannot be told."""


def measure_forks(
    forks: Iterable[Transcript],
    parents: Mapping[str, Transcript],
    changes: Mapping[str, str],
    *,
    at: int,
    sampler: Sampler,
) -> ForkEffects:
    """Return what each change did, beside the forks of the same discussions without a change.

    A fork under a change is compared with the fork without one of the same parent and draw, never with
    the parent: parents that were chosen for their course would differ from any redraw of themselves.

    Args:
        forks: The forks of a run.
        parents: Their parents, by id.
        changes: The change of each condition of the run, empty for none.
        at: Number of turns that the forks keep.
        sampler: Seed and level of tests and intervals.
    """
    plays: dict[str, _Plays] = {change: {} for change in changes.values()}
    unfinished = Counter[str]()
    questions: dict[str, str] = {}
    simulated, heard, redraws = False, False, 0
    for fork in forks:
        if fork.fork is None or fork.fork.parent not in parents:
            continue
        parent, change = parents[fork.fork.parent], changes[fork.condition]
        redraws = max(redraws, fork.fork.draw)
        simulated |= fork.simulated
        if fork.stop is not StopReason.COMPLETE:
            unfinished[change] += 1
            continue
        questions[parent.id] = parent.comparison.question.id
        events = opinion_events(fork)
        heard |= bool(events)
        altered = any(event.turn >= at and event.kind is EventKind.ALTERED for event in events)
        plays[change][parent.id, fork.fork.draw] = {
            **_compare_conclusions(fork, parent),
            "altered": float(altered),
        }
    if not heard:
        # Where no seat hears another, as in votes, no opinion can be altered.
        for outcomes in chain.from_iterable(played.values() for played in plays.values()):
            outcomes["altered"] = nan
    number = {name: place for place, name in enumerate(dict.fromkeys(questions.values()))}
    of_parent = {parent: number[name] for parent, name in questions.items()}
    rows = [
        _build_row(change, unfinished[change], played, plays.get("", {}), of_parent, sampler)
        for change, played in plays.items()
    ]
    p_values = [contrast.difference.p_value for row in rows for contrast in row.contrasts]
    return ForkEffects(
        at=at,
        redraws=redraws,
        discussions=len(questions),
        questions=len(number),
        tests=sum(value == value for value in p_values),
        rows=tuple(_adjust(rows, iter(adjust_holm(p_values)))),
        simulated=simulated,
        level=sampler.level,
    )


def _adjust(rows: Iterable[ForkRow], adjusted: Iterator[float]) -> Iterator[ForkRow]:
    for row in rows:
        contrasts = tuple(replace(one, p_holm=next(adjusted)) for one in row.contrasts)
        yield replace(row, contrasts=contrasts)


def _compare_conclusions(fork: Transcript, parent: Transcript) -> dict[str, float]:
    gold, before, now = parent.comparison.gold, parent.verdict, fork.verdict
    known = before.readable and now.readable
    golden = gold is not None and now.readable
    return {
        "turned": float(now != before) if known else nan,
        "right": float(now == gold) if golden else nan,
        "towards": float(now == gold and before != gold) if known and golden else nan,
        "away": float(before == gold and now != gold) if known and golden else nan,
        "unreadable": float(not now.readable),
    }


def _build_row(
    change: str,
    unfinished: int,
    played: _Plays,
    redrawn: _Plays,
    questions: Mapping[str, int],
    sampler: Sampler,
) -> ForkRow:
    shares: dict[str, Measurement | None] = {}
    for name in ("turned", "towards", "away", "altered"):
        values, clusters = _average({key: play[name] for key, play in played.items()}, questions)
        shares[name] = sampler.mean(values, clusters, limits=(0.0, 1.0)) if len(values) else None
    return ForkRow(
        change=change,
        discussions=len({parent for parent, _ in played}),
        plays=len(played),
        unfinished=unfinished,
        unreadable=sum(play["unreadable"] > 0.0 for play in played.values()),
        **shares,
        contrasts=tuple(_contrast(played, redrawn, questions, sampler)) if change else (),
    )


def _contrast(
    played: _Plays, redrawn: _Plays, questions: Mapping[str, int], sampler: Sampler
) -> Sequence[ForkContrast]:
    """Return the contrasts with the redraws; a play with the draws of the parent is none of them."""
    pairs = [key for key in played if key in redrawn and key[1] > 0]
    contrasts: list[ForkContrast] = []
    for outcome in OUTCOMES:
        differences = {key: played[key][outcome] - redrawn[key][outcome] for key in pairs}
        values, clusters = _average(differences, questions)
        if len(values):
            difference = sampler.difference(values, clusters)
            contrasts.append(
                ForkContrast(outcome=outcome, discussions=len(values), difference=difference)
            )
    return contrasts


def _average(
    values: Mapping[tuple[str, int], float], questions: Mapping[str, int]
) -> tuple[Floats, Numbers]:
    """Return the mean over draws by parent, without NaN, and the question of each parent."""
    by_parent: dict[str, list[float]] = {}
    for (parent, _), value in values.items():
        if not np.isnan(value):
            by_parent.setdefault(parent, []).append(value)
    means = np.array([sum(one) / len(one) for one in by_parent.values()], dtype=np.float64)
    clusters = np.array([questions[parent] for parent in by_parent], dtype=np.int32)
    return means, clusters
