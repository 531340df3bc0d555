"""Decisions of each condition after each round, with their accuracy; questions are the unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from peerjudge.analysis import build_tournament
from peerjudge.analysis.ballots import NONE, TIE, Ballots, Codes, Floats, Numbers, Stage
from peerjudge.analysis.grouping import count_earlier, list_distinct
from peerjudge.data import Measurement, Noun, Role, Scheme
from peerjudge.errors import ConvergenceError, DataError
from peerjudge.features.decisions.rules import RULES, Stances
from peerjudge.ranking import peer_rank
from peerjudge.statistics.interval import PairedDifference
from peerjudge.statistics.sampler import Sampler

__all__ = ["Confidences", "DecisionRow", "Decisions", "measure_decisions"]

Confidences = Mapping[tuple[str, int], float]
"""Stated confidence by discussion and turn."""

_OWN = ("last", "leader", "majority", "vote", "plurality")
"""Rules that may be that of a protocol without an option `outcome`, the first that fits."""


class DecisionRow(Noun, frozen=True, kw_only=True):
    """What one rule decides in one condition after a round: each seat's k-th turn in the open.

    A turn after another seat's k-th belongs to round k at least: a judge that hears two rounds to the second.
    `round` 0 is before the discussion, `rounds` the last. `own` marks the rule by which the protocol decides.
    `calls` are the mean calls of a discussion up to there. `decided` is the share of complete discussions
    with a readable decision, `right` the share of these that is gold. `over_last` is `right` minus that of
    the same rule after the last round, `over_own` minus that of the own rule after the same round, both over
    discussions that both decide. `as_stored` is the share with the stored outcome, `no_quorum` the
    number of those undecided for want of the declared quorum.
    """

    condition: str
    by: str
    own: bool
    round: int
    rounds: int
    calls: float
    discussions: int
    questions: int
    decided: Measurement
    right: Measurement | None
    over_last: PairedDifference | None
    over_own: PairedDifference | None
    as_stored: Measurement
    no_quorum: int = 0


class Decisions(Noun, frozen=True, kw_only=True):
    """Decisions of all conditions of several seats, controls left out."""

    rows: tuple[DecisionRow, ...]
    level: float
    questions: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Room:
    """The complete discussions of one condition, `moments` by round, and what is true of each discussion."""

    condition: str
    moments: Sequence[Stances]
    calls: Sequence[float]
    question: Numbers
    gold: Codes
    outcome: Codes
    rule: str
    quorum: str

    def decide(self, rule: str, after: int) -> Codes | None:
        """Return what a rule decides after a round; `None` where what it needs is not stored."""
        found, lacks = RULES[rule](self.moments[after]), self.moments[after].lack(self.quorum)
        return None if found is None else np.where(lacks, NONE, found)

    def find_own(self) -> str:
        """Return the judge's rule where that fits, else the declared, else the first that fits, else none."""
        declared = self.rule in RULES
        for rule in ("judge",) if declared else ("judge", *_OWN):
            if self._fits(rule):
                return rule
        return self.rule if declared else ""

    def _fits(self, rule: str) -> bool:
        """Return whether a rule gives every readable stored outcome at the end."""
        known, found = self.outcome >= TIE, self.decide(rule, -1)
        return found is not None and bool(known.any() and (found == self.outcome)[known].all())


def measure_decisions(
    ballots: Ballots, *, sampler: Sampler, confidences: Confidences | None = None
) -> Decisions:
    """Return what every rule decides in every condition after every round.

    Args:
        ballots: of a run.
        sampler: level of the intervals.
        confidences: what people stated.
    """
    rooms = list(_list_rooms(ballots, confidences or {}))
    asked = np.unique(np.concatenate([room.question for room in rooms])) if rooms else ()
    return Decisions(
        rows=tuple(row for room in rooms for row in _measure(room, sampler)),
        level=sampler.level,
        questions=len(asked),
    )


def _measure(room: _Room, sampler: Sampler) -> Iterator[DecisionRow]:
    own, rounds = room.find_own(), len(room.moments) - 1
    for rule in RULES:
        final = room.decide(rule, rounds)
        if final is None:
            continue
        for after in range(rounds + 1):
            found, usual = room.decide(rule, after), room.decide(own, after) if own else None
            assert found is not None  # noqa: S101  what is stored does not depend on the round
            decided = found >= TIE
            golden = decided & (room.gold != NONE)
            right = sampler.mean((found == room.gold)[golden], room.question[golden])
            yield DecisionRow(
                condition=room.condition,
                by=rule,
                own=rule == own,
                round=after,
                rounds=rounds,
                calls=room.calls[after],
                discussions=len(found),
                questions=len(np.unique(room.question)),
                decided=sampler.mean(decided, room.question),
                right=right if golden.any() else None,
                over_last=_compare(room, found, final, sampler) if after < rounds else None,
                over_own=_compare(room, found, usual, sampler) if own and rule != own else None,
                as_stored=sampler.mean(found == room.outcome, room.question),
                no_quorum=int(room.moments[after].lack(room.quorum).sum()),
            )


