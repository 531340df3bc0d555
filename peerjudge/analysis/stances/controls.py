"""What a change of opinion owes to the argument: discussions beside their controls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from peerjudge.analysis.inference import PairedDifference, holm, paired_bootstrap
from peerjudge.analysis.intervals import SHARE, bootstrap_mean
from peerjudge.analysis.stances.records import CONTRADICTED, Discussion
from peerjudge.data import Control, EventKind, Measurement, Noun, OpinionEvent, Verdict, replace

__all__ = ["Controlled", "compare_controls"]


class Controlled(Noun, frozen=True, kw_only=True):
    """How often a reviewer (`None`: all) altered at its first turn after hearing, if contradicted.

    Later turns are left out: who is where by then depends on what was altered before, and differs
    between a discussion and its controls. `contradicted_by_gold` and `contradicted_by_wrong` are the
    same share where what was heard was gold, and where it was not: whoever goes by reasons alters
    more often in the first case. `beside` is the condition without a control that this is one of
    (same protocol, options, prompts and reviewers), and `difference` the share altered there minus
    the share altered here, over the questions in which both have a contradiction; `holm` is its
    p-value adjusted for all differences. All bounds resample questions.
    """

    condition: str
    control: Control
    reviewer: str | None
    altered: Measurement
    contradicted_by_gold: Measurement
    contradicted_by_wrong: Measurement
    beside: str | None
    difference: PairedDifference | None
    holm: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _First:
    """The first event of a seat in a discussion in which it was contradicted."""

    question: str
    reviewer: str
    altered: float
    heard: Verdict
    gold: Verdict | None


def compare_controls(
    discussions: Iterable[Discussion], *, seed: int = 0, samples: int = 2000
) -> tuple[Controlled, ...]:
    """A row for all and one per reviewer, for every condition that is a control or has one."""
    families: defaultdict[tuple[object, ...], dict[str, list[Discussion]]] = defaultdict(dict)
    for one in discussions:
        family = families[one.protocol, one.setting, one.reviewers]
        family.setdefault(one.condition, []).append(one)
    rows: list[Controlled] = []
    for family in families.values():
        if any(group[0].control != "none" for group in family.values()):
            rows += _family(family, seed=seed, samples=samples)
    return _adjusted(rows)


def _family(
    family: Mapping[str, Sequence[Discussion]], *, seed: int, samples: int
) -> list[Controlled]:
    firsts = {name: [_firsts(one) for one in group] for name, group in family.items()}
    said = {name: [first for found in groups for first in found] for name, groups in firsts.items()}
    real = next((name for name, group in family.items() if group[0].control == "none"), None)
    rows: list[Controlled] = []
    for name, group in family.items():
        reviewers = dict.fromkeys(seat.reviewer for one in group for seat in one.seats)
        for reviewer in (None, *reviewers):
            here = _of(said[name], reviewer)
            beside = real if group[0].control != "none" else None
            there = [] if beside is None else _of(said[beside], reviewer)
            rows.append(
                Controlled(
                    condition=name,
                    control=group[0].control,
                    reviewer=reviewer,
                    altered=_share(here, lambda _: True, seed, samples),
                    contradicted_by_gold=_share(here, _by_gold, seed, samples),
                    contradicted_by_wrong=_share(here, _by_wrong, seed, samples),
                    beside=beside,
                    difference=_difference(there, here, seed=seed, samples=samples),
                    holm=None,
                )
            )
    return rows


def _firsts(one: Discussion) -> list[_First]:
    events: dict[str, OpinionEvent] = {}
    for move in one.moves:
        events.setdefault(move.event.seat, move.event)
    return [
        _First(
            question=one.question,
            reviewer=event.reviewer,
            altered=float(event.kind is EventKind.ALTERED),
            heard=event.others,
            gold=one.gold,
        )
        for event in events.values()
        if event.kind in CONTRADICTED
    ]


def _of(firsts: Iterable[_First], reviewer: str | None) -> list[_First]:
    return [first for first in firsts if reviewer in (None, first.reviewer)]


def _by_gold(first: _First) -> bool:
    return first.gold is not None and first.heard == first.gold


def _by_wrong(first: _First) -> bool:
    return first.gold is not None and first.heard != first.gold


def _share(
    firsts: Sequence[_First], among: Callable[[_First], bool], seed: int, samples: int
) -> Measurement:
    found = [first for first in firsts if among(first)]
    questions = [first.question for first in found]
    values = [first.altered for first in found]
    return bootstrap_mean(values, questions, limits=SHARE, seed=seed, samples=samples)


def _difference(
    there: Sequence[_First], here: Sequence[_First], *, seed: int, samples: int
) -> PairedDifference | None:
    without, within = _by_question(there), _by_question(here)
    questions = [question for question in without if question in within]
    if not questions:
        return None
    differences = [without[question] - within[question] for question in questions]
    return paired_bootstrap(differences, questions, seed=seed, samples=samples)


def _by_question(firsts: Iterable[_First]) -> Mapping[str, float]:
    altered: defaultdict[str, list[float]] = defaultdict(list)
    for first in firsts:
        altered[first.question].append(first.altered)
    return {question: sum(found) / len(found) for question, found in altered.items()}


def _adjusted(rows: Sequence[Controlled]) -> tuple[Controlled, ...]:
    p_values = [row.difference.p_value for row in rows if row.difference is not None]
    adjusted = iter(holm(p_values))
    return tuple(
        row if row.difference is None else replace(row, holm=next(adjusted)) for row in rows
    )
