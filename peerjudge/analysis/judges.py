"""Judges: the ballots that are scored together, by reviewer, condition and stance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

import numpy as np

from peerjudge.analysis.assembling import Vocabulary
from peerjudge.analysis.ballots import Ballots, Stage
from peerjudge.analysis.grouping import Column, group_rows
from peerjudge.analysis.selecting import HUMAN, explain_unjudged, name_people
from peerjudge.errors import DataError


class Judge(NamedTuple):
    """A reviewer whose verdicts are scored together, in a run under one condition.

    `reviewer` joins the names of reviewers that concluded together with ` & `. `condition` and
    `protocol` are empty outside runs. `stance` is `recorded` for the reviews of a dataset,
    `private` for those before the seat heard another one, and `concluded` for the conclusions of
    discussions.
    """

    reviewer: str
    condition: str = ""
    protocol: str = ""
    stance: Literal["recorded", "private", "concluded"] = "recorded"


def group_judges(
    ballots: Ballots, wanted: Sequence[str] | None
) -> tuple[Ballots, tuple[Judge, ...], set[str]]:
    """Return the ballots to score, with `reviewer` the number of the judge; the judges; the names.

    Of a run, these are the conclusions of complete discussions, and for several seats also what
    each thought before it heard another one. Their `order` is that of the discussion.

    Args:
        ballots: of a dataset or a run.
        wanted: names or patterns of reviewers, as in `GPT-4/*`, or `human` for all people; `None` selects
            all but humans.

    Raises:
        DataError: a pattern matches no reviewer, or there is no ballot to score.
    """
    if len(ballots.discussions):
        return _group_discussions(ballots, wanted)
    if wanted is not None and HUMAN in wanted:
        wanted = name_people(ballots, wanted)
    chosen = _match_names(ballots.reviewers, wanted, hidden=ballots.humans)
    if not chosen:
        if not ballots.reviewers:
            raise DataError(explain_unjudged(ballots, "to score"))
        names = ", ".join(sorted(ballots.reviewers)[:8])
        msg = (
            f"{ballots.name} has no reviews to score except by its labelers ({names}); score them with "
            "--reviewers human"
        )
        raise DataError(msg)
    codes = [code for code, name in enumerate(ballots.reviewers) if name in chosen]
    judged = ballots.where(np.isin(ballots.reviewer, codes))
    names = tuple(ballots.reviewers[code] for code in codes)
    numbers = np.searchsorted(codes, judged.reviewer).astype(np.int32)
    judges = tuple(Judge(name) for name in names)
    return replace(judged, reviewer=numbers, reviewers=names), judges, chosen


def key_judgements(ballots: Ballots) -> tuple[Column, ...]:
    """Return columns that are equal for judgements of a judge that differ in the order only."""
    own: tuple[Column, ...] = (ballots.reviewer, ballots.comparison)
    facts, at = ballots.discussions, ballots.discussion
    if not len(facts):
        return own
    return (*own, facts.repetition[at], facts.seating[at], ballots.seat)


def _group_discussions(
    ballots: Ballots, wanted: Sequence[str] | None
) -> tuple[Ballots, tuple[Judge, ...], set[str]]:
    judged = _order_rows(ballots)
    if not len(judged):
        msg = f"{ballots.name} has no complete discussion; run it first"
        raise DataError(msg)
    facts, at = ballots.discussions, judged.discussion
    concluded = judged.stage == Stage.CONCLUDED
    who = np.where(concluded, facts.seating[at], judged.reviewer)
    group, first = group_rows(concluded, who, facts.condition[at], facts.protocol[at])
    judges = Vocabulary[Judge]()
    numbers: list[int] = []
    people: list[set[str]] = []
    for row in first.tolist():
        seats = facts.seatings[facts.seating[at[row]]]
        names = {seat[0] for seat in seats} if concluded[row] else {seats[judged.seat[row]][0]}
        protocol = facts.protocols[facts.protocol[at[row]]]
        condition = facts.conditions[facts.condition[at[row]]] or protocol
        stance = "concluded" if concluded[row] else "private"
        people.append(names)
        numbers.append(judges[Judge(" & ".join(sorted(names)), condition, protocol, stance)])
    chosen = _match_names(sorted(set[str]().union(*people)), wanted)
    keep = np.array([names <= chosen for names in people], dtype=np.bool_)
    reviewer = np.array(numbers, dtype=np.int32)[group]
    names = tuple(judge.reviewer for judge in judges)
    judged = replace(judged, reviewer=reviewer, reviewers=names)
    return judged.where(keep[group]), tuple(judges), chosen


def _order_rows(ballots: Ballots) -> Ballots:
    """Return conclusions and opening stances by discussion, the conclusion first, then by seat."""
    facts, at = ballots.discussions, ballots.discussion
    concluded = ballots.stage == Stage.CONCLUDED
    private = ballots.opening & facts.complete[at] & (facts.seats[at] > 1)
    rows = np.flatnonzero(concluded | private)
    seat = np.where(concluded, -1, ballots.seat)[rows]
    ordered = ballots.where(rows[np.lexsort((seat, at[rows]))])
    return replace(ordered, order=facts.order[ordered.discussion])


def _match_names(
    present: Sequence[str], wanted: Sequence[str] | None, *, hidden: Iterable[str] = ()
) -> set[str]:
    if wanted is None:
        return set(present) - set(hidden)
    chosen: set[str] = set()
    for pattern in wanted:
        fitting = {name for name in present if fnmatchcase(name, pattern)}
        if not fitting:
            names = ", ".join(sorted(present)[:12]) + (", ..." if len(present) > 12 else "")
            msg = f"there are no reviews by {pattern!r}; reviews are by {names or 'no reviewer'}"
            raise DataError(msg)
        chosen |= fitting
    return chosen
