"""Rankings at equal style of the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, ClassVar, Literal

from peerjudge.analysis.style_control import CONTROLS, ControlledRanking, control_styles
from peerjudge.data import Measurement, Scheme, Standing, to_plain
from peerjudge.data.arguments import check_arguments
from peerjudge.data.choices import require_choice
from peerjudge.ranking import document_standings, ranking_document
from peerjudge.reporting.formats import counted, decimal, preface, share
from peerjudge.reporting.layout import Column, Table, build_table
from peerjudge.results.base import Document, FramedResult, Shown, list_names
from peerjudge.results.columns import Cells
from peerjudge.results.contestants import (
    describe_groups,
    measure_rank,
    measure_score,
    name_weights,
    number_groups,
)
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_material
from peerjudge.tracker import Stance

if TYPE_CHECKING:
    from peerjudge.analysis.style_control import StyleCoefficient


_MORE = {
    "length": "the longer answer",
    "headers": "the answer with more headers",
    "lists": "the answer with more items of lists",
    "bold": "the answer with more bold text",
}
_ONE_ORDER = (
    "No pair was shown in both orders: position also has what makes the answers shown first better."
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StyleResult(FramedResult):
    """A Bradley-Terry ranking at equal style, beside the plain one."""

    frame: ClassVar[str] = "styles"
    ranking: ControlledRanking

    def document(self) -> Document:
        """Return the document of `peerjudge rank --control ... --json`: that of `rank`, and `controlled`."""
        ranking = self.ranking
        controlled = {
            "controls": list(ranking.controls),
            "contestants": document_standings(ranking.contestants),
            "coefficients": [to_plain(coefficient) for coefficient in ranking.coefficients],
            "left_out": dict(ranking.left_out),
            "without_texts": ranking.without_texts,
            "both_orders": ranking.both_orders,
        }
        plain = {**ranking_document(ranking.plain), "simulated": ranking.simulated}
        return make_plain({**plain, "controlled": controlled})

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
                bounds = {"low": one.low, "high": one.high}
                own = {"contestant": name, "style": style, "rank": one.rank, "score": one.score}
                yield own | bounds


def build_control_tables(ranking: ControlledRanking) -> list[Table]:
    """Return the ranks with and without control of style, and the coefficients of the styles."""
    questions = ranking.plain.questions

    def build_columns(kind: str, standings: Mapping[str, Standing]) -> tuple[Column, ...]:
        return (
            Column(
                f"Rank, {kind}", lambda name: measure_rank(standings[name], n=questions), digits=0
            ),
            Column(f"Score, {kind}", lambda name: measure_score(standings[name]), digits=0),
        )

    return [
        build_table(
            ", ".join(
                filter(
                    None,
                    (
                        "Bradley-Terry ranking with and without control of style",
                        name_weights(ranking.plain),
                        "scores in rating points",
                    ),
                )
            ),
            list(ranking.contestants),
            Column("Contestant", ""),
            Column("Group", number_groups(ranking.plain).get),
            *build_columns("controlled", ranking.contestants),
            *build_columns("plain", ranking.plain.contestants),
        ),
        build_table(
            "Effect of style on being chosen, contestants being equal, in log-odds",
            ranking.coefficients,
            Column("Style", "feature"),
            Column("Estimate", "value", digits=2),
            Column("Battles", "value.n"),
            ("Reading", _read_style),
            note="Length and markdown: for a difference of one standard deviation, where the difference "
            "of two answers is that of their numbers divided by the sum. Battles: those that differ in it.",
        ),
    ]


def describe_control(ranking: ControlledRanking) -> list[str]:
    """Return what was controlled, what could not be, and how to read the two rankings."""
    plain = ranking.plain
    sentences = [
        (
            f"{counted(plain.reviews, 'review')} of {counted(plain.questions, 'question')}; bounds are 95 %, "
            "of the controlled scores by a jackknife of the questions"
            f"{'' if plain.weights.scheme is None else ' at fixed peer weights'}."
        )
    ]
    if not ranking.both_orders and "position" in ranking.controls:
        sentences.append(_ONE_ORDER)
    if ranking.without_texts:
        sentences.append(
            f"{counted(ranking.without_texts, 'battle')} of pairs without texts are left out."
        )
    sentences += [f"Not controlled: {name}: {reason}." for name, reason in ranking.left_out.items()]
    sentences.append(
        "A style that goes with quality takes some of it: the controlled ranking shows how far the plain one "
        "depends on style."
    )
    return sentences


@check_arguments
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


def _read_style(one: StyleCoefficient) -> str:
    clear = "" if _is_clear(one.value) else " (no clear effect)"
    if one.feature == "position":
        return f"the first-shown answer wins in {_chance(one.value.value)} %{clear}"
    more = _MORE.get(one.feature, one.feature)
    return f"odds x{_odds(one.value.value)} for {more}{clear}"


def _is_clear(value: Measurement) -> bool:
    return value.low > 0.0 or value.high < 0.0


def _chance(logit: float) -> str:
    return share(1.0 / (1.0 + exp(-logit)))


def _odds(logit: float) -> str:
    return decimal(exp(logit), 2)
