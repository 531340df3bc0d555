"""Discussions beside their controls: what a change of opinion owes to the argument."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from peerjudge.analysis.ballots import NONE, Ballots, Bools, Floats, Numbers
from peerjudge.analysis.grouping import average_by_group, group_rows, list_distinct
from peerjudge.analysis.influence import CONTRADICTED, is_event
from peerjudge.data import Control, EventKind, Measurement, Noun, replace
from peerjudge.statistics.interval import PairedDifference
from peerjudge.statistics.sampler import Sampler
from peerjudge.statistics.testing import adjust_holm


class Controlled(Noun, frozen=True, kw_only=True):
    """Share of first turns after hearing at which a reviewer (`None`: all) altered, if contradicted.

    Later turns are left out: the stances by then depend on what was altered before, and differ
    between a discussion and its controls. `contradicted_by_gold` and `contradicted_by_wrong` are the
    same share where what was heard was gold, and where it was not: a reviewer that follows reasons
    alters more often in the first case. `beside` is the condition without a control that this is one
    of (same protocol, options, prompts and reviewers), and `difference` the share altered there minus
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


def compare_controls(ballots: Ballots, *, sampler: Sampler) -> tuple[Controlled, ...]:
    """Return a row for all reviewers and one for each, per condition that is a control or has one.

    Args:
        ballots: of complete discussions.
        sampler: settings of the resampling.
    """
    discussions = ballots.discussions
    numbers = np.array(list_distinct(ballots.discussion), dtype=np.intp)
    panels = [tuple(sorted(name for name, _, _ in seats)) for seats in discussions.seatings]
    codes = {panel: code for code, panel in enumerate(panels)}
    panel = np.array([codes[one] for one in panels], dtype=np.int64)[discussions.seating[numbers]]
    family, first = group_rows(discussions.protocol[numbers], discussions.setting[numbers], panel)
    rows: list[Controlled] = []
    for code in range(len(first)):
        conditions: dict[int, Bools] = {}
        for number in numbers[family == code].tolist():
            condition = int(discussions.condition[number])
            if condition not in conditions:
                conditions[condition] = np.zeros(len(discussions), dtype=np.bool_)
            conditions[condition][number] = True
        rows += _family(ballots, conditions, sampler)
    return _adjusted(rows)


def _family(
    ballots: Ballots, conditions: Mapping[int, Bools], sampler: Sampler
) -> list[Controlled]:
    """Return the rows of conditions that differ in the control only, none where all are the same."""
    discussions = ballots.discussions
    controls: dict[int, Control] = {
        condition: discussions.controls[int(discussions.control[np.argmax(chosen)])]
        for condition, chosen in conditions.items()
    }
    if set(controls.values()) == {"none"}:
        return []
    firsts = {
        condition: _first_contradictions(ballots.of_discussions(chosen))
        for condition, chosen in conditions.items()
    }
    real = next((condition for condition, one in controls.items() if one == "none"), None)
    rows: list[Controlled] = []
    for condition, chosen in conditions.items():
        beside = real if controls[condition] != "none" else None
        seats = discussions.list_seats(chosen)
        for reviewer in (None, *dict.fromkeys(reviewer for reviewer, _, _ in seats)):
            here = _by(firsts[condition], reviewer)
            known = here.gold != NONE
            by_gold = known & (here.others == here.gold)
            altered, question = is_event(here.event, EventKind.ALTERED), here.question
            rows.append(
                Controlled(
                    condition=discussions.conditions[condition],
                    control=controls[condition],
                    reviewer=reviewer,
                    altered=sampler.mean(altered, question),
                    contradicted_by_gold=sampler.mean(altered[by_gold], question[by_gold]),
                    contradicted_by_wrong=sampler.mean(
                        altered[known & ~by_gold], question[known & ~by_gold]
                    ),
                    beside=None if beside is None else discussions.conditions[beside],
                    difference=(
                        None
                        if beside is None
                        else _difference(_by(firsts[beside], reviewer), here, sampler)
                    ),
                    holm=None,
                )
            )
    return rows


def _first_contradictions(ballots: Ballots) -> Ballots:
    """Return the first event of every seat of every discussion, if it was contradicted there."""
    events = ballots.where(is_event(ballots.event))
    firsts = events.where(group_rows(events.discussion, events.seat)[1])
    return firsts.where(is_event(firsts.event, *CONTRADICTED))


def _by(firsts: Ballots, reviewer: str | None) -> Ballots:
    if reviewer is None:
        return firsts
    return firsts.where(firsts.reviewer == firsts.reviewers.index(reviewer))


def _difference(there: Ballots, here: Ballots, sampler: Sampler) -> PairedDifference | None:
    questions, without = _by_question(there)
    others, within = _by_question(here)
    known = dict(zip(others.tolist(), within.tolist(), strict=True))
    shared = np.isin(questions, others)
    if not shared.any():
        return None
    same = np.array([known[question] for question in questions[shared].tolist()])
    return sampler.difference(without[shared] - same, questions[shared])


def _by_question(firsts: Ballots) -> tuple[Numbers, Floats]:
    """Return the questions in order of appearance, and the share altered in each."""
    group, first = group_rows(firsts.question)
    altered = is_event(firsts.event, EventKind.ALTERED)
    return firsts.question[first], average_by_group(group, altered, len(first))


def _adjusted(rows: Sequence[Controlled]) -> tuple[Controlled, ...]:
    p_values = [row.difference.p_value for row in rows if row.difference is not None]
    adjusted = iter(adjust_holm(p_values))
    return tuple(
        row if row.difference is None else replace(row, holm=next(adjusted)) for row in rows
    )
