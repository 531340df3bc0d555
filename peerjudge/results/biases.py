"""Position, self-preference and length bias of reviewers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from peerjudge.analysis import (
    Bias,
    OrderConsistency,
    Position,
    build_bias_document,
    measure_bias,
)
from peerjudge.analysis.selecting import HUMAN
from peerjudge.data import Measurement, replace
from peerjudge.reporting.biases import build_bias_tables, draw_places, select_rows
from peerjudge.reporting.figures import Figure
from peerjudge.reporting.formats import interval_note, preface
from peerjudge.results.base import Document, DrawnResult, Shown, list_names, name_gold
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_material

_LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BiasResult(DrawnResult):
    """Biases of every reviewer; `gold` is the name of the gold in the tables."""

    frame: ClassVar[str] = "bias"
    bias: Bias
    gold: str
    questions: int

    def document(self) -> Document:
        """Return the document of `peerjudge bias --json`."""
        return make_plain(build_bias_document(self.bias))

    def parts(self) -> Shown:
        """Return one table for each measure, and what the intervals are."""
        return [
            *preface(simulated=self.bias.simulated, questions=self.questions),
            *build_bias_tables(replace(self.bias, gold=self.gold)),
            "",
            interval_note(_LEVEL, self.questions),
        ]

    @property
    def simulated(self) -> bool:
        """True if reviewers are simulated."""
        return self.bias.simulated

    @property
    def figures(self) -> Mapping[str, Figure]:
        """The choices of the first-shown answer by reviewers that saw both orders."""
        measures = self.bias.measures
        places = draw_places(
            select_rows(measures, "position", Position),
            select_rows(measures, "consistency", OrderConsistency),
            note=interval_note(_LEVEL, self.questions),
        )
        return {} if places is None else {places.id: places}

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
    )
