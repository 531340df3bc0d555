"""Values that papers print, beside our estimates of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import floor, isnan
from typing import TypeAlias

from peerjudge.analysis.ballots import Ballots, Stage
from peerjudge.analysis.grouping import list_distinct
from peerjudge.analysis.published import TOTAL, PublishedLine, PublishedTable, identify_name
from peerjudge.data import Measurement
from peerjudge.errors import DataError

CellKey: TypeAlias = tuple[str, str, str]
"""The grid, row and column of a value; the grid of an item that has only one is empty."""

FEWEST_QUESTIONS = 20
"""The fewest questions of a run whose intervals are held against published values."""


class Origin(StrEnum):
    """What a value of ours comes from."""

    RECORDED = "recorded"
    """Reviews or votes on record: the data of the paper itself, so that values are equal or not."""
    PRINTED = "printed"
    """Verdicts that the paper prints."""
    RUN = "run"
    """New verdicts of models and people."""
    SIMULATED = "simulated"
    """New verdicts, some of them by simulated reviewers."""
    FITTED = "fitted"
    """The same, where traits of one of these were fitted to this value, or to the reviews that it counts."""

    @property
    def is_fresh(self) -> bool:
        """True for new reviews, which can only agree with the paper up to chance."""
        return self not in {Origin.RECORDED, Origin.PRINTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedCell:
    """A printed value: a number, a word, or `None` where the paper only draws it.

    `digits` are its decimals, and `impossible` says why no source can give it. `fitted` names the simulated
    cards whose traits were fitted to it, or to the reviews that it counts.
    """

    key: CellKey
    value: float | str | None
    digits: int
    impossible: str
    fitted: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The parts of the key in one line."""
        return ", ".join(filter(None, self.key))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """A printed discussion: its reviewers, leader first, and its verdicts (`transcript_of`)."""

    reviewers: tuple[str, ...]
    moves: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedItem:
    """A table, figure or section of a paper.

    `data` names the dataset that it is about, if it is one, and `needs` says which sources give it. `of`
    names the items in which its values are printed as well. A table of accuracies names the groups `by` of
    its columns, with the number of judged comparisons in `counts`, and the prompt pack `prompts` that plays
    it (empty for every pack that no other table names).
    """

    name: str
    title: str
    source: str
    data: str
    needs: str
    cells: tuple[PublishedCell, ...]
    dialogues: tuple[Dialogue, ...] = ()
    of: tuple[str, ...] = ()
    by: str = ""
    prompts: str = ""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """The values of a paper. `names` has its models, with the letters that identify them.

    `methods` has the printed name of each protocol that plays one of its methods, and `without_values` says
    which tables and figures have no results.
    """

    name: str
    title: str
    source: str
    without_values: str
    names: Mapping[str, tuple[str, ...]]
    items: tuple[PublishedItem, ...]
    methods: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The ballots from which the values of a paper are estimated.

    `reviewers` and `contestants` have the names in the source by name in the paper. `data` is the dataset
    that a run judged, if it is known. Intervals resample questions with `seed`.
    """

    item: PublishedItem
    ballots: Ballots
    reviewers: Mapping[str, tuple[str, ...]]
    contestants: Mapping[str, tuple[str, ...]]
    data: str = ""
    seed: int = 0

    def find_reviewer(self, name: str) -> str | None:
        """Return the reviewer that stands for this model of the paper; `None` if there is none.

        Raises:
            DataError: several do.
        """
        return _choose_one(name, self.reviewers.get(name, ()))

    def find_contestant(self, name: str) -> str | None:
        """Return the contestant that stands for this model of the paper; `None` if there is none.

        Raises:
            DataError: several do.
        """
        return _choose_one(name, self.contestants.get(name, ()))

    def only_printed(
        self, values: Mapping[CellKey, Measurement | str]
    ) -> dict[CellKey, Measurement | str]:
        """Return those of these values that the item has."""
        printed = {cell.key for cell in self.item.cells}
        return {key: value for key, value in values.items() if key in printed}


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """Our values by cell, and a note on how they were counted.

    `reviewers` has for each value the reviewers that spoke for it (see `find_speakers`), none where it comes
    from the votes that are gold. `origin` says what all values come from where that is not the source that
    is read, and `missing` why there are none where more than what the item needs is to be said. `by_chance`
    has the 95 % bounds of the printed value, for values that both sides average over random orders of the
    battles.
    """

    values: Mapping[CellKey, Measurement | str] = field(
        default_factory=dict[CellKey, Measurement | str]
    )
    note: str = ""
    reviewers: Mapping[CellKey, Collection[str]] = field(
        default_factory=dict[CellKey, Collection[str]]
    )
    origin: Origin | None = None
    missing: str = ""
    by_chance: Mapping[CellKey, tuple[float, float]] = field(
        default_factory=dict[CellKey, tuple[float, float]]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproducedCell:
    """A printed value and ours.

    Of a recorded value, `equal` says whether both are the same at the printed rounding; or, if both are means
    over random orders, `inside` says whether they differ by no more than these orders explain (95 %). Of a
    value from at least 20 questions of a run, `inside` says whether the printed one is that or lies within
    our interval. Else they are `None`. `n` is the number of observations, and `origin` what ours comes from,
    `None` where the source gives none.
    """

    item: str
    grid: str
    name: str
    published: float | str | None
    ours: float | str | None
    low: float | None
    high: float | None
    n: int | None
    equal: bool | None
    inside: bool | None
    digits: int
    origin: Origin | None
    note: str


def find_speakers(ballots: Ballots) -> frozenset[str]:
    """Return the reviewers on whose words these ballots depend.

    A verdict in private depends on its reviewer alone, a later one on all seats of its discussion.
    """
    alone = (ballots.stage == Stage.RECORDED) | (ballots.stage == Stage.PRIVATE)
    facts = ballots.discussions
    speakers = {ballots.reviewers[code] for code in list_distinct(ballots.reviewer[alone])}
    for code in list_distinct(facts.seating[ballots.discussion[~alone]]):
        speakers |= {reviewer for reviewer, _, _ in facts.seatings[code]}
    return frozenset(speakers)


def assign_names(
    found: Sequence[str], paper: Paper, given: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return the names found in a source by the name in the paper for which each stands.

    Args:
        found: names of reviewers or contestants.
        paper: has the letters of its models.
        given: the name in the paper by name in the source; goes before the letters.
    """
    chosen: dict[str, tuple[str, ...]] = {}
    stated = {given[name] for name in found if name in given}
    for name in found:
        stands = given.get(name) or identify_name(name, paper.names)
        if stands and (name in given or stands not in stated):
            chosen[stands] = (*chosen.get(stands, ()), name)
    return chosen