def _compare(
    room: _Room, ours: Codes, theirs: Codes | None, sampler: Sampler
) -> PairedDifference | None:
    """Return the difference of the shares right, over discussions with gold that both decide."""
    if theirs is None:
        return None
    both = (ours >= TIE) & (theirs >= TIE) & (room.gold != NONE)
    if not both.any():
        return None
    gold = room.gold[both]
    values = (ours[both] == gold).astype(np.float64) - (theirs[both] == gold)
    return sampler.difference(values, room.question[both])


def _list_rooms(ballots: Ballots, confidences: Confidences) -> Iterator[_Room]:
    facts = ballots.discussions
    wanted = facts.complete & (facts.seats > 1) & ~facts.controlled
    weights = _weigh_reviewers(ballots)
    for code in list_distinct(facts.condition[wanted]):
        own = ballots.of_discussions(wanted & (facts.condition == code))
        own = own.where((own.answers > 1) & (own.verdict > NONE))
        concluded = own.where(own.stage == Stage.CONCLUDED)
        concluded = concluded.where(np.argsort(concluded.discussion, kind="stable"))
        if len(concluded):
            yield _build(facts.conditions[code], own, concluded, weights, confidences)


def _build(
    condition: str,
    own: Ballots,
    concluded: Ballots,
    weights: Mapping[str, float],
    confidences: Confidences,
) -> _Room:
    facts, numbers = own.discussions, concluded.discussion
    said = own.where((own.seat >= 0) & np.isin(own.discussion, numbers))
    said = said.where(np.lexsort((said.turn, said.discussion)))
    public = said.stage == Stage.PUBLIC
    spoken = np.zeros(len(said), dtype=np.int64)
    spoken[public] = count_earlier(said.discussion[public], said.seat[public]) + 1
    place = np.searchsorted(numbers, said.discussion)
    # No turn is of an earlier round than one before it in its discussion.
    offset = place * (int(spoken.max(initial=0)) + 1)
    spoken = np.where(public, np.maximum.accumulate(spoken + offset) - offset, 0)
    rounds, widest = int(spoken.max(initial=0)), int(facts.seats[numbers].max())
    stated = _state_confidence(said, confidences)
    judges, weighted = np.zeros((len(numbers), widest), np.bool_), np.zeros((len(numbers), widest))
    for row, code in enumerate(facts.seating[numbers]):
        for seat, (reviewer, role, _) in enumerate(facts.seatings[int(code)]):
            judges[row, seat] = role == Role.JUDGE
            weighted[row, seat] = weights.get(reviewer, 0.0)

    def stand(after: int) -> Stances:
        """Return the stances after so many own turns; an unreadable turn leaves a stance."""
        rows = np.flatnonzero((spoken <= after) & said.readable)
        held = np.full((len(numbers), widest), NONE, dtype=np.int8)
        last = np.full(len(numbers), NONE, dtype=np.int8)
        held[place[rows], said.seat[rows]] = said.verdict[rows]
        last[place[rows]] = said.verdict[rows]
        confidence = None
        if stated is not None:
            confidence = np.full(held.shape, np.nan)
            confidence[place[rows], said.seat[rows]] = stated[rows]
        return Stances(
            held=held,
            last=last,
            judges=judges if judges.any() else None,
            weights=weighted if weights else None,
            confidence=confidence,
        )

    alone = float((facts.turns - facts.spoken)[numbers].mean())
    declared = dict(re.findall(r"(\w+)=(\w+)", facts.settings[int(facts.setting[numbers[0]])]))
    return _Room(
        condition=condition,
        moments=[stand(after) for after in range(rounds + 1)],
        calls=[
            alone + float((public & (spoken <= after)).sum()) / len(numbers)
            for after in range(rounds + 1)
        ],
        question=concluded.question,
        gold=concluded.gold,
        outcome=np.where(concluded.readable, concluded.verdict, NONE),
        rule=declared.get("outcome", ""),
        quorum=declared.get("quorum", ""),
    )


def _state_confidence(said: Ballots, confidences: Confidences) -> Floats | None:
    """Return the confidence stated with each verdict, NaN without; `None` if nobody stated any here."""
    if not confidences:
        return None
    ids = said.discussions.ids
    places = zip(map(int, said.discussion), map(int, said.turn), strict=True)
    stated = np.array([confidences.get((ids[number], turn), np.nan) for number, turn in places])
    return None if np.isnan(stated).all() else stated


def _weigh_reviewers(ballots: Ballots) -> Mapping[str, float]:
    """Return the damped peer weights; none where they are all the same, as without contestants."""
    tournament = build_tournament(ballots.where(ballots.opening))
    with suppress(ConvergenceError, DataError):
        weights = peer_rank(tournament, scheme=Scheme.DAMPED).weights
        if max(weights.values()) - min(weights.values()) > 1e-9:
            return weights
    return {}
