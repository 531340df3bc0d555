"""Ballots from transcripts, collected one discussion at a time without their texts."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeAlias, cast, get_args

import numpy as np

from peerjudge.analysis.assembling import ComparisonTable, Vocabulary, build_ballots
from peerjudge.analysis.ballots import (
    DIRECTIONS,
    DISCUSSION_FLAGS,
    DISCUSSION_NUMBERS,
    EVENTS,
    Ballots,
    Bools,
    Discussions,
    Floats,
    Numbers,
    SeatKey,
    Shares,
    Stage,
)
from peerjudge.analysis.grouping import Ints
from peerjudge.analysis.pricing import Prices, Replies, list_replies, price_discussion
from peerjudge.analysis.probabilities import Probabilities, list_probabilities
from peerjudge.data import (
    MAX_ANSWERS,
    Control,
    OpinionEvent,
    StopReason,
    Transcript,
    Verdict,
    stances_heard,
    stances_in,
)
from peerjudge.tracker import Tracking, forget_rereadings, track

_COLUMNS = (
    *("reviewer", "seat", "stage", "turn", "round", "order", "verdict", "opening", "closing"),
    *("event", "before", "others", "opponents", "gold_move", "majority_move", "first_move"),
)
_SEAT, _VERDICT, _OPENING, _CLOSING, _EVENT = 1, 6, 7, 8, 9
_QUIET = (-1, -5, -5, -1, -1, -1, -1)
"""The columns of the event, of a ballot without one."""
_MOST_KNOWN = 10_000

_Row = list[int]
_Likely: TypeAlias = tuple[int, Probabilities]
"""A row of a discussion, and the probability of each answer in the comparison's own order."""


def collect_transcripts(transcripts: Iterable[Transcript], *, name: str = "") -> Ballots:
    """Return the ballots of discussions, ended or not, in their order.

    Reads the discussions once and keeps no texts.

    Args:
        transcripts: the discussions.
        name: of the source, for messages.
    """
    collector = BallotCollector()
    for transcript in transcripts:
        collector.add(transcript)
    return collector.ballots(name=name)


@dataclass(frozen=True, slots=True)
class _Course:
    """Rows and facts of the discussions with the same turns.

    `block` is the number of the rows, and `likely` are the probabilities of those that have any.
    `turns` keeps the turns alive, whose identity is the key.
    """

    turns: object
    block: int
    likely: tuple[_Likely, ...]
    facts: tuple[int, ...]
    heard: Control
    tracking: Tracking


