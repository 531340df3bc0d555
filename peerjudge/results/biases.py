"""Position, self-preference and length bias of reviewers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from peerjudge.analysis import (
    Bias,
    OrderConsistency,
    Position,
    SelfEnhancement,
    Verbosity,
    measure_bias,
)
from peerjudge.analysis.position import Preference
from peerjudge.analysis.selecting import HUMAN
from peerjudge.analysis.verbosity import MOST_ODDS
from peerjudge.data import LEVEL, Measurement, Noun, replace, to_plain
from peerjudge.data.arguments import check_arguments
from peerjudge.reporting.figures import Figure, Row, Rows, build_mark
from peerjudge.reporting.formats import counted, interval_note, percent, preface
from peerjudge.reporting.layout import (
    Column,
    Section,
    Table,
    build_generic_table,
    build_section,
    build_table,
)
from peerjudge.results.accuracy import LEFT_OUT, SHARES, draw_before_after
from peerjudge.results.base import Document, DrawnResult, Shown, list_names, name_gold
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_material

if TYPE_CHECKING:
    from peerjudge.analysis.findings import Findings


R = TypeVar("R", bound=Noun)
_MOST_DRAWN = 30
"""A figure of more reviewers cannot be read; the table has all."""
_CONTROLS = {"gold": ", quality by the verdict of gold", "peers": ", quality by the other verdicts"}
_NO_LENGTH = (
    "Length: not measured, as the answers of every pair are equally long, or have no known texts."
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BiasResult(DrawnResult):
    """Biases of every reviewer; `gold` is the name of the gold in the tables."""

    frame: ClassVar[str] = "bias"
    bias: Bias
    gold: str
    questions: int
    simulated: bool

    def document(self) -> Document:
        """Return the document of `peerjudge bias --json`: one key for each measure."""
        plain = cast("dict[str, dict[str, object]]", to_plain(self.bias))
        head = {"gold": self.bias.gold, "simulated": self.bias.simulated}
        return make_plain({**head, **plain["measures"], "discussed": plain["discussed"]})

    def parts(self) -> Shown:
        """Return one table for each measure, and what the intervals are."""
        return [
            *preface(simulated=self.bias.simulated, questions=self.questions),
            *build_bias_tables(replace(self.bias, gold=self.gold)),
            *([] if _select_long(self.bias) else ["", _NO_LENGTH]),
            "",
            interval_note(LEVEL, self.questions),
        ]

    @property
    def figures(self) -> Mapping[str, Figure]:
        """The choices of the first-shown answer by reviewers that saw both orders."""
        consistency = select_rows(self.bias.measures, "consistency", OrderConsistency)
        both_orders = {row.reviewer for row in consistency if row.rate.n}
        positions = select_rows(self.bias.measures, "position", Position)
        shown = [
            Row(
                name=row.reviewer,
                note=f"{percent(row.share)} %",
                count=counted(row.share.n, "choice"),
                marks=[build_mark(row.share)],
            )
            for row in sorted(positions, key=lambda row: -row.share.value)
            if row.share.n and row.reviewer in both_orders
        ]
        if not shown or len(shown) > _MOST_DRAWN:
            return {}
        across = "choices that name the first-shown answer"
        figure = Figure(
            id="position",
            description="Share of each reviewer's choices that name the first-shown answer.",
            chart=Rows(rows=shown, across=across, reference=(0.5, "no preference"), limits=SHARES),
            note=interval_note(LEVEL, self.questions),
        )
        return {figure.id: figure}

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each measured quantity of each reviewer."""
        for measure, found in {**self.bias.measures, **(self.bias.discussed or {})}.items():
            for row in found:
                reviewer = getattr(row, "reviewer", None)
                for quantity in row.__struct_fields__:
                    value = getattr(row, quantity)
                    if isinstance(value, Measurement):
                        own = {"measure": measure, "reviewer": reviewer, "quantity": quantity}
                        yield {**own, **list_cells(value)}


