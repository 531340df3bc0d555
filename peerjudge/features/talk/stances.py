"""Stances of every seat round by round, and its contradictions, as columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from peerjudge.analysis.ballots import NONE, TIE, Ballots, Bools, Codes, Floats, Numbers, Stage
from peerjudge.analysis.grouping import Ints, count_earlier, group_rows, list_distinct
from peerjudge.analysis.influence import CONTRADICTED, is_event

__all__ = ["Room", "list_rooms"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Room:
    """The complete discussions of one condition.

    A unit is a seat of a discussion with a readable private verdict. By unit: `discussion`, `seat`,
    `reviewer`, `comparison`, `question`, `gold`, the number of `answers`, the answer shown `first`, the
    `longest` one (`NONE` where two are), and `stances` `[unit, r]`, its last readable verdict among its
    private turns and its own first r public turns. By discussion: `outcome`. `contradicted` are the rows
    of `ballots` in which a unit spoke after hearing another stance, in the order of their turns, `unit` their
    units, and `alone` is true where no other seat held the unit's stance. `left_out` counts seats without
    a readable private verdict.
    """

    condition: str
    ballots: Ballots
    discussion: Numbers
    seat: Numbers
    reviewer: Numbers
    comparison: Numbers
    question: Numbers
    gold: Codes
    answers: Numbers
    first: Codes
    longest: Codes
    stances: Codes
    numbers: Numbers
    outcome: Codes
    contradicted: Ints
    unit: Ints
    alone: Bools
    left_out: int

    @property
    def rounds(self) -> int:
        """The most public turns of a seat."""
        return self.stances.shape[1] - 1

    @property
    def golden(self) -> Bools:
        """True for the units whose comparison has gold."""
        return self.gold != NONE

    def right(self, after: int) -> Floats:
        """Return 1 where the stance after so many own turns is gold, else 0; a tie only where gold is one."""
        return (self.stances[:, after] == self.gold).astype(np.float64)

    @property
    def place(self) -> Ints:
        """The place of each unit's discussion in `numbers`."""
        return np.searchsorted(self.numbers, self.discussion)

    def own_vote(self) -> Floats:
        """Return by discussion the chance that a plurality of the private stances is right, draws by lot."""
        widest = 1 - TIE + int(self.stances[:, 0].max(initial=0))
        votes = np.zeros((len(self.numbers), widest), dtype=np.int64)
        np.add.at(votes, (self.place, self.stances[:, 0] - TIE), 1)
        first = votes == votes.max(axis=1, keepdims=True)
        gold = self.gold_of()
        known = np.flatnonzero((gold >= TIE) & (gold - TIE < widest))
        chance = np.zeros(len(self.numbers))
        hit = first[known, gold[known] - TIE]
        chance[known] = hit / first[known].sum(axis=1)
        return chance

    def gold_of(self) -> Codes:
        """Return gold by discussion."""
        gold = np.full(len(self.numbers), NONE, dtype=np.int8)
        gold[self.place] = self.gold
        return gold

    def count_right(self) -> tuple[Ints, Ints]:
        """Return by discussion how many units there are, and how many hold gold in private."""
        size = len(self.numbers)
        hit = (self.stances[:, 0] == self.gold) & self.golden
        return (
            np.bincount(self.place, minlength=size),
            np.bincount(self.place[hit], minlength=size),
        )

    def question_of(self) -> Numbers:
        """Return the question by discussion."""
        question = np.zeros(len(self.numbers), dtype=np.int32)
        question[self.place] = self.question
        return question


def list_rooms(ballots: Ballots, *, controls: bool = False) -> Iterator[Room]:
    """Yield the discussions of each condition in which seats heard each other; or its controls.

    Args:
        ballots: of a run.
        controls: yield conditions that are controls, in place of the others.
    """
    facts = ballots.discussions
    wanted = facts.complete & facts.discussed & (facts.controlled == controls)
    for code in list_distinct(facts.condition[wanted]):
        own = ballots.of_discussions(wanted & (facts.condition == code))
        room = _build(facts.conditions[code], own.where(own.answers > 1))
        if room is not None:
            yield room


def _build(condition: str, own: Ballots) -> Room | None:
    """Return a room; `None` where no seat has a readable private verdict."""
    opening = own.where(own.opening & (own.seat >= 0))
    begun = opening.where(opening.readable)
    if not len(begun):
        return None
    said = own.where((own.stage == Stage.PUBLIC) & (own.seat >= 0))
    said = said.where(np.lexsort((said.turn, said.discussion)))
    widest = int(own.seat.max()) + 1
    codes = np.full((len(own.discussions), widest), -1, dtype=np.int64)
    codes[begun.discussion, begun.seat] = np.arange(len(begun))
    unit = codes[said.discussion, said.seat]
    said, unit = said.where(unit >= 0), unit[unit >= 0]
    concluded = own.where(own.stage == Stage.CONCLUDED)
    concluded = concluded.where(np.isin(concluded.discussion, begun.discussion))
    concluded = concluded.where(np.argsort(concluded.discussion, kind="stable"))
    met = np.flatnonzero(is_event(said.event, *CONTRADICTED))
    return Room(
        condition=condition,
        ballots=said,
        discussion=begun.discussion,
        seat=begun.seat,
        reviewer=begun.reviewer,
        comparison=begun.comparison,
        question=begun.question,
        gold=begun.gold,
        answers=begun.answers,
        first=begun.first,
        longest=_find_longest(begun),
        stances=_follow(begun.verdict, said, unit),
        numbers=concluded.discussion,
        outcome=concluded.verdict,
        contradicted=met,
        unit=unit[met],
        alone=_find_alone(begun, said, widest)[met],
        left_out=len(opening) - len(begun),
    )


def _find_longest(begun: Ballots) -> Codes:
    """Return the longest answer of each ballot's comparison; `NONE` where no single one is."""
    lengths = begun.lengths[begun.comparison]
    longest = lengths.argmax(axis=1)
    single = (lengths == lengths.max(axis=1, keepdims=True)).sum(axis=1) == 1
    return np.where(single, longest, NONE).astype(np.int8)


def _follow(private: Codes, said: Ballots, unit: Ints) -> Codes:
    """Return the stances by unit and number of own turns; an unreadable turn leaves the stance."""
    number = count_earlier(unit) + 1
    stances = np.repeat(private[:, None], int(number.max(initial=0)) + 1, axis=1)
    for turn in range(1, stances.shape[1]):
        stances[:, turn] = stances[:, turn - 1]
        rows = (number == turn) & said.readable
        stances[unit[rows], turn] = said.verdict[rows]
    return stances


def _find_alone(begun: Ballots, said: Ballots, widest: int) -> Bools:
    """Return for every public turn whether no other seat held the speaker's stance before it."""
    group, _ = group_rows(begun.discussion)
    places = np.full(len(begun.discussions), -1, dtype=np.int64)
    places[begun.discussion] = group
    held = np.full((int(group.max(initial=-1)) + 1, widest), NONE, dtype=np.int8)
    held[group, begun.seat] = begun.verdict
    room, alone = places[said.discussion], np.zeros(len(said), dtype=np.bool_)
    rank = count_earlier(said.discussion)
    for turn in range(int(rank.max(initial=-1)) + 1):
        rows = np.flatnonzero(rank == turn)
        at, seat = room[rows], said.seat[rows]
        own = held[at, seat]
        alone[rows] = (held[at] == own[:, None]).sum(axis=1) == 1
        known = said.readable[rows]
        held[at[known], seat[known]] = said.verdict[rows[known]]
    return alone
