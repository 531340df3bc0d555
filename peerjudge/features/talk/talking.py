"""Measures of talking: drift by round, discussions lost and won, and who follows whom."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from peerjudge.analysis.ballots import NONE, Ballots, Bools, Floats, Numbers
from peerjudge.analysis.contrasts import ConditionContrasts
from peerjudge.analysis.grouping import Ints, list_distinct
from peerjudge.data import Measurement, Noun, replace
from peerjudge.features.talk.leanings import Leaning, list_leanings
from peerjudge.features.talk.stances import Room, list_rooms
from peerjudge.statistics.interval import PairedDifference, measure_difference
from peerjudge.statistics.sampler import Sampler

__all__ = ["Persuasion", "Talk", "TalkRow", "Yielding", "measure_talk"]

MARGIN = 0.05
"""Bounds within which a drift is called no change of accuracy."""
_FEWEST = 8
_CLAIMED = 0.05


class TalkRow(Noun, frozen=True, kw_only=True):
    """What talking does in one condition. Shares and differences are means with questions as the unit.

    `right_alone` is the accuracy of the private stances, `drift` the change of the seats' share right after
    each round (each seat's k-th own turn) against their own private verdicts: 0 is a martingale.
    `over_nobody` is the share after the last common round minus that of the same seats in the control that
    hears nothing (`placebo`), `over_vote` the contrast with a vote of about `vote_calls` calls. `lost` is of
    the discussions in which a seat held gold in private the share with another outcome, `won` of those
    without a strict majority for gold the share with the right one; `lost_by_vote` and `won_by_vote` are the
    same of a vote of the same private stances, draws by lot. `came_over` is of the first turns alone against
    a majority the share that took its stance (conformity), `left_right` of the first contradictions of a
    right stance those after which it was left (fragility), `left_wrong` of those of a wrong one by gold
    those after which gold was taken. `moved` and `agreed` need no gold: the share of seats that end with
    another stance, and of discussions with one stance before and after. `unreadable` outcomes are in no
    share; seats `left_out` had no readable private verdict. `so` says what is shown.
    """

    condition: str
    questions: int
    discussions: int
    right_alone: Measurement | None
    drift: tuple[PairedDifference, ...]
    over_nobody: PairedDifference | None
    nobody: str
    over_vote: PairedDifference | None
    vote_calls: float | None
    lost: Measurement | None
    lost_by_vote: Measurement | None
    won: Measurement | None
    won_by_vote: Measurement | None
    came_over: Measurement | None
    left_right: Measurement | None
    left_wrong: Measurement | None
    moved: Measurement | None
    agreed_before: Measurement | None
    agreed_after: Measurement | None
    unreadable: int
    left_out: int
    so: str = ""


class Yielding(Noun, frozen=True, kw_only=True):
    """How a reviewer answers its first contradictions in a condition; see `TalkRow`."""

    condition: str
    reviewer: str
    contradicted: int
    came_over: Measurement | None
    left_right: Measurement | None
    left_wrong: Measurement | None


class Persuasion(Noun, frozen=True, kw_only=True):
    """How often others came over to a reviewer that contradicted them for the first time.

    With two `seats` this is how the other one yields.
    """

    condition: str
    reviewer: str
    seats: int
    contradictions: int
    came_over: Measurement | None
    from_right: Measurement | None
    from_wrong: Measurement | None


class Talk(Noun, frozen=True, kw_only=True):
    """All conditions in which seats heard each other."""

    rows: tuple[TalkRow, ...]
    yielding: tuple[Yielding, ...]
    persuasion: tuple[Persuasion, ...]
    leanings: tuple[Leaning, ...]
    level: float
    questions: int


def measure_talk(
    ballots: Ballots, contrasts: Sequence[ConditionContrasts], *, sampler: Sampler
) -> Talk:
    """Return what discussions do to the stances of their seats, by condition.

    Args:
        ballots: of a run.
        contrasts: of the same run.
        sampler: level of the intervals.
    """
    rooms = list(list_rooms(ballots))
    controls = list(list_rooms(ballots, controls=True))
    by_condition = {one.condition: one for one in contrasts}
    rows = [_measure(room, controls, by_condition.get(room.condition), sampler) for room in rooms]
    return Talk(
        rows=tuple(rows),
        yielding=tuple(one for room in rooms for one in _list_yielding(room, sampler)),
        persuasion=tuple(one for room in rooms for one in _list_persuasion(room, sampler)),
        leanings=tuple(one for room in rooms for one in list_leanings(room, sampler)),
        level=sampler.level,
        questions=len(np.unique(np.concatenate([room.question for room in rooms]))) if rooms else 0,
    )


def _measure(
    room: Room,
    controls: Sequence[Room],
    contrast: ConditionContrasts | None,
    sampler: Sampler,
) -> TalkRow:
    golden = room.golden
    gold, question = room.gold_of(), room.question_of()
    known = (gold != NONE) & (room.outcome >= -1)
    won = (room.outcome == gold).astype(np.float64)
    vote = room.own_vote()
    units, right = room.count_right()
    some, minority = known & (right > 0), known & (2 * right <= units)
    nobody = _find_nobody(room, controls, sampler)
    over_vote = None if contrast is None else contrast.over_vote
    first, stances = _first(room), room.stances

    def share(values: Floats, rows: Bools) -> Measurement | None:
        return sampler.mean(values[rows], question[rows]) if rows.any() else None

    return TalkRow(
        condition=room.condition,
        questions=len(np.unique(room.question)),
        discussions=len(room.numbers),
        right_alone=_mean(room.right(0)[golden], room.question[golden], sampler),
        drift=_measure_drift(room, sampler),
        over_nobody=nobody[0],
        nobody=nobody[1],
        over_vote=None if over_vote is None else over_vote.difference,
        vote_calls=over_vote.rows[0].turns if over_vote is not None and over_vote.rows else None,
        lost=share(1.0 - won, some),
        lost_by_vote=share(1.0 - vote, some),
        won=share(won, minority),
        won_by_vote=share(vote, minority),
        came_over=_came_over(room, first.alone, sampler),
        left_right=_left_right(room, first.right, sampler),
        left_wrong=_left_wrong(room, first.wrong, sampler),
        moved=_mean((stances[:, -1] != stances[:, 0]).astype(np.float64), room.question, sampler),
        agreed_before=_agree(room, 0, sampler),
        agreed_after=_agree(room, room.rounds, sampler),
        unreadable=int((room.outcome < -1).sum()),
        left_out=room.left_out,
    )


def _measure_drift(room: Room, sampler: Sampler) -> tuple[PairedDifference, ...]:
    """Return the drift after each round; a room moves at most as far as its seats can disagree."""
    golden = room.golden
    if not golden.any():
        return ()
    seats = float(np.bincount(room.place).max())
    reach = (seats - 1.0) / seats if seats > 1.0 else 1.0
    before = room.right(0)
    return tuple(
        measure_difference(
            (room.right(turn) - before)[golden],
            room.question[golden],
            added=(-reach, reach),
            level=sampler.level,
        )
        for turn in range(1, room.rounds + 1)
    )


def _find_nobody(
    room: Room, controls: Sequence[Room], sampler: Sampler
) -> tuple[PairedDifference | None, str]:
    """Return the share right minus that of the same seats that hear nothing, and the control's name."""
    facts = room.ballots.discussions
    for control in controls:
        other = control.ballots.discussions
        number = control.numbers[0]
        same = (
            other.controls[int(other.control[number])] == "placebo"
            and other.protocol[number] == facts.protocol[room.numbers[0]]
            and other.setting[number] == facts.setting[room.numbers[0]]
        )
        if not same:
            continue
        keys = {key: place for place, key in enumerate(_key(control))}
        pairs = np.array(
            [(place, keys[key]) for place, key in enumerate(_key(room)) if key in keys],
            dtype=np.int64,
        ).reshape(-1, 2)
        pairs = pairs[room.golden[pairs[:, 0]]]
        if len(pairs):
            last = min(room.rounds, control.rounds)
            gain = room.right(last)[pairs[:, 0]] - control.right(last)[pairs[:, 1]]
            found = sampler.difference(gain, room.question[pairs[:, 0]])
            return found, control.condition
    return None, ""


def _key(room: Room) -> list[tuple[int, ...]]:
    """Return what is the same of a unit in two conditions: comparison, order, repetition, seating, seat."""
    facts, at = room.ballots.discussions, room.discussion
    columns = (facts.comparison, facts.order, facts.repetition, facts.seating)
    table = np.stack([*(column[at] for column in columns), room.seat], axis=1)
    return list(map(tuple, table.tolist()))


class _First:
    """Places in `contradicted` of the first contradictions of each unit, of each kind."""

    def __init__(self, room: Room, chosen: Bools) -> None:
        said = room.ballots
        met = room.contradicted
        gold = room.gold[room.unit]
        before, others = said.before[met], said.others[met]
        self.every = _take_first(room.unit, chosen)
        self.alone = _take_first(room.unit, chosen & room.alone)
        self.right = _take_first(room.unit, chosen & (gold != NONE) & (before == gold))
        self.wrong = _take_first(
            room.unit, chosen & (gold != NONE) & (before != gold) & (others == gold)
        )


def _first(room: Room, chosen: Bools | None = None) -> _First:
    every = np.ones(len(room.contradicted), dtype=np.bool_)
    return _First(room, every if chosen is None else chosen)


def _take_first(unit: Ints, chosen: Bools) -> Ints:
    """Return the places of the first chosen row of each unit."""
    places = np.flatnonzero(chosen)
    _, first = np.unique(unit[places], return_index=True)
    return places[first]


def _mean(values: Floats, question: Numbers, sampler: Sampler) -> Measurement | None:
    return sampler.mean(values, question) if len(values) else None


def _came_over(room: Room, places: Ints, sampler: Sampler) -> Measurement | None:
    rows = room.contradicted[places]
    came = room.ballots.verdict[rows] == room.ballots.others[rows]
    return _mean(came.astype(np.float64), room.question[room.unit[places]], sampler)


def _left_right(room: Room, places: Ints, sampler: Sampler) -> Measurement | None:
    rows, units = room.contradicted[places], room.unit[places]
    left = room.ballots.verdict[rows] != room.gold[units]
    return _mean(left.astype(np.float64), room.question[units], sampler)


def _left_wrong(room: Room, places: Ints, sampler: Sampler) -> Measurement | None:
    rows, units = room.contradicted[places], room.unit[places]
    took = room.ballots.verdict[rows] == room.gold[units]
    return _mean(took.astype(np.float64), room.question[units], sampler)


def _agree(room: Room, after: int, sampler: Sampler) -> Measurement | None:
    """Return the share of discussions of several units whose stances are all the same."""
    place, stance = room.place, room.stances[:, after].astype(np.int64)
    size = len(room.numbers)
    count = np.bincount(place, minlength=size)
    least, most = np.full(size, 127), np.full(size, -128)
    np.minimum.at(least, place, stance)
    np.maximum.at(most, place, stance)
    several = count > 1
    same = (least == most).astype(np.float64)
    return _mean(same[several], room.question_of()[several], sampler)


def _list_yielding(room: Room, sampler: Sampler) -> list[Yielding]:
    names = room.ballots.reviewers
    rows: list[Yielding] = []
    for code in list_distinct(room.reviewer):
        first = _first(room, room.reviewer[room.unit] == code)
        rows.append(
            Yielding(
                condition=room.condition,
                reviewer=names[code],
                contradicted=len(first.every),
                came_over=_came_over(room, first.alone, sampler),
                left_right=_left_right(room, first.right, sampler),
                left_wrong=_left_wrong(room, first.wrong, sampler),
            )
        )
    return rows


def _list_persuasion(room: Room, sampler: Sampler) -> list[Persuasion]:
    """Return how often others came over to each reviewer; in a panel a turn may be against several."""
    said = room.ballots
    panels = said.opponents[room.contradicted]
    rows: list[Persuasion] = []
    for name in dict.fromkeys(said.reviewers[code] for code in list_distinct(room.reviewer)):
        holds = np.array([name in panel for panel in said.panels], dtype=np.bool_)
        first = _first(room, (panels >= 0) & holds[panels])
        rows.append(
            Persuasion(
                condition=room.condition,
                reviewer=name,
                seats=int(np.bincount(room.place).max()),
                contradictions=len(first.every),
                came_over=_came_over(room, first.every, sampler),
                from_right=_came_over(room, first.right, sampler),
                from_wrong=_came_over(room, first.wrong, sampler),
            )
        )
    return rows


def say_talk(talk: Talk) -> Talk:
    """Return the rows with a sentence of what is shown; claims are adjusted for their number (Bonferroni)."""
    claimed = _CLAIMED / max(1, len(talk.rows))
    return replace(talk, rows=tuple(replace(row, so=_say(row, claimed)) for row in talk.rows))


def _say(row: TalkRow, claimed: float) -> str:
    if row.came_over is None and row.left_right is None and row.left_wrong is None:
        return "No seat was contradicted."
    if row.right_alone is None:
        came = "" if row.came_over is None else f"{_percent(row.came_over)} came over at the first "
        return f"{came}contradiction; whether to the better is unknown." if came else ""
    if row.questions < _FEWEST:
        return f"{row.questions} questions: too few to say whether talking helps."
    parts = [_say_seats(row, claimed)]
    if row.over_vote is not None:
        parts.append(_say_vote(row.over_vote, row.vote_calls or 0.0, claimed))
    if row.lost is not None and row.lost_by_vote is not None:
        lost, vote = _percent(row.lost), _percent(row.lost_by_vote)
        parts.append(
            f"of the discussions with a seat right in private {lost} end wrong (a vote of the same "
            f"verdicts: {vote})"
        )
    return "; ".join(filter(None, parts)) + "."


def _say_seats(row: TalkRow, claimed: float) -> str:
    tested = row.over_nobody or (row.drift[-1] if row.drift else None)
    if tested is None:
        return ""
    against = " over the placebo" if row.over_nobody is not None else ""
    measured = tested.difference
    shown = f"{_points(measured)} points{against}"
    if tested.p_value <= claimed:
        verb = "helps" if measured.value > 0.0 else "harms"
        return f"Talking {verb} the seats: {shown}"
    if measured.low >= -MARGIN and measured.high <= MARGIN:
        return f"Talking moves verdicts, not accuracy: {shown}"
    return f"Talking is not shown to help or harm the seats: {shown}"


def _say_vote(over: PairedDifference, calls: float, claimed: float) -> str:
    measured = over.difference
    vote = f"a vote of {calls:.3g} calls"
    if over.p_value > claimed:
        return f"it is not shown to beat {vote}: {_points(measured)}"
    if measured.value > 0.0:
        return f"it beats {vote}: {_points(measured)}"
    return f"{vote} does better: {_points(measured)}"


def _points(measured: Measurement) -> str:
    return f"{_signed(measured.value)} [{_signed(measured.low)}, {_signed(measured.high)}]"


def _signed(value: float) -> str:
    """Format a difference in points; one that would round to 0 gets a digit."""
    if not value:
        return "0"
    rounded = f"{100 * value:+.0f}"
    return rounded if float(rounded) else f"{100 * value:+.1f}"


def _percent(measured: Measurement) -> str:
    return f"{100 * measured.value:.0f} %"