def build_position_section(findings: Findings) -> Section | None:
    """Return the preference of each reviewer for the first-shown answer, before and after."""
    expected = "half of the time" if findings.answers == 2 else "no more often than any other"
    table = build_table(
        "Choices of the first-shown answer and accuracy, in %",
        findings.by_reviewer,
        Column("Reviewer", "reviewer"),
        Column("First, before", "first_before", "share"),
        Column("First, after", "first_after", "share"),
        Column("Accuracy, before", "before.accuracy", "share", key="accuracy_before"),
        Column("Accuracy, after", "after.accuracy", "share", key="accuracy_after"),
        note=f"Over all conditions with discussion. {LEFT_OUT}",
    )
    return build_section(
        "Preference for the first-shown answer",
        "The share of a reviewer's choices that name the answer shown first. Where every comparison "
        "is shown in both orders, a reviewer without position bias chooses the first answer "
        f"{expected}.",
        draw_before_after(
            findings,
            [(seat.reviewer, seat.first_before, seat.first_after) for seat in findings.by_reviewer],
            id="position",
            description="Share of each reviewer's choices that name the first-shown answer, before "
            "and after discussion.",
            across="choices that name the first-shown answer",
            counts="choice",
            chance="no preference",
        ),
        table,
        anchor="position",
    )


def build_bias_tables(biases: Bias) -> list[Table]:
    """Return a table for each measure; a measure without a table of its own gets a generic one."""
    measures, gold = biases.measures, biases.gold
    places = select_rows(measures, "position", Position)
    consistency = select_rows(measures, "consistency", OrderConsistency)
    known = {"position", "consistency", "self_enhancement", "verbosity"}
    return [
        _build_position_table(places, consistency),
        *(_build_discussed_tables(biases.discussed) if biases.discussed is not None else []),
        _build_self_table(select_rows(measures, "self_enhancement", SelfEnhancement), gold),
        _build_length_table(_select_long(biases), gold),
        *(
            build_generic_table(name.replace("_", " ").capitalize(), rows)
            for name, rows in measures.items()
            if name not in known
        ),
    ]


def _select_long(biases: Bias) -> list[Verbosity]:
    """Return the rows of reviewers who judged answers of different length."""
    return [row for row in select_rows(biases.measures, "verbosity", Verbosity) if row.longer.n]


def select_rows(measures: Mapping[str, Sequence[Noun]], name: str, kind: type[R]) -> list[R]:
    """Return the rows of a measure, all of which are of this kind."""
    return [row for row in measures.get(name, ()) if isinstance(row, kind)]


@check_arguments
def bias(
    source: Source,
    *,
    reviewers: str | Sequence[str] | None = None,
    gold: str = HUMAN,
    families: Mapping[str, str] | None = None,
    contestant_of: Mapping[str, str] | None = None,
    seed: int = 0,
) -> BiasResult:
    """Measure position, self-preference and length bias and order consistency of every reviewer.

    Measured on the verdicts that reviewers gave before they heard another one; for a run also the
    position bias before and after the discussions. Intervals have questions as the unit.

    Args:
        source: Run, dataset `NAME:PATH`, or transcripts.
        reviewers: Only these.
        gold: `human` for the gold of the data, or the name of a reviewer to measure against.
        families: Family by reviewer or author; added to those that the cards of a run declare.
        contestant_of: Contestants by reviewer, for reviewers with another name than theirs, for peer weights
            and self-preference; they replace those that the cards of a run declare.
        seed: Seed of the resampling.

    Raises:
        DataError: There are no verdicts on pairs by these reviewers.
        StoreError: There is no such run.

    Example:
        >>> found = pj.bias("study", reviewers="sim_strong")
        >>> "position" in set(found.df["measure"])
        True
    """
    material = read_material(source, contestant_of=contestant_of)
    measured = measure_bias(
        material.ballots,
        reviewers=list_names(reviewers),
        gold=gold,
        families=material.merge_families(families),
        seed=seed,
    )
    return BiasResult(
        bias=measured,
        gold=name_gold(material.ballots, gold),
        questions=material.ballots.count_questions(),
        simulated=material.ballots.simulated,
    )


