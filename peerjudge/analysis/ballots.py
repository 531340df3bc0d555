"""The table of ballots: one row per verdict, as columns, from which every measure is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.data import Comparison, Control, Direction, EventKind, GoldRule, Outcome, Role
from peerjudge.data.choices import require_choice
from peerjudge.tracker import NoEventReason, Stance

Codes: TypeAlias = npt.NDArray[np.int8]
Numbers: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Shares: TypeAlias = npt.NDArray[np.float32]

SeatKey: TypeAlias = tuple[str, str, float | None]
"""A seat: reviewer, role, temperature."""

TIE, INCONSISTENT, UNREADABLE, REFUSED, NONE = -1, -2, -3, -4, -5
"""Codes of `Ballots.verdict` that choose no answer; `NONE`: no verdict was asked for."""

SHARED = -9
"""Code of `Ballots.voter_gold` where the gold of a ballot is that of its comparison."""

OUTCOME_CODES: Mapping[Outcome, int] = {
    Outcome.TIE: TIE,
    Outcome.INCONSISTENT: INCONSISTENT,
    Outcome.UNREADABLE: UNREADABLE,
    Outcome.REFUSED: REFUSED,
}

EVENTS: tuple[EventKind | NoEventReason, ...] = (*EventKind, *NoEventReason)
"""The values of `Ballots.event` by code: a kind of event, or the reason why there is none."""


class _Roles:
    """Roles by code; a role that a protocol declares gets a code when it is first seen."""

    def __init__(self, known: Iterable[str]) -> None:
        self._names: list[str] = [str(one) for one in known]
        self._codes = {name: code for code, name in enumerate(self._names)}

    def index(self, role: str) -> int:
        """Return the code of a role."""
        code = self._codes.setdefault(role, len(self._names))
        if code == len(self._names):
            self._names.append(role)
        return code

    def __getitem__(self, code: int) -> str:
        return self._names[code]


ROLES = _Roles(Role)
"""The values of `Ballots.role` by code, in this process."""

DIRECTIONS: tuple[Direction, ...] = tuple(Direction)
"""The values of `Ballots.gold_move`, `majority_move` and `first_move` by code."""


class Stage(IntEnum):
    """Stages at which a verdict is given."""

    RECORDED = 0
    """A review on record in a dataset."""
    PRIVATE = 1
    """A turn before the seat has heard another one."""
    PUBLIC = 2
    """Any later turn."""
    CONCLUDED = 3
    """The conclusion of a complete discussion."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Discussions:
    """Facts about discussions as columns, one entry per discussion; empty for recorded reviews.

    `condition`, `protocol`, `seating`, `control` and `setting` are codes into the tuples of the
    plural names; `comparison` and `order` are codes as in `Ballots`. A setting is the prompt pack
    with all options but the control. `turns` counts all turns, `spoken` the public ones, `speakers` the
    seats that had one and `alone` those that gave a private verdict.
    `agreed` is the number of public turns after which all seats had the same stance for the first
    time: 0 if their private stances agree, -1 if they never did or fewer than two had a stance.
    `one_order` is true where every verdict was asked for in the order of the comparison.
    """

    ids: tuple[str, ...]
    conditions: tuple[str, ...]
    protocols: tuple[str, ...]
    seatings: tuple[tuple[SeatKey, ...], ...]
    controls: tuple[Control, ...]
    settings: tuple[str, ...]
    condition: Numbers
    protocol: Numbers
    seating: Numbers
    control: Numbers
    setting: Numbers
    comparison: Numbers
    order: Numbers
    repetition: Numbers
    turns: Numbers
    spoken: Numbers
    speakers: Numbers
    alone: Numbers
    agreed: Numbers
    complete: Bools
    failed: Bools
    one_order: Bools
    simulated: Bools

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def seats(self) -> Numbers:
        """The number of seats of every discussion."""
        return np.array([len(seating) for seating in self.seatings], dtype=np.int32)[self.seating]

    @property
    def private_calls(self) -> Floats:
        """The private calls of each seat that judged alone, if these shared all of them equally."""
        return (self.turns - self.spoken) / np.maximum(self.alone, 1)

    @property
    def discussed(self) -> Bools:
        """True where one of several seats spoke after the private reviews."""
        return (self.spoken > 0) & (self.seats > 1)

    @property
    def controlled(self) -> Bools:
        """True for a control: a seat hears something else than the argument of another."""
        return np.array([control != "none" for control in self.controls], np.bool_)[self.control]

    def list_seats(self, chosen: Bools | npt.NDArray[np.integer]) -> list[SeatKey]:
        """Return the distinct seats of these discussions in the order in which they first appear."""
        _, first = np.unique(self.seating[chosen], return_index=True)
        codes: list[int] = self.seating[chosen][np.sort(first)].tolist()
        return list(dict.fromkeys(seat for code in codes for seat in self.seatings[code]))

    def by_seat(self, measure: Callable[[SeatKey], int]) -> Numbers:
        """Return `[discussion, seat]`: the value of every seat, -1 where there is no seat."""
        widest = max(map(len, self.seatings), default=0)
        table = np.full((len(self.seatings), widest), -1, dtype=np.int32)
        for row, seating in zip(table, self.seatings, strict=True):
            row[: len(seating)] = [measure(seat) for seat in seating]
        return table[self.seating]


