"""PRD's discussions on LFQA: what a cast is expected to show of them, and the cast that fits best.

One cast of three reviewers has to account for all figures at once: the private and discussed accuracies
of Table 4 and the gains, Tables 6, 7 and 9, and the events of section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from peerjudge.simulation.traits import Traits
from studies.analytic import (
    Case,
    Discussion,
    Floats,
    Settle,
    accuracy,
    chances,
    discussion,
    expectation,
)
from studies.calibration.fitting import Fit, Parameter, Values, fit
from studies.calibration.prd_figures import Tally, figures, tally
from studies.calibration.targets import PrdTargets

__all__ = ["Cast", "Model", "cast_of", "expected", "fit_prd", "full_model", "parameters"]

Cast = Mapping[str, Traits]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What may vary, and the reviewers that follow from it."""

    name: str
    parameters: tuple[Parameter, ...]
    cast: Callable[[Values], Cast] = field(hash=False)


def expected(cast: Cast, published: PrdTargets, *, settle: Settle = "coin") -> Mapping[str, float]:
    """What the cast is expected to show, by the id of the figure."""
    cases = [
        Case(gold=kind.gold, machine=kind.machine, count=kind.count) for kind in published.questions
    ]
    alone = {name: chances(traits, cases) for name, traits in cast.items()}
    twice = {name: chances(traits, cases, copies=True) for name, traits in cast.items()}
    counts = np.array([case.count for case in cases])
    talks: dict[tuple[str, int], Discussion] = {}
    for pair in published.pairs:
        seen = twice if pair.copies else alone
        one, other = ((cast[name], seen[name]) for name in pair.reviewers)
        talks[pair.name, 0] = discussion(one, other, cases, settle=settle)
        talks[pair.name, 1] = discussion(other, one, cases, settle=settle)
    right = {key: np.asarray(talk.right @ counts / counts.sum()) for key, talk in talks.items()}
    for pair in published.pairs:
        right[pair.name, 2] = (right[pair.name, 0] + right[pair.name, 1]) / 2
    private = {name: expectation(seen) for name, seen in alone.items()}
    runs = {
        run: np.asarray(accuracy(private[name], cases))
        for pair in published.pairs
        for run, name in zip(pair.runs or pair.reviewers, pair.reviewers, strict=True)
    }
    after, held, altered = _in_discussions(talks, published, counts)
    tallied = Tally(
        private=runs,
        discussed=right,
        prompts={
            (prompt, place): right[published.pairs[0].name, place]
            for prompt in published.prompts
            for place in range(3)
        },
        wins={
            name: (*_wins(private[name], cases), *_wins(after[name], cases))
            for name in published.reviewers
        },
        held=held,
        altered=altered,
    )
    return {name: float(value) for name, value in tally(tallied, published).items()}


def _in_discussions(
    talks: Mapping[tuple[str, int], Discussion], published: PrdTargets, counts: Floats
) -> tuple[Mapping[str, Floats], Mapping[str, Floats], Mapping[str, Floats]]:
    """Final preferences for the first answer, and events, by reviewer, over discussions with others."""
    after: dict[str, list[Floats]] = {name: [] for name in published.reviewers}
    held = dict.fromkeys(published.reviewers, np.zeros(()))
    altered = dict.fromkeys(published.reviewers, np.zeros(()))
    for pair in published.pairs:
        if pair.copies:
            continue
        for place in (0, 1):
            talk = talks[pair.name, place]
            leader, follower = pair.reviewers[:: 1 - 2 * place]
            after[leader].append(talk.leader_first)
            after[follower].append(talk.follower_first)
            held[leader] = held[leader] + talk.leader_held @ counts
            held[follower] = held[follower] + talk.follower_held @ counts
            altered[leader] = altered[leader] + talk.leader_altered @ counts
    mean = {name: np.asarray(sum(values) / len(values)) for name, values in after.items()}
    return mean, held, altered


def _wins(first: Floats, cases: Sequence[Case]) -> tuple[Floats, Floats]:
    """How often GPT-3 is preferred where it is shown first, and where it is shown second."""
    found: list[Floats] = []
    for place in (1, -1):
        weight = np.array([case.count * (case.machine == place) for case in cases])
        preferred = first if place > 0 else 1 - first
        found.append(np.asarray(preferred @ weight / weight.sum()))
    return found[0], found[1]


def parameters(reviewers: Sequence[str]) -> tuple[Parameter, ...]:
    """What is fitted: four traits of each reviewer, and four that all share."""
    own = (
        ("ability", 0.0, 3.0, 0.6, 1.0),
        ("position_bias", -1.0, 1.0, 0.0, 0.5),
        ("machine_taste", -1.0, 1.5, 0.2, 0.5),
        ("susceptibility", -8.0, 8.0, 0.0, 5.0),
    )
    common = (
        ("shared_error", 0.0, 0.7, 0.4, 0.25),
        ("copy_error", 0.0, 0.3, 0.2, 0.25),
        ("firmness", 0.0, 10.0, 4.0, 5.0),
        ("truth_pull", 0.0, 3.0, 0.5, 1.5),
    )
    named = [(f"{trait} {name}", *rest) for name in reviewers for trait, *rest in own]
    return tuple(
        Parameter(name=str(name), low=low, high=high, prior=prior, spread=spread, start=prior)
        for name, low, high, prior, spread in (*named, *common)
    )


def cast_of(values: Values, reviewers: Sequence[str]) -> dict[str, Traits]:
    """The reviewers with these values; a trait without a reviewer's name is everybody's."""
    common = {name: value for name, value in values.items() if " " not in name}
    return {
        reviewer: Traits(
            **common,
            **{
                name.removesuffix(f" {reviewer}"): value
                for name, value in values.items()
                if name.endswith(f" {reviewer}")
            },
        )
        for reviewer in reviewers
    }


def fit_prd(
    published: PrdTargets,
    *,
    model: Model | None = None,
    settle: Settle = "coin",
    without: Container[str] = (),
) -> Fit:
    """The cast that comes nearest to the figures, but for those `without` (by id).

    Where there is a `model`, it is fitted in place of the full one.
    """
    fitted = model or full_model(published)
    kept = [figure for figure in figures(published) if figure.id not in without]
    values = np.array([figure.published for figure in kept])
    spread = np.array([figure.spread for figure in kept])

    def misses(found: Values) -> Floats:
        said = expected(fitted.cast(found), published, settle=settle)
        return (np.array([said[figure.id] for figure in kept]) - values) / spread

    return fit(fitted.parameters, misses)


def full_model(published: PrdTargets) -> Model:
    """Reviewers with traits of their own."""
    return Model(
        name="fitted",
        parameters=parameters(published.reviewers),
        cast=lambda found: cast_of(found, published.reviewers),
    )