def _build_position_table(
    rows: Sequence[Position], consistency: Sequence[OrderConsistency]
) -> Table:
    """Return verdicts by place, the share of first-shown choices, and the order consistency."""
    rates = {row.reviewer: row.rate for row in consistency if row.rate.n}
    return build_table(
        "Position: verdicts by place, shares in %",
        rows,
        Column("Reviewer", "reviewer"),
        Column("First", "first"),
        Column("Tie", "tie"),
        Column("Second", "second"),
        Column("Unreadable or refused", "unreadable", key="unreadable"),
        # The share says nothing about position where pairs were shown in one order only.
        Column(
            "% first",
            lambda row: row.share if row.reviewer in rates else None,
            "share",
            about="of the choices, ties aside",
        ),
        Column(
            "% same in both orders",
            lambda row: rates.get(row.reviewer),
            "share",
            about="of the pairs judged in both orders",
        ),
    )


def _build_discussed_tables(discussed: Mapping[str, Sequence[Noun]]) -> list[Table]:
    """Return position preference, order consistency and win rates of authors around a discussion."""
    first, first_after = (
        {one.reviewer: one.share for one in select_rows(discussed, name, Position)}
        for name in ("position_before", "position_after")
    )
    same, same_after = (
        {one.reviewer: one.rate for one in select_rows(discussed, name, OrderConsistency)}
        for name in ("consistency_before", "consistency_after")
    )
    wins, wins_after = (
        {(one.reviewer, one.author): one for one in select_rows(discussed, name, Preference)}
        for name in ("preferences_before", "preferences_after")
    )
    return [
        build_table(
            "Position before and after discussion, in %",
            list(first),
            Column("Reviewer", ""),
            Column("First, before", first.get, "share"),
            Column("First, after", first_after.get, "share"),
            Column("Same, before", same.get, "share"),
            Column("Same, after", same_after.get, "share"),
        ),
        build_table(
            "Win rate of an author before and after discussion, by the place of its answer, in %",
            [(row, wins_after.get(key)) for key, row in wins.items()],
            Column("Reviewer", "0.reviewer"),
            Column("Author", "0.author"),
            Column("Before", "0.share", "share", key="before"),
            Column("After", "1.share", "share", key="after"),
            Column("Shown first, before", "0.first", "share", key="first_before"),
            Column("Shown first, after", "1.first", "share", key="first_after"),
            Column("Shown second, before", "0.second", "share", key="second_before"),
            Column("Shown second, after", "1.second", "share", key="second_after"),
            names=2,
        ),
    ]


def _build_self_table(rows: Sequence[SelfEnhancement], gold: str) -> Table:
    """Return the win rate of each reviewer's own answers by judge."""
    return build_table(
        "Self-preference: win rate by judge in %, differences in points",
        rows,
        Column("Reviewer", "reviewer"),
        (
            "Answers",
            lambda row: "own" if row.kind == "own" else f"family: {', '.join(row.authors)}",
        ),
        Column("Reviewer's view", "own_view", "share"),
        Column("Peers", "peers", "share"),
        Column(gold.capitalize(), "gold", "share"),
        Column("Over peers", "against_peers", "points"),
        Column(f"Over {gold}", "against_gold", "points"),
        names=2,
        note="On the same pairs. A difference above 0 favours the reviewer's own answers.",
    )


def _build_length_table(rows: Sequence[Verbosity], gold: str) -> Table:
    """Return how often each reviewer chooses the longer answer, and the odds of length."""
    quality = _CONTROLS.get(rows[0].control, "") if rows else ""
    return build_table(
        "Length: choices of the longer answer in %, and odds",
        rows,
        Column("Reviewer", "reviewer"),
        Column("Longer", "longer", "share"),
        Column(f"Longer, {gold}", "gold_longer", "share"),
        Column(
            "Odds",
            "odds",
            about="of being chosen for each doubling of length, at equal position and "
            f"author{quality}; 1 means no effect, and random verdicts draw all odds to 1. Quality is "
            "known only roughly: where better answers are longer, the odds are too high",
        ),
        Column(
            f"Odds over {gold}",
            "over_gold",
            about=f"at equal position and author, relative to the odds of {gold} on the same pairs",
        ),
        note=""
        if all(one is None or one.n for row in rows for one in (row.odds, row.over_gold))
        else f"Odds are left out where their interval reaches beyond {MOST_ODDS:.0f} or 1/{MOST_ODDS:.0f}.",
    )
