"""Whether talking helps, as shown: two tables, sentences, a figure of drift by round, and a frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from peerjudge.analysis import Ballots, build_contrasts
from peerjudge.data import Measurement, to_plain
from peerjudge.data.arguments import check_arguments
from peerjudge.features.talk.leanings import Leaning
from peerjudge.features.talk.talking import (
    Persuasion,
    Talk,
    TalkRow,
    Yielding,
    measure_talk,
    say_talk,
)
from peerjudge.reporting.figures import Curve, Curves, Figure
from peerjudge.reporting.formats import minus_signs, points, points_tick, preface, share
from peerjudge.reporting.layout import Cell, Column, Table, build_table
from peerjudge.results.added import AddedResult
from peerjudge.results.base import Document, DrawnResult, Shown
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_material
from peerjudge.statistics.interval import PairedDifference
from peerjudge.statistics.sampler import Sampler

__all__ = ["TalkResult", "add_section", "talk"]

_NOTHING = "No condition has several seats that heard each other, so there is no talk to measure."
_MEANING = (
    "Drift is the change of the seats' share right after each round against their own private verdicts; "
    "where talking only moves opinions about, it is 0. Discussions lost and won are held against a "
    "vote of the same private verdicts."
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TalkResult(DrawnResult):
    """What discussions do to the stances of their seats."""

    frame: ClassVar[str] = "talk"
    talk: Talk
    simulated: bool

    def document(self) -> Document:
        """Return the document of `peerjudge talk --json`."""
        plain = cast("dict[str, object]", to_plain(self.talk))
        return make_plain({"simulated": self.simulated, **plain})

    def parts(self) -> Shown:
        """Return the table of what talking does, its sentences, and who follows whom."""
        first = preface(simulated=self.simulated, questions=self.talk.questions)
        return [*first, *list_talk(self.talk)]

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each measure of each condition."""
        listed = [(row.condition, one) for row in self.talk.rows for one in _list_measures(row)]
        listed += [(row.condition, one) for row in self.talk.leanings for one in _list_changes(row)]
        for condition, (name, found) in listed:
            tested = isinstance(found, PairedDifference)
            measured = found.difference if tested else found
            p = found.p_value if tested else None
            yield {"condition": condition, "measure": name, **list_cells(measured), "p": p}

    @property
    def figures(self) -> Mapping[str, Figure]:
        """The drift of the seats' share right by round."""
        curves = [
            Curve(
                name=row.condition,
                note=minus_signs(points(row.drift[-1].difference)),
                at=tuple(range(len(row.drift) + 1)),
                values=(0.0, *(one.difference.value for one in row.drift)),
                low=(0.0, *(one.difference.low for one in row.drift)),
                high=(0.0, *(one.difference.high for one in row.drift)),
            )
            for row in self.talk.rows
            if row.drift
        ]
        if not curves:
            return {}
        figure = Figure(
            id="drift",
            description="Change of the seats' share right against their private verdicts, by round.",
            chart=Curves(
                curves=curves,
                across="round (own turns of each seat)",
                up="change of the share right, in percentage points",
                unit=points_tick,
            ),
            note=f"{self.talk.level:.0%} intervals, each for one condition and round.",
        )
        return {"drift": figure}


@check_arguments
def talk(source: Source) -> TalkResult:
    """Say whether talking helps: drift by round, discussions lost and won, and who follows whom.

    Every discussion is decomposed. Drift is the change of the seats' share right after each round,
    also over the placebo where one was played. Lost are discussions in which a seat was right in private and
    the outcome is wrong, won those without a majority for gold and a right outcome, each beside a vote of the
    same private verdicts. The second table has first contradictions only: who came over, left a right stance,
    or a wrong one for the right.

    Args:
        source: Run, transcripts, or a frame of ballots.

    Raises:
        StoreError: There is no such run.
        DataError: The source cannot be read.

    Example:
        >>> found = pj.talk("study")
        >>> sorted(set(found.df["measure"]))[:3]
        ['agreed after', 'agreed before', 'came over']
    """
    material = read_material(source)
    return _measure(material.ballots)


def add_section(ballots: Ballots) -> AddedResult | None:
    """Return the section of the report of a run; `None` without discussions."""
    found = _measure(ballots)
    if not found.talk.rows:
        return None
    return AddedResult(title="Does talking help?", meaning=_MEANING, result=found)


def _measure(ballots: Ballots) -> TalkResult:
    sampler = Sampler()
    contrasts = build_contrasts(ballots, sampler=sampler)
    found = say_talk(measure_talk(ballots, contrasts, sampler=sampler))
    return TalkResult(talk=found, simulated=ballots.simulated)


def list_talk(found: Talk) -> list[str | Table]:
    """Return tables and sentences; a sentence where there is nothing to measure."""
    if not found.rows:
        return [_NOTHING]
    return [
        _build_talk_table(found),
        *(f"{row.condition}: {row.so}" for row in found.rows if row.so),
        *_list_lost(found),
        _build_yielding_table(found.yielding),
        _build_persuasion_table(found.persuasion),
        _build_leaning_table(found.leanings),
    ]


