"""Ways to judge side by side: every condition and every reviewer alone, by accuracy, calls and price."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from peerjudge.analysis.ballots import (
    DIRECTIONS,
    NONE,
    TIE,
    Ballots,
    Bools,
    Codes,
    Floats,
    Numbers,
    Stage,
)
from peerjudge.analysis.contrasts import ConditionContrasts, Contrast
from peerjudge.analysis.grouping import Ints, average_by_group, group_rows, list_distinct
from peerjudge.analysis.influence import CONTRADICTED, has_gold_choice, is_event
from peerjudge.data import Direction, EventKind, Measurement, Noun, replace
from peerjudge.statistics.clusters import sum_by_cluster
from peerjudge.statistics.interval import DIFFERENCE, METHOD, measure_ratios
from peerjudge.statistics.sampler import Sampler

MARGIN = 0.05
"""How much less often right a cheaper way may be to be called as good."""
FEWEST = 8
"""Fewest questions from which a way is called the cheapest."""
CLAIMED = 0.05
"""Adjusted p-value up to which a difference is claimed."""
_PAIRS = 1000


class Way(Noun, frozen=True, kw_only=True):
    """One way to judge: a condition, or a reviewer alone.

    `right` is the accuracy of its readable verdicts; `agrees` stands in its place where there is no gold:
    the share that is the majority verdict of the reviewers that are no part of it. `readable` is the
    share of its `verdicts` that can be read. `calls` and `usd` are per verdict and per 1,000 verdicts, as if
    it were played alone: replies that were paid for by another condition count as well; `None` where they
    are not known. `over_better_seat` and `over_vote` are those of its contrasts. `altered` is the share of
    the contradictions after which a seat took the other's opinion; `to_gold` and `from_gold` count the
    moves. `over_first` is its accuracy minus that of the first row, where both judged: as the first row is
    chosen by the same verdicts, its low bound holds for all rows at once, and its high bound for all pairs
    of rows (Bonferroni). `so` says in words what of this is shown, at most.
    """

    name: str
    reviewers: tuple[str, ...]
    discusses: bool = False
    control: bool = False
    verdicts: int = 0
    comparisons: int = 0
    readable: float = 0.0
    right: Measurement | None = None
    agrees: Measurement | None = None
    calls: float | None = None
    usd: float | None = None
    over_better_seat: Measurement | None = None
    over_vote: Measurement | None = None
    altered: Measurement | None = None
    to_gold: int | None = None
    from_gold: int | None = None
    over_first: Measurement | None = None
    so: str = ""


class Ways(Noun, frozen=True, kw_only=True):
    """All ways to judge, the most accurate first.

    `comparisons` were judged, and `with_gold` of them have a gold verdict; they belong to `questions`, which
    are the unit of all intervals. `cheapest` is the way with the least price, or the fewest calls where a
    price is not known, that is shown to be at most `margin` less often right than the first; empty without.
    `summary` says it in one sentence.
    """

    rows: tuple[Way, ...]
    level: float
    margin: float
    questions: int
    comparisons: int
    with_gold: int
    cheapest: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Found:
    """A way and, by comparison, the share of its readable verdicts that are right; NaN without one."""

    way: Way
    right: Floats


def build_ways(
    ballots: Ballots,
    contrasts: Sequence[ConditionContrasts] = (),
    *,
    sampler: Sampler,
    reviewers: Collection[str] | None = None,
    margin: float = MARGIN,
) -> Ways:
    """Return every condition of a run and every reviewer alone, or every reviewer of recorded reviews.

    Only complete discussions of two answers or more count. A reviewer alone are the private verdicts that
    it gave in all conditions of several seats; those with another number of calls, temperature or prompts
    are a way of their own.

    Args:
        ballots: of a run or a dataset.
        contrasts: of the same run.
        sampler: level of the intervals.
        reviewers: only ways of these alone; `None` takes all but the people of a dataset.
        margin: how much less often right a cheaper way may be, as a share.
    """
    judged = ballots.where(ballots.answers > 1)
    taken = set(judged.reviewers) - set(judged.humans) if reviewers is None else set(reviewers)
    named = [(way, rows) for way, rows in _name_ways(judged) if taken.issuperset(way.reviewers)]
    used = judged.where(np.concatenate([rows for _, rows in named] or [np.empty(0, np.intp)]))
    golden = used.gold != NONE
    by_condition = {one.condition: one for one in contrasts}
    majority = None if golden.any() else _Majority(judged)
    found = [
        _measure(way, judged.where(rows), by_condition.get(way.name), majority, sampler)
        for way, rows in named
    ]
    found = [_add_moves(one, judged, sampler) if one.way.discusses else one for one in found]
    found.sort(key=lambda one: -getattr(one.way.right or one.way.agrees, "value", -inf))
    table = Ways(
        rows=tuple(one.way for one in found),
        level=sampler.level,
        margin=margin,
        questions=len(np.unique(used.question[golden] if golden.any() else used.question)),
        comparisons=len(np.unique(used.comparison)),
        with_gold=len(np.unique(used.comparison[golden])),
    )
    return _conclude(table, [one.right for one in found], judged.question_of, by_condition)


def _name_ways(judged: Ballots) -> Iterator[tuple[Way, Ints]]:
    """Yield each way without its numbers, and the rows of its verdicts."""
    facts, at = judged.discussions, judged.discussion
    if not len(facts):
        for code in list_distinct(judged.reviewer):
            reviewer = judged.reviewers[code]
            yield Way(name=reviewer, reviewers=(reviewer,)), np.flatnonzero(judged.reviewer == code)
        return
    ended = facts.complete[at]
    concluded = ended & (judged.stage == Stage.CONCLUDED)
    condition = facts.condition[at]
    for code in list_distinct(condition[concluded]):
        rows = np.flatnonzero(concluded & (condition == code))
        number = at[rows]
        way = Way(
            name=facts.conditions[code] or facts.protocols[int(facts.protocol[number[0]])],
            reviewers=tuple(sorted({reviewer for reviewer, _, _ in facts.list_seats(number)})),
            discusses=bool(facts.discussed[number].any()),
            control=bool(facts.controlled[number].any()),
        )
        yield way, rows
    opening = ended & judged.opening & (facts.seats[at] > 1)
    for title, reviewer, rows in _name_alone(judged, np.flatnonzero(opening)):
        yield Way(name=title, reviewers=(reviewer,)), rows


class _Alone(NamedTuple):
    """How a reviewer judges alone: at a temperature, with so many calls, by the prompts of a pack."""

    reviewer: str
    temperature: float | None
    calls: float
    pack: str


def _name_alone(judged: Ballots, opening: Ints) -> Iterator[tuple[str, str, Ints]]:
    """Yield name, reviewer and rows of the private verdicts of each reviewer with one way to give them."""
    facts, at = judged.discussions, judged.discussion[opening]
    seats = list(dict.fromkeys((seat[0], seat[2]) for one in facts.seatings for seat in one))
    codes = {seat: code for code, seat in enumerate(seats)}
    seat = facts.by_seat(lambda one: codes[one[0], one[2]])[at, judged.seat[opening]]
    calls, call = np.unique(facts.private_calls[at], return_inverse=True)
    packs = [setting.split(" ")[0] for setting in facts.settings]
    pack = np.array([packs.index(one) for one in packs], dtype=np.int64)[facts.setting[at]]
    group, first = group_rows(seat, call, pack)
    ways = [
        _Alone(*seats[int(seat[row])], float(calls[call[row]]), packs[int(pack[row])])
        for row in first.tolist()
    ]
    for code, way in enumerate(ways):
        alike = [one for one in ways if one.reviewer == way.reviewer]
        degree = len({one.temperature for one in alike}) > 1 and way.temperature is not None
        name = f"{way.reviewer} at temperature {way.temperature:g}" if degree else way.reviewer
        more = [f"{name} alone"]
        if len(calls) > 1 and way.calls != 1.0:
            more.append(f"{way.calls:g} calls")
        if len({one.pack for one in alike}) > 1 and way.pack:
            more.append(f"prompts {way.pack}")
        yield ", ".join(more), way.reviewer, opening[group == code]


class _Majority:
    """The verdict of most reviewers on each comparison, by their private or recorded verdicts."""

    def __init__(self, judged: Ballots) -> None:
        own = judged.where(judged.opening & judged.readable & (judged.reviewer >= 0))
        widest = 1 - TIE + int(own.verdict.max(initial=0))
        # [reviewer, comparison, verdict], a tie first.
        shape = (len(judged.reviewers), len(judged.comparisons), widest)
        self._votes = np.zeros(shape, dtype=np.int64)
        np.add.at(self._votes, (own.reviewer, own.comparison, own.verdict - TIE), 1)
        self._names = judged.reviewers

    def of_others(self, reviewers: Sequence[str]) -> Codes:
        """Return the verdict of more than half of the others by comparison; `NONE` without."""
        others = [place for place, name in enumerate(self._names) if name not in reviewers]
        votes = self._votes[others]
        each = votes == votes.max(axis=2, keepdims=True, initial=1)
        # A reviewer without a verdict of its own, or with several equally often, has no vote.
        votes = np.where(each & (each.sum(axis=2, keepdims=True) == 1), 1, 0).sum(axis=0)
        best = votes.argmax(axis=1)
        most = 2 * votes.max(axis=1, initial=0) > votes.sum(axis=1)
        return np.where(most, best + TIE, NONE).astype(np.int8)


def _measure(
    way: Way,
    own: Ballots,
    contrast: ConditionContrasts | None,
    majority: _Majority | None,
    sampler: Sampler,
) -> _Found:
    """Return a way with the numbers of its verdicts."""
    right = agrees = None
    known = own.where(own.readable & (own.gold != NONE))
    if len(known):
        right = sampler.mean(known.correct, known.question)
    elif majority is not None:
        said = majority.of_others(way.reviewers)[own.comparison]
        met = own.readable & (said != NONE)
        if met.any():
            agrees = sampler.mean((own.verdict == said)[met], own.question[met])
    usd = own.usd[~np.isnan(own.usd)]
    facts, at = own.discussions, own.discussion
    calls = None
    if len(facts):
        spent = np.where(own.stage == Stage.CONCLUDED, facts.turns[at], facts.private_calls[at])
        calls = float(spent.mean())
    measured = replace(
        way,
        verdicts=len(own),
        comparisons=len(np.unique(own.comparison)),
        readable=float(own.readable.mean()),
        right=right,
        agrees=agrees,
        calls=calls,
        usd=_PAIRS * float(usd.mean()) if len(usd) == len(own) else None,
    )
    share = average_by_group(known.comparison, known.correct, len(own.comparisons))
    if contrast is not None and way.discusses:
        measured = replace(
            measured,
            over_better_seat=_take(contrast.over_better_seat),
            over_vote=_take(contrast.over_vote),
        )
    return _Found(way=measured, right=share)


def _add_moves(found: _Found, judged: Ballots, sampler: Sampler) -> _Found:
    """Return a discussion with its changes of opinion."""
    facts = judged.discussions
    named = np.array([name == found.way.name for name in facts.conditions], dtype=np.bool_)
    own = judged.of_discussions(named[facts.condition] & facts.complete)
    met = own.where(is_event(own.event, *CONTRADICTED))
    altered = is_event(met.event, EventKind.ALTERED)
    golden = has_gold_choice(own)

    def count(direction: Direction) -> int | None:
        return int((own.gold_move == DIRECTIONS.index(direction)).sum()) if golden else None

    way = replace(
        found.way,
        altered=sampler.mean(altered, met.question) if len(met) else None,
        to_gold=count(Direction.TOWARDS),
        from_gold=count(Direction.AWAY),
    )
    return _Found(way=way, right=found.right)


def _take(contrast: Contrast) -> Measurement | None:
    return None if contrast.difference is None else contrast.difference.difference


def _conclude(
    table: Ways,
    right: Sequence[Floats],
    question_of: Numbers,
    contrasts: Mapping[str, ConditionContrasts],
) -> Ways:
    """Return the table with what it shows: which way is the cheapest that will do, and of each row."""
    rows = list(table.rows)
    scored = [place for place, one in enumerate(rows) if one.right is not None and not one.control]
    for place in scored[1:]:
        behind = _subtract(
            right[place], right[scored[0]], question_of, level=table.level, ways=len(scored)
        )
        rows[place] = replace(rows[place], over_first=behind)
    table = replace(table, rows=tuple(rows))
    cheapest = _find_cheapest(table, scored) if table.questions >= FEWEST else ""
    worse = sum(one.over_first is not None and one.over_first.high < 0.0 for one in rows)
    return replace(
        table,
        rows=tuple(
            _say(one, contrasts.get(one.name), margin=table.margin, cheapest=one.name == cheapest)
            for one in rows
        ),
        cheapest=cheapest,
        summary=_summarize(table, scored, cheapest, worse=worse),
    )


def _find_cheapest(table: Ways, scored: Sequence[int]) -> str:
    """Return the cheapest way that costs less than the first and is shown to be nearly as good."""
    first = min((_cost(table.rows, table.rows[place]) for place in scored[:1]), default=inf)
    good = [
        one
        for one in (table.rows[place] for place in scored[1:])
        if one.over_first is not None
        and one.over_first.low > -table.margin
        and _cost(table.rows, one) < first
    ]
    return min(good, key=lambda one: _cost(table.rows, one)).name if good else ""


def _subtract(
    ours: Floats, theirs: Floats, question_of: Numbers, *, level: float, ways: int
) -> Measurement | None:
    """Return the difference from the first of so many ways, see `Way`."""
    rows: Bools = ~np.isnan(ours - theirs)
    if not rows.any():
        return None
    column = (ours - theirs)[rows][:, None]
    sums = sum_by_cluster(np.hstack([column, np.ones_like(column)]), question_of[rows])
    ratios = measure_ratios(sums[:, :1], sums[:, 1:], limits=DIFFERENCE)
    low, _ = ratios.bound(level, at_once=ways - 1)
    _, high = ratios.bound(level, at_once=ways * (ways - 1) / 2)
    return Measurement(
        value=float(ratios.value[0]),
        low=float(low[0]),
        high=float(high[0]),
        n=len(column),
        level=level,
        method=METHOD,
    )


def _cost(rows: Sequence[Way], one: Way) -> float:
    """Return the price of a way, or its calls where a price is not known; infinite without these."""
    priced = all(row.usd is not None for row in rows)
    cost = one.usd if priced else one.calls
    return inf if cost is None else cost


def _say(one: Way, contrast: ConditionContrasts | None, *, margin: float, cheapest: bool) -> Way:
    """Return the way with what is shown of it."""
    near = f"at most {100 * margin:g} points less often right than the first"
    behind = one.over_first
    if one.control:
        so = "a control"
    elif cheapest:
        so = f"the cheapest way shown to be {near}"
    elif one.discusses and contrast is not None:
        so = _compare_seats(contrast)
    elif behind is None:
        so = ""
    elif behind.high < 0.0:
        so = "less often right than the first"
    else:
        so = near if behind.low > -margin else "not told apart from the first"
    return replace(one, so=so)


def _compare_seats(contrast: ConditionContrasts) -> str:
    seats, vote = contrast.over_better_seat, contrast.over_vote
    if seats.difference is None:
        return ""
    best = min(seats.rows, key=lambda row: row.difference.difference.value).name
    left_out = " and ".join(seats.left_out)
    once = f"asked once ({left_out} never judged alone)" if left_out else "asked once"
    if seats.p_holm > CLAIMED:
        return f"not shown to beat {best} {once}"
    if seats.difference.difference.value < 0.0:
        return f"less often right than {best} {once}"
    so = f"beats each of its seats {once}"
    if vote.difference is None:
        return f"{so}; no vote of as many calls was played"
    if vote.p_holm > CLAIMED:
        return f"{so}, not shown to beat a vote of as many calls"
    beaten = vote.difference.difference.value > 0.0
    return (
        f"{so} and a vote of as many calls" if beaten else f"{so}, but not a vote of as many calls"
    )


def _summarize(table: Ways, scored: Sequence[int], cheapest: str, *, worse: int) -> str:
    """Return in one sentence which way these questions recommend."""
    if len(scored) < 2:
        return ""
    first = table.rows[scored[0]]
    asked = f"{table.questions:,} questions"
    priced = all(row.usd is not None for row in table.rows)
    if table.questions < FEWEST:
        return f"{asked} are too few to tell these ways apart."
    others = len(scored) - 1
    costs = [_cost(table.rows, table.rows[place]) for place in scored]
    least = "the cheapest" if priced else "the one with the fewest calls"
    near = f"at most {100 * table.margin:g} points less often right"
    if cheapest:
        return f"{cheapest} is {least} of the ways shown to be {near} than {first.name}."
    behind = f"{worse} of the {others} others are shown to be less often right"
    if worse < 2:
        behind = f"{worse or 'none'} of the {others} others is shown to be less often right"
    if costs[0] <= min(costs) < inf:
        less = "costs less" if priced else "takes fewer calls"
        return f"{first.name} is the most often right, and no other way {less}; {behind}."
    if not worse:
        return f"{asked} cannot tell these ways apart."
    less = "cheaper way" if priced else "way with fewer calls"
    cheaper = f"; no {less} is shown to be {near}" if min(costs) < costs[0] else ""
    return f"{behind} than {first.name}{cheaper}."
