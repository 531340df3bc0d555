"""Tables and sentences of the model of verdicts, and of the style-controlled ranking."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import TYPE_CHECKING

from peerjudge.data import Measurement, Standing
from peerjudge.reporting.contestants import measure_rank, measure_score
from peerjudge.reporting.formats import counted, decimal, share
from peerjudge.reporting.layout import Column, Table, build_table

if TYPE_CHECKING:
    from peerjudge.analysis.style_control import ControlledRanking, StyleCoefficient
    from peerjudge.analysis.verdict_model import Effect, VerdictModel

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


def build_model_table(found: VerdictModel) -> Table:
    """Return the effects of a model of verdicts, each with its interval and in words."""
    several = {effect.term for effect in found.effects if effect.name}

    def name(effect: Effect) -> str:
        mean = effect.term in several and not found.pooled
        return effect.name or ("mean of reviewers" if mean else "all")

    return build_table(
        "Effects on a verdict, all else equal, in log-odds",
        found.effects,
        Column("Effect", "term"),
        ("Of", name),
        Column("Estimate", "value", digits=2),
        Column("Verdicts", "value.n"),
        ("Reading", _read),
        names=2,
        note="Intervals: 95 %, with questions as the unit. `no clear effect`: 0 is inside the interval.",
    )


def describe_model(found: VerdictModel) -> list[str]:
    """Return what the model was fitted to, what it holds equal, and what it left out."""
    said = [
        (
            f"{counted(found.verdicts, 'verdict')} on {counted(found.comparisons, 'pair')} of "
            f"{counted(found.questions, 'question')}; {found.ties:,} ties count as half a choice of either "
            f"answer; {found.unreadable:,} more without a readable verdict are left out."
        ),
        (
            "Logistic mixed model by maximum likelihood with a random effect of each pair and a weak prior "
            "(log-F of one observation) on every effect, so that no effect is infinite."
        ),
    ]
    if found.authors:
        said.append("The strengths of the authors of the answers are held equal, too.")
    if found.without_texts:
        said.append(
            f"{counted(found.without_texts, 'verdict')} on pairs without texts are left out."
        )
    if not found.both_orders and any(effect.term == "position" for effect in found.effects):
        said.append(_ONE_ORDER)
    if any(effect.term == "length" for effect in found.effects):
        said.append(
            "Length: where longer answers are better in ways that gold does not show, the effect is too high."
        )
    if any(effect.term == "condition" for effect in found.effects):
        said.append(f"Conditions are compared with '{found.first_condition}'.")
    said += [
        f"Left out: {one.term}{f' of {one.name!r}' if one.name else ''}: {one.reason}."
        for one in found.left_out
    ]
    return said


def build_control_tables(found: ControlledRanking) -> list[Table]:
    """Return the ranks with and without control of style, and the coefficients of the styles."""
    plain = found.plain.contestants
    several = found.plain.groups if len(found.plain.groups) > 1 else ()
    group_of = {name: k for k, group in enumerate(several, 1) for name in group}
    return [
        build_table(
            "Bradley-Terry ranking with and without control of style, scores in rating points",
            list(found.contestants),
            Column("Contestant", ""),
            Column("Group", group_of.get),
            *(
                column
                for kind, standings in (("controlled", found.contestants), ("plain", plain))
                for column in _standing_columns(kind, standings, questions=found.plain.questions)
            ),
        ),
        build_table(
            "Effect of style on being chosen, contestants being equal, in log-odds",
            found.coefficients,
            Column("Style", "feature"),
            Column("Estimate", "value", digits=2),
            Column("Battles", "value.n"),
            ("Reading", _read_style),
            note="Length and markdown: for a difference of one standard deviation, where the difference "
            "of two answers is that of their numbers divided by the sum. Battles: those that differ in it.",
        ),
    ]


def _standing_columns(
    kind: str, standings: Mapping[str, Standing], *, questions: int
) -> tuple[Column, ...]:
    return (
        Column(f"Rank, {kind}", lambda name: measure_rank(standings[name], n=questions), digits=0),
        Column(f"Score, {kind}", lambda name: measure_score(standings[name]), digits=0),
    )


def describe_control(found: ControlledRanking) -> list[str]:
    """Return what was controlled, what could not be, and how to read the two rankings."""
    plain = found.plain
    said = [
        (
            f"{counted(plain.reviews, 'review')} of {counted(plain.questions, 'question')}; bounds are 95 %, "
            "of the controlled scores by a jackknife of the questions"
            f"{'' if plain.weights.scheme is None else ' at fixed peer weights'}."
        )
    ]
    if not found.both_orders and "position" in found.controls:
        said.append(_ONE_ORDER)
    if found.without_texts:
        said.append(
            f"{counted(found.without_texts, 'battle')} of pairs without texts are left out."
        )
    said += [f"Not controlled: {name}: {reason}." for name, reason in found.left_out.items()]
    said.append(
        "A style that goes with quality takes some of it: the controlled ranking shows how far the plain one "
        "depends on style."
    )
    return said


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
