"""One model of all verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from peerjudge.analysis.selecting import HUMAN
from peerjudge.analysis.verdict_model import (
    VerdictModel,
    build_model_document,
    fit_verdict_model,
)
from peerjudge.reporting.formats import preface
from peerjudge.reporting.models import build_model_table, describe_model
from peerjudge.results.base import Document, FramedResult, Shown, list_names
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_material


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ModelResult(FramedResult):
    """Effects on verdicts, each with all others equal."""

    frame: ClassVar[str] = "model"
    model: VerdictModel

    def document(self) -> Document:
        """Return the document of `peerjudge model --json`."""
        return make_plain(build_model_document(self.model))

    def parts(self) -> Shown:
        """Return the table of effects, and what the model holds equal and leaves out."""
        return [
            *preface(simulated=self.model.simulated, questions=self.model.questions),
            build_model_table(self.model),
            "",
            *describe_model(self.model),
        ]

    def rows(self) -> Iterator[Cells]:
        """Yield one row for each effect."""
        for effect in self.model.effects:
            yield {"effect": effect.term, "name": effect.name, **list_cells(effect.value)}


def model(
    source: Source,
    *,
    reviewers: str | Sequence[str] | None = None,
    gold: str = HUMAN,
    families: Mapping[str, str] | None = None,
    contestant_of: Mapping[str, str] | None = None,
    pooled: bool = False,
) -> ModelResult:
    """Fit one logistic mixed model to the verdicts before discussions and at every turn of them.

    Each effect (ability, difficulty, position, length, own answers, discussion) is with all others equal,
    which single measures (`bias`, `score`) are not. Intervals have questions as the unit.

    Args:
        source: Run, dataset `NAME:PATH`, or transcripts.
        reviewers: Only these.
        gold: `human` for the gold of the data, or the name of a reviewer to measure against.
        families: Family by reviewer or author; added to those that the cards of a run declare.
        contestant_of: Contestants by reviewer, for reviewers with another name than theirs, for peer weights
            and self-preference; they replace those that the cards of a run declare.
        pooled: One effect of position, length, own answer and family for all reviewers, instead of one for
            each.

    Raises:
        DataError: There are no verdicts on pairs by these reviewers, or all are on one question.
        ConvergenceError: The fit did not converge.
        StoreError: There is no such run.

    Example:
        >>> found = pj.model("study")
        >>> found.df["effect"].to_list()[:2]
        ['ability', 'ability']
    """
    material = read_material(source, contestant_of=contestant_of)
    fitted = fit_verdict_model(
        material.ballots,
        reviewers=list_names(reviewers),
        gold=gold,
        families=material.merge_families(families),
        pooled=pooled,
    )
    return ModelResult(model=fitted)