def list_tables(paper: Paper) -> tuple[PublishedTable, ...]:
    """Return the tables of a paper in whose groups a run can be scored: the items with `by`."""
    return tuple(_build_table(paper, item) for item in paper.items if item.by)


def compare_cell(
    item: PublishedItem,
    cell: PublishedCell,
    ours: Measurement | str | None,
    *,
    origin: Origin,
    questions: int,
    note: str,
    comparable: bool,
    by_chance: tuple[float, float] | None = None,
) -> ReproducedCell:
    """Return a printed value beside ours.

    Args:
        item: the item of the cell.
        cell: the printed value.
        ours: `None` where the source does not give it.
        origin: what ours comes from.
        questions: how many questions the source has.
        note: how it was counted, or what would give it.
        comparable: false for values on other data than the paper's.
        by_chance: the 95 % bounds of the printed value before it is rounded, if it is a mean over random
            orders.
    """
    if isinstance(ours, Measurement) and isnan(ours.value):
        ours = None
    known = ours if isinstance(ours, Measurement) else None
    equal = inside = None
    if ours is not None and comparable and not cell.impossible:
        equal, inside = _judge(cell, ours, origin, questions, by_chance)
    return ReproducedCell(
        item=item.name,
        grid=cell.key[0],
        name=cell.name,
        published=cell.value,
        ours=ours.value if isinstance(ours, Measurement) else ours,
        low=known.low if known and not isnan(known.low) else None,
        high=known.high if known and not isnan(known.high) else None,
        n=known and known.n,
        equal=equal,
        inside=inside,
        digits=cell.digits,
        origin=origin if ours is not None else None,
        note=cell.impossible or note,
    )


def _judge(
    cell: PublishedCell,
    ours: Measurement | str,
    origin: Origin,
    questions: int,
    by_chance: tuple[float, float] | None,
) -> tuple[bool | None, bool | None]:
    """Return `equal` and `inside`, as `ReproducedCell` has them."""
    if cell.value is None:
        return None, None
    same = _is_equal(cell, ours)
    if not origin.is_fresh:
        if by_chance is None or isinstance(cell.value, str):
            return same, None
        rounding = 0.5 / 10**cell.digits
        return None, by_chance[0] - rounding <= cell.value <= by_chance[1] + rounding
    if isinstance(ours, str) or isnan(ours.low) or min(questions, ours.n) < FEWEST_QUESTIONS:
        return None, None
    return None, same or (not isinstance(cell.value, str) and ours.low <= cell.value <= ours.high)


def _is_equal(cell: PublishedCell, ours: Measurement | str) -> bool:
    if isinstance(ours, str) or isinstance(cell.value, str) or cell.value is None:
        return ours == cell.value
    scale = 10**cell.digits
    # A half is rounded up, as papers print it.
    return floor(ours.value * scale + 0.5 + 1e-6) == round(cell.value * scale)


def _choose_one(name: str, found: tuple[str, ...]) -> str | None:
    if len(found) > 1:
        msg = f"{' and '.join(found)} all stand for {name}; choose one with --as {found[0]}={name}"
        raise DataError(msg)
    return found[0] if found else None


def _build_table(paper: Paper, item: PublishedItem) -> PublishedTable:
    protocols = {method: protocol for protocol, method in paper.methods.items()}
    lines: dict[tuple[str, str], dict[str, float]] = {}
    for cell in item.cells:
        setting, method, column = cell.key
        if isinstance(cell.value, float):
            lines.setdefault((setting, method), {})[_name_group(column)] = cell.value
    return PublishedTable(
        title=paper.title,
        source=paper.source,
        name=item.name,
        by=item.by,
        prompts=item.prompts,
        items={_name_group(column): count for column, count in item.counts.items()},
        methods=paper.methods,
        settings=paper.names,
        lines=tuple(
            PublishedLine(
                setting=setting, protocol=protocols[method], table=item.name, values=values
            )
            for (setting, method), values in lines.items()
        ),
    )


def _name_group(column: str) -> str:
    """Return the group of scores that a column stands for; empty for all of them."""
    return "" if column == TOTAL else column
