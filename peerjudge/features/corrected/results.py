"""Corrected win rates as shown: a table, what was gained, and a frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import ClassVar

from peerjudge.analysis import Ballots, select_judges
from peerjudge.analysis.selecting import number_judges
from peerjudge.data import LEVEL, to_plain
from peerjudge.data.arguments import check_arguments
from peerjudge.errors import DataError
from peerjudge.features.corrected.correcting import (
    LEAST,
    CorrectedRow,
    correct_win_rates,
    find_least,
)
from peerjudge.reporting.formats import counted, decimal, preface, share
from peerjudge.reporting.layout import Column, Table, build_table
from peerjudge.results.base import Document, FramedResult, Shown, list_names
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_material
from peerjudge.tracker import Stance

__all__ = ["CorrectedResult", "corrected"]

_VALID = (
    "The corrected figure is that of people, whatever the bias of the judges, if the labelled questions are "
    "a random part of all. Its interval may be wider than that of people alone; choosing the narrower of the "
    "two would leave neither its level."
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CorrectedResult(FramedResult):
    """Win rates by judges, corrected by people; `reviewers` are the judges, together an equal panel."""

    frame: ClassVar[str] = "corrected"
    reviewers: tuple[str, ...]
    contestants: tuple[CorrectedRow, ...]
    simulated: bool

    def document(self) -> Document:
        """Return the document of `peerjudge corrected --json`."""
        return make_plain(
            {
                "simulated": self.simulated,
                "reviewers": list(self.reviewers),
                "contestants": [to_plain(row) for row in self.contestants],
            }
        )

    def parts(self) -> Shown:
        """Return the table, what was gained, and when it is valid."""
        labeled = max(row.labeled for row in self.contestants)
        first = preface(simulated=self.simulated, questions=labeled)
        return [*first, self._build_table(), *self._say_gain(), _VALID]

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each figure of each contestant."""
        for row in self.contestants:
            name = {"contestant": row.contestant}
            bias = row.bias
            yield {**name, "measure": "judges", **list_cells(row.judges)}
            yield {**name, "measure": "bias", **list_cells(bias.difference), "p": bias.p_value}
            yield {
                **name,
                "measure": "corrected",
                **list_cells(row.corrected),
                "saved": row.saved,
            }
            yield {**name, "measure": "people", **list_cells(row.people)}

    def _build_table(self) -> Table:
        return build_table(
            f"Win rates by {' & '.join(self.reviewers)}, corrected by people, in % [{LEVEL:.0%} interval]",
            self.contestants,
            Column("Contestant", "contestant"),
            Column("Judges", "judges", "share", about="on all questions"),
            Column(
                "Bias",
                "bias.difference",
                "points",
                about="judges minus people, on the labelled questions",
                key="bias",
            ),
            Column("Corrected", "corrected", "share"),
            Column("People alone", "people", "share"),
            Column(
                "Labels saved",
                "saved",
                "share",
                about="fewer labels for an equally wide interval; 0 where it saves nothing",
            ),
        )

    def _say_gain(self) -> Iterator[str]:
        """Yield how many questions are labelled, and for whom correcting saves nothing."""
        sizes = sorted({(row.labeled, row.questions) for row in self.contestants})
        for labeled, questions in sizes:
            some = [
                row
                for row in self.contestants
                if (row.labeled, row.questions) == (labeled, questions)
            ]
            names = "" if len(sizes) == 1 else f" ({', '.join(row.contestant for row in some)})"
            yield f"People voted on {labeled:,} of {counted(questions, 'question')}{names}."
            if labeled == questions:
                yield "Nothing is saved: people voted on all of them, and their figure needs no judge."
                continue
            useless = [row for row in some if row.saved == 0.0]
            if useless:
                shown = ", ".join(map(_name_correlation, useless))
                least = find_least(labeled, questions)
                yield (
                    f"It saves nothing for {shown}: judges and people correlate over questions, and "
                    + (
                        f"a correlation of {decimal(least, 2)} or less brings less than it costs."
                        if least < 1.0
                        else "with so few labels no correlation brings more than it costs."
                    )
                )
            if len(useless) < len(some):
                most = max(some, key=lambda row: row.saved)
                yield f"It saves most for {most.contestant}: {share(most.saved)} % of labels."


def _name_correlation(row: CorrectedRow) -> str:
    if isnan(row.correlation):
        return f"{row.contestant} (one of the two never varies)"
    return f"{row.contestant} ({decimal(row.correlation, 2)})"


@check_arguments
def corrected(
    source: Source,
    *,
    people: Source | None = None,
    reviewers: str | Sequence[str] | None = None,
    stance: Stance = "private",
) -> CorrectedResult:
    """Correct the win rates that judges give to contestants by people's votes on some of the questions.

    Judges judge all questions, people some, best drawn at random. The corrected win rate is that of people,
    narrowed by what judges tell about the questions without votes (PPI++, Angelopoulos et al. 2023,
    arXiv 2311.01453), with questions as the unit. Beside it stand the judges' figure and its bias, people's
    alone, and the share of labels saved, or that nothing is saved.

    Args:
        source: Run, dataset `NAME:PATH`, or transcripts, in which the judges judged.
        people: Data with the votes of people on the same questions and contestants, such as what `annotate`
            writes; by default the votes in the source itself.
        reviewers: Only these judges; several are a panel with equal weights. By default all.
        stance: For a run: `private` verdicts, before a seat heard another one, or `final` ones.

    Raises:
        DataError: There are no votes of people, or on fewer than 4 of the judged questions.
        StoreError: There is no such run.

    Example:
        >>> found = pj.corrected("vicuna80:downloads", reviewers="gpt4")
        >>> own = next(row for row in found.contestants if row.contestant == "gpt4")
        >>> round(own.judges.value, 3), round(own.people.value, 3)
        (0.856, 0.763)
    """
    material = read_material(source).ballots
    votes = material if people is None else read_material(people).ballots
    voted = votes.where(votes.by_people)
    if not len(voted):
        msg = (
            f"{votes.name} has no votes of people; name data with votes (--people), with a column "
            "annotator, or with the people named"
        )
        raise DataError(msg)
    judged = select_judges(material.of_stance(stance), reviewers=list_names(reviewers))
    rows = correct_win_rates(judged, voted)
    if not rows:
        msg = (
            f"people voted on fewer than {LEAST} of the questions of {material.name} for every contestant; "
            "label more questions, of the same ids and with the same contestants"
        )
        raise DataError(msg)
    names = tuple(name for name, _ in number_judges(judged))
    simulated = _is_simulated(judged, names)
    return CorrectedResult(reviewers=names, contestants=rows, simulated=simulated)


def _is_simulated(ballots: Ballots, names: Sequence[str]) -> bool:
    return ballots.simulated or not set(names).isdisjoint(ballots.simulated_reviewers)
