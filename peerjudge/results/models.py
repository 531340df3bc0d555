"""Models of verdicts: all effects on a verdict at once, and rankings at equal style of the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, ClassVar, Literal

from peerjudge.analysis.selecting import HUMAN
from peerjudge.analysis.style_control import CONTROLS, ControlledRanking, control_styles
from peerjudge.analysis.verdict_model import VerdictModel, fit_verdict_model
from peerjudge.data import Measurement, Scheme, Standing, to_plain
from peerjudge.data.choices import require_choice
from peerjudge.ranking import document_standings, ranking_document
from peerjudge.reporting.formats import counted, decimal, preface, share
from peerjudge.reporting.layout import Column, Table, build_table
from peerjudge.results.base import Document, FramedResult, Shown, list_names
from peerjudge.results.columns import Cells, list_cells
from peerjudge.results.contestants import (
    describe_groups,
    measure_rank,
    measure_score,
    number_groups,
)
from peerjudge.results.plain import make_plain
from peerjudge.runs.reading import Source, read_material
from peerjudge.tracker import Stance

if TYPE_CHECKING:
    from peerjudge.analysis.style_control import StyleCoefficient
    from peerjudge.analysis.verdict_model import Effect


_MORE = {
    "length": "the longer answer",
    "headers": "the answer with more headers",
    "lists": "the answer with more items of lists",
    "bold": "the answer with more bold text",
}
_ONE_ORDER = (
    "No pair was shown in both orders: position also has what makes the answers shown first better."
)
_CHOSEN = {
    "length": "for an answer twice as long",
    "own answer": "for its own answer",
    "family": "for answers of its family",
    "discussion": "for gold in the first turn of a discussion",
    "condition": "for gold, over the first condition",
    "turn": "for gold for each further turn of a reviewer",
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ModelResult(FramedResult):
    """Effects on verdicts, each with all others equal."""

    frame: ClassVar[str] = "model"
    model: VerdictModel

    def document(self) -> Document:
        """Return the document of `peerjudge model --json`."""
        return make_plain(to_plain(self.model))

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


def build_model_table(fitted: VerdictModel) -> Table:
    """Return the effects of a model of verdicts, each with its interval and in words."""
    several = {effect.term for effect in fitted.effects if effect.name}

    def name(effect: Effect) -> str:
        mean = effect.term in several and not fitted.pooled
        return effect.name or ("mean of reviewers" if mean else "all")

    return build_table(
        "Effects on a verdict, all else equal, in log-odds",
        fitted.effects,
        Column("Effect", "term"),
        ("Of", name),
        Column("Estimate", "value", digits=2),
        Column("Verdicts", "value.n"),
        ("Reading", _read),
        names=2,
        note="Intervals: 95 %, with questions as the unit. `no clear effect`: 0 is inside the interval. Each "
        "holds for one row: of 20 rows without an effect, about one has no 0 inside.",
    )


def describe_model(fitted: VerdictModel) -> list[str]:
    """Return what the model was fitted to, what it holds equal, and what it left out."""
    sentences = [
        (
            f"{counted(fitted.verdicts, 'verdict')} on {counted(fitted.comparisons, 'pair')} of "
            f"{counted(fitted.questions, 'question')}; {fitted.ties:,} ties count as half a choice of either "
            f"answer; {fitted.unreadable:,} more without a readable verdict are left out."
        ),
        (
            "Logistic mixed model by maximum likelihood with a random effect of each pair and a weak prior "
            "(log-F of one observation) on every effect, so that no effect is infinite."
        ),
    ]
    if fitted.authors:
        sentences.append("The strengths of the authors of the answers are held equal, too.")
    if fitted.without_texts:
        sentences.append(
            f"{counted(fitted.without_texts, 'verdict')} on pairs without texts are left out."
        )
    if not fitted.both_orders and any(effect.term == "position" for effect in fitted.effects):
        sentences.append(_ONE_ORDER)
    if any(effect.term == "length" for effect in fitted.effects):
        sentences.append(
            "Length: where longer answers are better in ways that gold does not show, the effect is too high."
        )
    if any(effect.term == "condition" for effect in fitted.effects):
        sentences.append(f"Conditions are compared with '{fitted.first_condition}'.")
    sentences += [
        f"Left out: {one.term}{f' of {one.name!r}' if one.name else ''}: {one.reason}."
        for one in fitted.left_out
    ]
    return sentences


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
            "Bradley-Terry ranking with and without control of style, scores in rating points",
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


def _read(effect: Effect) -> str:
    """Return an effect in words."""
    value = effect.value
    if effect.term == "difficulty":
        return f"two thirds of the pairs are within {decimal(value.value, 1)} of the average"
    clear = "" if _is_clear(value) else " (no clear effect)"
    if effect.term == "ability":
        return f"chooses gold in {_chance(value.value)} % of pairs of average difficulty{clear}"
    if effect.term == "position":
        return f"chooses the first-shown answer in {_chance(value.value)} %{clear}"
    return f"odds x{_odds(value.value)} {_CHOSEN[effect.term]}{clear}"


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