DISCUSSION_COUNTS = ("repetition", "turns", "spoken", "speakers", "alone", "agreed")
DISCUSSION_NUMBERS = (
    *("condition", "protocol", "seating", "control", "setting", "comparison", "order"),
    *DISCUSSION_COUNTS,
)
DISCUSSION_FLAGS = ("complete", "failed", "one_order", "simulated")
"""Names of the columns of `Discussions` by what they hold."""
ROW_COLUMNS = (
    *("discussion", "comparison", "reviewer", "seat", "stage", "turn", "round", "order"),
    *("verdict", "probabilities", "rating", "aspect", "opening", "closing", "event", "before"),
    *("others", "opponents", "gold_move", "majority_move", "first_move", "number"),
    *("voter_gold", "usd"),
)
"""Names of the columns of `Ballots` that have one entry per ballot."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ballots:
    """Verdicts as columns, with the names and facts that their codes point to.

    `humans` are the reviewers that are people, whose votes that disagree `gold_rule` settles.
    `contestant_of` names the author of a reviewer's own answers, for reviewers with another name than
    theirs. `unordered` are the reviewers for whom `order` is not the one that they saw, which is not known.
    `simulated_reviewers` are those that no real model spoke for.
    `own_order` is true where the comparisons have the order of a dataset; a run does not know it, and its
    comparisons have that of the answers' ids.
    Vocabularies: `reviewers`, `questions`, `comparisons` (each in its own order), `orders` (permutations of
    a comparison's own order; code 0 is of no fixed order, see `swapped`), `aspects` and `panels` (groups of
    reviewers). By comparison:
    `question_of`, `gold_of` (coded like `verdict`; `NONE` unless readable), `lengths`
    (`[comparison, answer]`, in characters) and `markdown` (`[comparison, answer, kind]`, numbers of
    the elements of `peerjudge.analysis.styles.MARKDOWN`).

    Columns, one entry per ballot:

    - `discussion`: -1 for a recorded review.
    - `comparison`, `order`: what was judged, and the order in which this reviewer saw it.
    - `reviewer`, `seat`: -1 for the conclusion of several seats. A lone judge's conclusion is its
      own ballot.
    - `stage`, `turn` (-1 outside turns), `round` (public turns up to this one; 0 in private).
    - `verdict`: the number of the chosen answer in the comparison's own order, or a code below 0.
    - `probabilities`: `[ballot, answer]`, the probability of each answer in the comparison's own
      order, as `verdict_probabilities` finds it; NaN where there is none. A conclusion pools the
      last ones of its seats, see `pool_seats`. The table has no columns where no reply has
      log-probabilities.
    - `rating`: of a lone answer, NaN without; `aspect`: what was rated.
    - `opening`, `closing`: true for the ballot that holds the stance of its seat before it heard
      another seat, and at the end of a complete discussion. That is the last readable verdict, or
      else the last one. A recorded review is both.
    - `event`: index into `EVENTS`, -1 where nothing new was heard. For an event: `before` and
      `others` (the seat's stance before and the stance it heard, coded like `verdict`),
      `opponents` (index into `panels`: the reviewers heard that held this stance), and the
      direction of the move (index into `DIRECTIONS`, -1 without): `gold_move`, `majority_move`,
      `first_move`.
    - `voter_gold`: for a vote of which gold is made, the gold of the other people's votes, `NONE` without
      others; `SHARED` for all other ballots.
    - `number`: index of a recorded review in its dataset, or of the row in a run.
    - `usd`: price of the calls behind it: of a conclusion those of its discussion, of an opening verdict the
      private ones of its seat; NaN elsewhere, and where no price is known. A reply counts as if it were paid
      for, also where an earlier call was.
    """

    name: str
    simulated: bool
    humans: tuple[str, ...]
    gold_rule: GoldRule
    reviewers: tuple[str, ...]
    questions: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    orders: tuple[tuple[int, ...], ...]
    aspects: tuple[str, ...]
    panels: tuple[tuple[str, ...], ...]
    question_of: Numbers
    gold_of: Codes
    lengths: Numbers
    markdown: Numbers
    discussions: Discussions
    discussion: Numbers
    comparison: Numbers
    reviewer: Numbers
    seat: Numbers
    stage: Codes
    turn: Numbers
    round: Numbers
    order: Numbers
    verdict: Codes
    probabilities: Shares
    rating: Floats
    aspect: Numbers
    opening: Bools
    closing: Bools
    event: Codes
    before: Codes
    others: Codes
    opponents: Numbers
    gold_move: Codes
    majority_move: Codes
    first_move: Codes
    number: Numbers
    voter_gold: Codes
    usd: Floats
    contestant_of: Mapping[str, str] = field(default_factory=dict[str, str])
    unordered: tuple[str, ...] = ()
    own_order: bool = True
    simulated_reviewers: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.verdict)

    def count_questions(self) -> int:
        """Return the number of questions with a ballot."""
        return len(np.unique(self.question))

    def of_discussions(self, chosen: Bools) -> Ballots:
        """Return the ballots of the discussions for which this column of flags is true."""
        rows = self.discussion >= 0
        rows[rows] = chosen[self.discussion[rows]]
        return self.where(rows)

    def of_stance(self, stance: Stance) -> Ballots:
        """Return the ballots that hold the opening (`private`) or closing (`final`) stances.

        Raises:
            DataError: There is no such stance.
        """
        require_choice(stance, ("private", "final"), name="stance")
        return self.where(self.opening if stance == "private" else self.closing)

    def name_contestant(self, reviewer: str) -> str:
        """Return the author name of the answers of this reviewer."""
        return self.contestant_of.get(reviewer, reviewer)

    def where(self, rows: Bools | npt.NDArray[np.intp]) -> Ballots:
        """Return the ballots of these rows; vocabularies and discussions stay."""
        return replace(self, **{name: getattr(self, name)[rows] for name in ROW_COLUMNS})

    @property
    def question(self) -> Numbers:
        """The question of every ballot."""
        return self.question_of[self.comparison]

    @property
    def gold(self) -> Codes:
        """The gold of every ballot, coded like `verdict`; `NONE` where it is not known.

        No person's vote is held against gold made of it, see `voter_gold`.
        """
        shared = self.gold_of[self.comparison]
        return np.where(self.voter_gold == SHARED, shared, self.voter_gold)

    @property
    def readable(self) -> Bools:
        """True for a choice or a tie."""
        return self.verdict >= TIE

    @property
    def correct(self) -> Bools:
        """True for the verdict of gold; a tie is right only where gold is a tie."""
        return (self.verdict == self.gold) & self.readable

    @property
    def role(self) -> Numbers:
        """The role of the seat of every ballot in a discussion, as an index into `ROLES`, or -1."""
        table = self.discussions.by_seat(lambda seat: ROLES.index(seat[1]))
        seated = self.seat >= 0
        roles = np.full(len(self), -1, dtype=np.int32)
        roles[seated] = table[self.discussion[seated], self.seat[seated]]
        return roles

    @property
    def by_people(self) -> Bools:
        """True for the ballots of people."""
        humans = set(self.humans)
        people = [code for code, name in enumerate(self.reviewers) if name in humans]
        return np.isin(self.reviewer, people)

    @property
    def answers(self) -> Numbers:
        """The number of answers shown."""
        return np.array([len(order) for order in self.orders], dtype=np.int32)[self.order]

    @property
    def first(self) -> Codes:
        """The answer shown first, by its number in the comparison's own order."""
        return np.array([order[0] for order in self.orders], dtype=np.int8)[self.order]

    @property
    def swapped(self) -> Bools:
        """True where the answers were shown in another order than the comparison's own."""
        own = [order == tuple(range(len(order))) for order in self.orders]
        return ~np.array(own, dtype=np.bool_)[self.order]

    @property
    def score(self) -> Floats:
        """Verdicts on two answers as PRD scores them: -1 first shown, 0 tie, +1 second; else NaN."""
        return score_of(self.verdict, self.first)

    def stances(self, which: Literal["opening", "closing"]) -> Codes:
        """Return the stances as `[discussion, seat]`, coded like `verdict`; `NONE` without one."""
        widest = max((len(seating) for seating in self.discussions.seatings), default=0)
        table = np.full((len(self.discussions), widest), NONE, dtype=np.int8)
        rows = (self.opening if which == "opening" else self.closing) & (self.discussion >= 0)
        table[self.discussion[rows], self.seat[rows]] = self.verdict[rows]
        return table


def score_of(verdict: Codes, first: Codes) -> Floats:
    """Return -1 where the first-shown of two answers is chosen, 0 for a tie, +1 for the other.

    NaN where the verdict is not readable.
    """
    chosen = np.where(verdict == first, -1.0, 1.0)
    return np.where(verdict >= 0, chosen, np.where(verdict == TIE, 0.0, np.nan))


def no_discussions() -> Discussions:
    """Return the facts of no discussions."""
    empty: dict[str, object] = {
        **dict.fromkeys(("ids", "conditions", "protocols", "seatings", "controls", "settings"), ()),
        **{name: np.empty(0, dtype=np.int32) for name in DISCUSSION_NUMBERS},
        **{name: np.empty(0, dtype=np.bool_) for name in DISCUSSION_FLAGS},
    }
    return Discussions(**empty)  # pyright: ignore[reportArgumentType]