def _list_lost(found: Talk) -> Iterator[str]:
    for row in found.rows:
        parts = [
            f"{what}: {count:,}"
            for count, what in (
                (row.unreadable, "unreadable outcomes, which are in no share"),
                (row.left_out, "seats left out as they have no readable private verdict"),
            )
            if count
        ]
        if parts:
            yield f"{row.condition}: {'; '.join(parts)}."


def _build_talk_table(found: Talk) -> Table:
    return build_table(
        f"Does talking help? In % and points [{found.level:.0%} interval]",
        found.rows,
        Column("Condition", "condition"),
        Column("Right alone", "right_alone", "share"),
        Column(
            "Drift by round",
            lambda row: _show_changes(row.drift),
            about="change of the seats' share right after each round, the last one with its interval",
            key="drift",
        ),
        Column(
            "Over placebo",
            "over_nobody.difference",
            "points",
            about="the share right after the last round minus that of the same seats that hear nothing",
            key="over_nobody",
        ),
        Column("Over vote", "over_vote.difference", "points", key="over_vote"),
        Column(
            "Lost",
            lambda row: _beside(row.lost, row.lost_by_vote),
            about="of the discussions with a right seat, those that end wrong, beside a vote of the same "
            "private verdicts",
        ),
        Column(
            "Won",
            lambda row: _beside(row.won, row.won_by_vote),
            about="of those without a majority for gold, those that end right, beside the same vote",
        ),
        *(() if any(row.drift for row in found.rows) else _WITHOUT_GOLD),
    )


_WITHOUT_GOLD: tuple[Column, ...] = (
    Column("Moved", "moved", "share", about="of the seats, those that end with another stance"),
    Column("Agreed before", "agreed_before", "share"),
    Column("Agreed after", "agreed_after", "share"),
)


def _show_changes(changes: Sequence[PairedDifference]) -> Cell | None:
    if not changes:
        return None
    *earlier, last = (one.difference for one in changes)
    shown = [points(one).partition(" [")[0] for one in earlier]
    values: dict[str, object] = {
        f"_{number}": one.difference.value for number, one in enumerate(changes, 1)
    }
    bounds = {"_low": last.low, "_high": last.high, "_n": last.n}
    return Cell(", ".join([*shown, points(last)]), {**values, **bounds})


def _beside(measured: Measurement | None, vote: Measurement | None) -> Cell | None:
    if measured is None or vote is None:
        return None
    text = f"{Column('', '', 'share').show(measured)} ({share(vote.value)})"
    values = {"": measured.value, "_low": measured.low, "_high": measured.high, "_n": measured.n}
    return Cell(text, {**values, "_by_vote": vote.value})


def _build_yielding_table(rows: tuple[Yielding, ...]) -> Table:
    return build_table(
        "Who yields at the first contradiction, in %",
        [row for row in rows if row.contradicted],
        Column("Condition", "condition"),
        Column("Reviewer", "reviewer"),
        Column("Contradicted", "contradicted"),
        Column(
            "Came over",
            "came_over",
            "share",
            about="alone against a majority, it took its stance (conformity)",
        ),
        Column("Left a right one", "left_right", "share", about="contradicted while right"),
        Column(
            "Left a wrong one",
            "left_wrong",
            "share",
            about="for gold, contradicted by it while wrong",
        ),
        names=2,
    )


def _build_persuasion_table(rows: tuple[Persuasion, ...]) -> Table:
    return build_table(
        "Whom others follow at the first contradiction, in %",
        [row for row in rows if row.contradictions and row.seats > 2],
        Column("Condition", "condition"),
        Column("Reviewer", "reviewer"),
        Column("Contradicted others", "contradictions"),
        Column("They came over", "came_over", "share"),
        Column("From right", "from_right", "share"),
        Column("From wrong to right", "from_wrong", "share"),
        names=2,
    )


def _build_leaning_table(rows: tuple[Leaning, ...]) -> Table:
    return build_table(
        "Bias by round: seats that hold this answer, in % and points",
        rows,
        Column("Condition", "condition"),
        Column("Answer", "towards"),
        Column("Seats", "seats", about="without those that call a tie at some round"),
        Column("Before", "before", "share"),
        Column(
            "Change by round",
            lambda row: _show_changes(row.change),
            about="after each round against before, the last one with its interval",
            key="change",
        ),
        Column(
            "Gold", "gold", "share", about="of the same, those whose gold is the longest answer"
        ),
        names=2,
    )


def _list_measures(row: TalkRow) -> Iterator[tuple[str, Measurement | PairedDifference | None]]:
    yield "right alone", row.right_alone
    for number, one in enumerate(row.drift, 1):
        yield f"drift {number}", one
    for name in ("over_nobody", "over_vote", "lost", "lost_by_vote", "won", "won_by_vote"):
        yield name.replace("_", " "), getattr(row, name)
    for name in ("came_over", "left_right", "left_wrong", "moved", "agreed_before", "agreed_after"):
        yield name.replace("_", " "), getattr(row, name)


def _list_changes(row: Leaning) -> Iterator[tuple[str, Measurement | PairedDifference | None]]:
    yield f"{row.towards} before", row.before
    for number, one in enumerate(row.change, 1):
        yield f"{row.towards} change {number}", one
    if row.gold is not None:
        yield f"gold is {row.towards}", row.gold
