"""Rankings at equal style of the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from peerjudge.analysis.style_control import (
    CONTROLS,
    ControlledRanking,
    build_control_document,
    control_styles,
)
from peerjudge.data import Scheme
from peerjudge.data.choices import require_choice
from peerjudge.reporting.contestants import describe_groups
from peerjudge.reporting.formats import preface
from peerjudge.reporting.models import build_control_tables, describe_control
from peerjudge.results.base import Document, FramedResult, Shown, list_names
from peerjudge.results.columns import Cells
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_material
from peerjudge.tracker import Stance


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StyleResult(FramedResult):
    """A Bradley-Terry ranking at equal style, beside the plain one."""

    frame: ClassVar[str] = "styles"
    ranking: ControlledRanking

    def document(self) -> Document:
        """Return the document of `peerjudge rank --control ... --json`."""
        return make_plain(build_control_document(self.ranking))

    def parts(self) -> Shown:
        """Return the two rankings, the effects of the styles, and how to read them."""
        groups = describe_groups(self.ranking.plain)
        return [
            *preface(simulated=self.ranking.simulated, questions=self.ranking.plain.questions),
            *build_control_tables(self.ranking),
            "",
            *describe_control(self.ranking),
            *([groups] if groups else []),
        ]

    def rows(self) -> Iterator[Cells]:
        """Yield the rank and score of each contestant, at equal style and plain."""
        rankings = {"equal": self.ranking.contestants, "plain": self.ranking.plain.contestants}
        for style, contestants in rankings.items():
            for name, one in contestants.items():
                yield {
                    "contestant": name,
                    "style": style,
                    "rank": one.rank,
                    "score": one.score,
                    "low": one.low,
                    "high": one.high,
                }


def rank_styles(
    source: Source,
    *,
    controls: str | Sequence[str] = CONTROLS,
    weights: Literal["equal", "peer"] | Mapping[str, float] = "equal",
    scheme: Scheme | str = Scheme.PRD,
    reviewers: str | Sequence[str] | None = None,
    stance: Stance = "private",
    exclude_self: bool = False,
    exclude_family: bool = False,
    families: Mapping[str, str] | None = None,
    contestant_of: Mapping[str, str] | None = None,
    prior: float = 0.0,
    bootstrap: int = 1000,
    seed: int = 0,
) -> StyleResult:
    """Rank the contestants at equal position, length and markdown, and without this control.

    Args:
        source: Run, dataset `NAME:PATH`, or transcripts.
        controls: What to hold equal: `position`, `length`, `markdown`.
        weights: As for `rank`, like the arguments below.
        scheme: See `weights`.
        reviewers: See `weights`.
        stance: See `weights`.
        exclude_self: See `weights`.
        exclude_family: See `weights`.
        families: See `weights`.
        contestant_of: See `weights`.
        prior: See `weights`.
        bootstrap: Resamples of the questions for the bounds of the plain ranking.
        seed: See `weights`.

    Raises:
        DataError: An unknown control, no readable battles, too few questions, or no finite strengths.
        ConvergenceError: The fit or the peer weights do not converge.
        StoreError: There is no such run.

    Example:
        >>> run = pj.run_sync("quickstart", limit=6, out="six")
        >>> found = pj.rank_styles("six", controls="position", bootstrap=0)
        >>> sorted(found.df["style"].unique())
        ['equal', 'plain']
    """
    require_choice(scheme, Scheme, name="scheme")
    if not isinstance(weights, Mapping):
        require_choice(weights, ("equal", "peer"), name="weights")
    material = read_material(source, contestant_of=contestant_of)
    excluded = material.merge_families(families) if exclude_family else dict[str, str]()
    ranking = control_styles(
        material.ballots.of_stance(stance),
        controls=list_names(controls) or (),
        reviewers=list_names(reviewers),
        excluded=excluded if exclude_self or exclude_family else None,
        weights=weights,
        scheme=Scheme(scheme),
        prior=prior,
        bootstrap=bootstrap,
        seed=seed,
    )
    return StyleResult(ranking=ranking)