class BallotCollector:
    """Collects ballots from transcripts, one discussion at a time.

    Discussions whose verdicts are alike share their rows until the table is built, so that memory
    grows by some 200 bytes per discussion.

    Args:
        prices: of the reviewers; without any, nothing is known of what the calls cost.
    """

    def __init__(self, *, prices: Prices | None = None) -> None:
        self._prices: Prices = prices or {}
        self._usd = array("d")
        self._table = ComparisonTable(keep_texts=False, own_order=False)
        self._reviewers = Vocabulary[str]()
        self._panels = Vocabulary[tuple[str, ...]]()
        self._conditions, self._protocols = Vocabulary[str](), Vocabulary[str]()
        self._seatings = Vocabulary[tuple[SeatKey, ...]]()
        self._controls, self._settings = Vocabulary[Control](), Vocabulary[str]()
        self._ids: list[str] = []
        self._facts = array("i")
        self._ratings = array("d")
        self._likely_rows = array("i")
        self._likely = array("f")
        self._block_of = array("i")
        self._blocks = Vocabulary[bytes]()
        self._courses: dict[object, _Course] = {}
        self._simulated: set[str] = set()

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, transcript: Transcript, *, replies: Sequence[Replies] | None = None) -> Tracking:
        """Add a discussion and return its opinion events.

        Where discussions without texts share their turns, the events are those of the first one.

        Args:
            transcript: the discussion.
            replies: of its turns, where these were read without them.
        """
        if self._prices:
            spent = list_replies(transcript) if replies is None else replies
            total, private = price_discussion(transcript, spent, self._prices)
            self._usd.extend((total, *private))
        comparison = self._table.number(transcript.comparison)
        seating = tuple(
            [(seat.reviewer, seat.role, transcript.temperature(seat)) for seat in transcript.seats]
        )
        course = self._course(transcript, comparison)
        given = transcript.options or {}
        options = [f"{key}={value}" for key, value in given.items() if key != "control"]
        control = course.heard
        # A user's protocol may mean something else by an option of this name.
        if control == "none" and given.get("control") in get_args(Control):
            control = cast("Control", given["control"])
        for row, probabilities in course.likely:
            self._likely_rows.extend((len(self._ids), row))
            self._likely.extend(probabilities)
        self._ids.append(transcript.id)
        self._facts.extend(
            (
                self._conditions[transcript.condition],
                self._protocols[transcript.protocol],
                self._seatings[seating],
                self._controls[control],
                self._settings[" ".join([transcript.prompts, *options])],
                comparison,
                self._table.order(comparison, transcript.comparison.shown),
                transcript.repetition,
                *course.facts,
            )
        )
        self._ratings.append(_rating(transcript))
        self._block_of.append(course.block)
        return course.tracking

    def ballots(self, *, name: str = "") -> Ballots:
        """Return the table of everything that was added."""
        blocks = [
            np.frombuffer(block, dtype=np.int32).reshape(-1, len(_COLUMNS))
            for block in self._blocks
        ]
        sizes = np.array([len(block) for block in blocks], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        block_of = np.array(self._block_of, dtype=np.int64)
        lengths = sizes[block_of] if len(block_of) else block_of
        first = np.cumsum(lengths) - lengths
        discussion = np.repeat(np.arange(len(block_of), dtype=np.int32), lengths)
        within = np.arange(len(discussion)) - np.repeat(first, lengths)
        at = starts[block_of[discussion]] + within if len(discussion) else within
        every = np.concatenate(blocks) if blocks else np.empty((0, len(_COLUMNS)), dtype=np.int32)
        discussions = self._discussions()
        rows: dict[str, object] = {
            column: every[at, number] for number, column in enumerate(_COLUMNS)
        }
        concluded = np.asarray(rows["stage"]) == Stage.CONCLUDED
        ratings = np.array(self._ratings, dtype=np.float64)
        return build_ballots(
            {
                **rows,
                "discussion": discussion,
                "comparison": discussions.comparison[discussion],
                "rating": np.where(concluded, ratings[discussion], np.nan),
                "aspect": -1,
                **self._probabilities(first, len(discussion)),
                **self._price(rows, discussion, discussions),
            },
            size=len(discussion),
            name=name,
            simulated=bool(discussions.simulated.any()),
            simulated_reviewers=sorted(self._simulated),
            reviewers=self._reviewers,
            panels=self._panels,
            table=self._table,
            discussions=discussions,
        )

    def _probabilities(self, first: Ints, size: int) -> dict[str, Shares]:
        """Return the column of probabilities if there are any; `first` is by discussion its first row."""
        if not self._likely:
            return {}
        discussion, row = np.array(self._likely_rows, dtype=np.int64).reshape(-1, 2).T
        column = np.full((size, MAX_ANSWERS), np.nan, dtype=np.float32)
        known = np.array(self._likely, dtype=np.float32).reshape(-1, MAX_ANSWERS)
        column[first[discussion] + row] = known
        return {"probabilities": column}

    def _price(
        self, rows: Mapping[str, object], discussion: Numbers, discussions: Discussions
    ) -> dict[str, Floats]:
        """Return the price of every conclusion and opening verdict, if prices are known."""
        if not self._prices:
            return {}
        usd = np.array(self._usd, dtype=np.float64)
        ends = np.cumsum(discussions.seats + 1)
        start = (ends - discussions.seats - 1)[discussion]
        concluded = np.asarray(rows["stage"]) == Stage.CONCLUDED
        seat = np.where(concluded, -1, np.asarray(rows["seat"]))
        priced = concluded | (np.asarray(rows["opening"]) > 0)
        return {"usd": np.where(priced, usd[start + seat + 1], np.nan)}

    def _discussions(self) -> Discussions:
        width = len(DISCUSSION_NUMBERS) + len(DISCUSSION_FLAGS)
        facts = np.array(self._facts, dtype=np.int32).reshape(-1, width).T
        columns: dict[str, Numbers | Bools] = dict(zip(DISCUSSION_NUMBERS, facts, strict=False))
        flags = facts[len(DISCUSSION_NUMBERS) :].astype(np.bool_)
        columns |= dict(zip(DISCUSSION_FLAGS, flags, strict=True))
        return Discussions(
            ids=tuple(self._ids),
            conditions=tuple(self._conditions),
            protocols=tuple(self._protocols),
            seatings=tuple(self._seatings),
            controls=tuple(self._controls),
            settings=tuple(self._settings),
            **columns,  # pyright: ignore[reportArgumentType]  one array per fact
        )

    def _course(self, transcript: Transcript, comparison: int) -> _Course:
        """Return the course of a discussion, which one with the same turns has as well.

        Discussions read from a store share their turns; comparing these by value would cost as much
        as finding the events.
        """
        turns = transcript.turns
        if any(turn.utterance.text or turn.utterance.logprobs for turn in turns):
            # Turns with texts or log-probabilities are not shared, and must not be kept alive.
            return self._read(transcript, comparison)
        shown = transcript.comparison.shown
        known = self._table.comparisons[comparison]
        key = (
            *(id(turns), transcript.seats, shown, known.shown),
            *(transcript.comparison.gold, transcript.verdict, transcript.stop),
        )
        course = self._courses.get(key)
        if course is None:
            if len(self._courses) >= _MOST_KNOWN:
                self._courses.clear()
            course = self._courses[key] = self._read(transcript, comparison)
        return course

    def _read(self, transcript: Transcript, comparison: int) -> _Course:
        tracking = track(transcript)
        rows = self._rows(transcript, comparison, tracking)
        # Most runs have no log-probabilities: these cost one look at every turn.
        has_logprobs = any(turn.utterance.logprobs for turn in transcript.turns)
        reviewers = {seat.id: seat.reviewer for seat in transcript.seats}
        self._simulated.update(
            reviewers[turn.cue.seat]
            for turn in transcript.turns
            if turn.utterance.simulated and not turn.speaker
        )
        own = self._table.comparisons[comparison].shown
        cues = [turn.cue for turn in transcript.turns]
        controls: list[Control] = [cue.control for cue in cues if cue.control != "none"]
        return _Course(
            turns=transcript.turns,
            block=self._blocks[array("i", [cell for row in rows for cell in row]).tobytes()],
            likely=tuple(list_probabilities(transcript, own)) if has_logprobs else (),
            facts=_list_facts(transcript),
            heard=controls[0] if controls else "none",
            tracking=tracking,
        )

    def _rows(self, transcript: Transcript, comparison: int, tracking: Tracking) -> list[_Row]:
        code = self._table.code
        shown = self._table.order(comparison, transcript.comparison.shown)
        seats = {seat.id: place for place, seat in enumerate(transcript.seats)}
        judges = [self._reviewers[seat.reviewer] for seat in transcript.seats]
        by_rule = forget_rereadings(transcript)
        orders = [shown] * len(seats)
        for turn in transcript.turns:
            if turn.cue.control == "swapped":
                orders[seats[turn.cue.seat]] = self._table.order(comparison, turn.cue.sees)
        events: dict[int, tuple[int, ...]] = {
            one.turn: (EVENTS.index(one.reason), *_QUIET[1:]) for one in tracking.no_events
        }
        for event in tracking.events:
            moves = (event.gold, event.majority, event.first)
            events[event.turn] = (
                EVENTS.index(event.kind),
                code(comparison, event.before),
                code(comparison, event.others),
                self._panels[_opponents(by_rule, event)],
                *(-1 if move is None else DIRECTIONS.index(move) for move in moves),
            )
        rows: list[_Row] = []
        spoken = 0
        for turn in transcript.turns:
            spoken += not turn.cue.private
            verdict = turn.review.verdict
            if verdict is None or turn.speaker:
                # A verdict that a fork inherited from another reviewer is none of the seat's reviewer.
                continue
            place = seats[turn.cue.seat]
            private = turn.cue.private
            where = (judges[place], place, Stage.PRIVATE if private else Stage.PUBLIC, turn.index)
            event_columns = events.get(turn.index, _QUIET)
            at = 0 if private else spoken
            chosen = code(comparison, verdict)
            rows.append([*where, at, orders[place], chosen, 0, 0, *event_columns])
        complete, lone = transcript.stop is StopReason.COMPLETE, len(seats) == 1
        if not lone:
            _mark_stances(rows, complete=complete)
        if complete:
            judge, place = (judges[0], 0) if lone else (-1, -1)
            verdict = code(comparison, transcript.verdict)
            where = (judge, place, Stage.CONCLUDED, -1)
            rows.append([*where, spoken, shown, verdict, lone, lone, *_QUIET])
        return rows


def _list_facts(transcript: Transcript) -> tuple[int, ...]:
    """Return the last columns of `Discussions`, from the number of turns on."""
    turns, stop = transcript.turns, transcript.stop
    public = [turn.cue.seat for turn in turns if not turn.cue.private]
    asked = [turn.cue for turn in turns if turn.review.verdict is not None]
    return (
        len(turns),
        len(public),
        len(set(public)),
        len({cue.seat for cue in asked if cue.private}),
        _agreed(transcript),
        stop is StopReason.COMPLETE,
        stop is StopReason.FAILED,
        all(cue.sees == transcript.comparison.shown for cue in asked),
        transcript.simulated,
    )


def _mark_stances(rows: Sequence[_Row], *, complete: bool) -> None:
    """Mark the ballots that hold a seat's opening and closing stance: its last readable ones."""
    for column in (_OPENING, _CLOSING) if complete else (_OPENING,):
        last: dict[int, _Row] = {}
        for row in rows:
            if column == _OPENING and row[2] != Stage.PRIVATE:
                continue
            known = last.get(row[_SEAT])
            if known is None or row[_VERDICT] >= -1 or known[_VERDICT] < -1:
                last[row[_SEAT]] = row
        for row in last.values():
            row[column] = 1


def _opponents(transcript: Transcript, event: OpinionEvent) -> tuple[str, ...]:
    """Return the reviewers of the heard seats that held the stance heard."""
    earlier = transcript.turns[: event.turn]
    own = [turn for turn in (*earlier, transcript.turns[event.turn]) if turn.cue.seat == event.seat]
    audible = {index for turn in own for index in turn.cue.hears}
    heard = [turn for turn in earlier if turn.index in audible]
    stances = stances_heard(heard, transcript.turns[event.turn].cue)
    opponents = [seat for seat in event.heard if stances.get(seat) == event.others]
    return tuple(transcript.seat(seat).reviewer for seat in opponents)


def _rating(transcript: Transcript) -> float:
    """Return the mean of the seats' last ratings of a lone answer; NaN without any."""
    if len(transcript.comparison.answers) > 1:
        return np.nan
    last = {
        turn.cue.seat: turn.review.score
        for turn in transcript.turns
        if turn.review.score is not None
    }
    return sum(last.values()) / len(last) if last else np.nan


def _agreed(transcript: Transcript) -> int:
    """Return the number of public turns after which all seats first had one stance; -1 if they never had."""
    spoken, seats = 0, len(transcript.seats)
    opening = sum(1 for _ in takewhile(lambda turn: turn.cue.private, transcript.turns))
    stances: dict[str, Verdict] = {}
    for turn in transcript.turns:
        spoken += not turn.cue.private
        stances.update(stances_in([turn]))
        # While private reviews are still being given, nothing is agreed yet.
        together = turn.index >= opening - 1 and len(stances) == seats > 1
        if together and len(set(stances.values())) == 1:
            return spoken
    return -1
