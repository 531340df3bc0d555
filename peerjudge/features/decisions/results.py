"""Decisions as shown: a table by round, one of other rules, and whether fewer rounds would have done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any, cast

from peerjudge.data import to_plain
from peerjudge.data.arguments import check_arguments
from peerjudge.errors import DataError
from peerjudge.features.decisions.deciding import (
    Confidences,
    DecisionRow,
    Decisions,
    measure_decisions,
)
from peerjudge.features.decisions.rules import RULES
from peerjudge.reporting.formats import counted, percent, points, preface
from peerjudge.reporting.layout import Cell, Column, Table, build_table
from peerjudge.results.base import Document, Result, Shown, list_names
from peerjudge.results.plain import make_plain
from peerjudge.runs.frames import turns_df
from peerjudge.runs.reading import Source, read_material
from peerjudge.runs.results import RunSummary
from peerjudge.statistics.sampler import Sampler

__all__ = ["DecideResult", "decide"]

MARGIN = 0.05
"""Loss of accuracy up to which fewer rounds do as well."""
_FEWEST = 8
_ALIKE = {"plurality": "majority", "supermajority": "unanimity", "vote": "majority"}
_NO_QUORUM = Column("No quorum", "no_quorum", about="discussions with too few readable seats")
_NOTHING = "No condition has several seats, so there is nothing to decide otherwise."


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DecideResult(Result):
    """What decision rules decide after each round; `by` and `after_round` choose what is shown."""

    decisions: Decisions
    simulated: bool
    by: tuple[str, ...] = ()
    after_round: int | None = None

    def document(self) -> Document:
        """Return the document of `peerjudge decide --json`: the chosen rules and rounds, by default all."""
        plain = cast("dict[str, object]", to_plain(self.decisions))
        rows = [to_plain(row) for row in self._chosen()]
        return make_plain({"simulated": self.simulated, **plain, "rows": rows})

    def parts(self) -> Shown:
        """Return the table by round, a sentence of each condition, and the table of rules."""
        if not self.decisions.rows:
            return [_NOTHING]
        first = preface(simulated=self.simulated, questions=self.decisions.questions)
        chosen = self._chosen()
        rounds = [row for row in chosen if row.rounds and (row.own or row.by in self.by)]
        rules = [row for row in chosen if self.after_round is not None or row.round == row.rounds]
        parts = [*first, self._build_rounds(rounds)] if rounds else [*first]
        if not self.by and self.after_round is None:
            parts += _say_rounds(self.decisions.rows)
        return [*parts, self._build_rules(_drop_alike(rules)), *_say_own(self.decisions.rows)]

    def _chosen(self) -> list[DecisionRow]:
        return [
            row
            for row in self.decisions.rows
            if (not self.by or row.by in self.by) and self.after_round in (None, row.round)
        ]

    def _build_rounds(self, rows: Sequence[DecisionRow]) -> Table:
        return build_table(
            f"Right after each round, in % and points [{self.decisions.level:.0%} interval]",
            rows,
            Column("Condition", "condition"),
            Column("Decided by", "by"),
            Column(
                "Round", "round", about="each seat's turns in the open; 0 is before the discussion"
            ),
            Column("Calls", "calls", digits=1),
            Column("Right", "right", "share"),
            Column(
                "Over the last round",
                "over_last.difference",
                "points",
                about="minus the same rule after the last round",
                key="over_last",
            ),
            Column("As stored", "as_stored", "share", about="the outcome of the discussion"),
            names=2,
        )

    def _build_rules(self, rows: Sequence[DecisionRow]) -> Table:
        when = "the last round" if self.after_round is None else f"round {self.after_round}"
        return build_table(
            f"Decision rules after {when}, in % and points [{self.decisions.level:.0%} interval]",
            rows,
            Column("Condition", "condition"),
            Column("Decided by", _name_rule, key="by"),
            Column("Decided", "decided", "share", about="of the discussions"),
            *([_NO_QUORUM] if any(row.no_quorum for row in rows) else []),
            Column("Right", "right", "share", about="of the decided"),
            Column(
                "Over the own rule",
                "over_own.difference",
                "points",
                about="over discussions that both decide",
                key="over_own",
            ),
            names=2,
        )


def _name_rule(row: DecisionRow) -> Cell:
    return Cell(f"{row.by} (own)" if row.own else row.by, {"": row.by, "_own": row.own})


def _drop_alike(rows: Sequence[DecisionRow]) -> list[DecisionRow]:
    """Return the rows without those that decide as another one: of two seats, or of two answers."""
    known = {(row.by, row.condition, row.round, row.decided, row.right) for row in rows}
    return [
        row
        for row in rows
        if (_ALIKE.get(row.by), row.condition, row.round, row.decided, row.right) not in known
        or row.own
    ]


def _say_own(rows: Sequence[DecisionRow]) -> Iterator[str]:
    """Yield a sentence on the conditions whose own rule is none of these."""
    owned = {row.condition for row in rows if row.own}
    if others := dict.fromkeys(row.condition for row in rows if row.condition not in owned):
        yield f"No rule gives the stored outcomes of {', '.join(others)}, so each decides by another one."


def _say_rounds(rows: Sequence[DecisionRow]) -> Iterator[str]:
    """Yield for each condition whether fewer rounds would have done, by its own rule.

    From the last round backwards, each round is tested after the one behind it has passed, so the tests need
    no correction for their number.
    """
    own = [row for row in rows if row.own and row.rounds]
    for condition, found in groupby(own, key=lambda row: row.condition):
        *earlier, last = found
        whole = counted(last.rounds, "round")
        if last.right is None:
            stood = percent(earlier[0].as_stored)
            yield f"{condition}: before the first round stood {stood} % of the outcomes."
            continue
        if last.questions < _FEWEST:
            yield f"{condition}: {last.questions} questions are too few to say whether fewer would have done."
            continue
        enough = list(takewhile(_does_as_well, reversed(earlier)))
        if enough:
            least = enough[-1]
            did = counted(least.round, "round") if least.round else "no round"
            yield (
                f"{condition}: {did} would have done for {whole}: {_say_loss(least)} points, "
                f"{least.calls:.3g} calls in place of {last.calls:.3g}."
            )
        elif (over := earlier[-1].over_last) and over.difference.high < 0.0:
            yield (
                f"{condition}: fewer than {whole} would have done worse: one fewer is "
                f"{_say_loss(earlier[-1])} points."
            )
        else:
            yield (
                f"{condition}: it is not shown that fewer than {whole} would have done: one fewer is "
                f"{_say_loss(earlier[-1])} points."
            )


def _does_as_well(row: DecisionRow) -> bool:
    return row.over_last is not None and row.over_last.difference.low >= -MARGIN


def _say_loss(row: DecisionRow) -> str:
    return points(None if row.over_last is None else row.over_last.difference)


@check_arguments
def decide(
    source: Source, *, by: str | Sequence[str] | None = None, after_round: int | None = None
) -> DecideResult:
    """Say what other decision rules and fewer rounds would have decided, from the stored verdicts.

    A stance is a seat's last readable verdict; round k is each seat's k-th turn in the open, and round 0 the
    private reviews. `last` is the last verdict, `leader` that of the first seat, `majority` that of more than
    half, else a tie, or in a `vote` the first seat's; `plurality` is the most frequent one. `supermajority`
    takes two thirds of the seats, `unanimity` all, else nothing is decided. `judge` is that of the seat of
    this role; `peers` weighs by the damped peer weights. `confidence`, by what people stated, is measured
    where it is named, as all turns are read for it.

    Args:
        source: Run, transcripts, or a frame of ballots.
        by: Only these rules, also by round; by default all, and by round that of the protocol.
        after_round: Only this round.

    Raises:
        StoreError: There is no such run.
        DataError: A rule or round does not exist, or nothing is stored that the rule needs.

    Example:
        >>> found = pj.decide("study", by="last")
        >>> [row.round for row in found.decisions.rows][:3]
        [0, 1, 2]
    """
    names = list_names(by) or ()
    if unknown := [name for name in names if name not in RULES]:
        msg = f"unknown rule {unknown[0]!r}; choose of {', '.join(RULES)}"
        raise DataError(msg)
    material = read_material(source)
    confidences = _read_confidences(source) if "confidence" in names else None
    found = measure_decisions(material.ballots, sampler=Sampler(), confidences=confidences)
    known = {row.by for row in found.rows}
    if found.rows and (missing := [name for name in names if name not in known]):
        msg = f"nothing stored supports {missing[0]!r}; choose of {', '.join(r for r in RULES if r in known)}"
        raise DataError(msg)
    most = max((row.rounds for row in found.rows), default=0)
    if after_round is not None and not 0 <= after_round <= most:
        msg = f"there is no round {after_round}; choose 0 to {most}"
        raise DataError(msg)
    return DecideResult(
        decisions=found,
        simulated=material.ballots.simulated,
        by=tuple(names),
        after_round=after_round,
    )


def _read_confidences(source: Source) -> Confidences:
    """Return the confidence that people stated in a run or in transcripts; a frame of ballots has none."""
    if not isinstance(source, str | Path | RunSummary | list | tuple):
        return {}
    turns = cast("Any", turns_df(source))[["discussion", "turn", "confidence"]].dropna()
    return {(str(one), int(turn)): float(stated) for one, turn, stated in turns.to_numpy()}
