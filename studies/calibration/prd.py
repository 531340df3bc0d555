"""PRD's discussions on LFQA: published figures, expectations of a cast, and the best-fitting cast.

One cast of three reviewers has to account for all figures at once: the private and discussed accuracies
of Table 4, Tables 6, 7 and 9, and the events of section 5. Each discussed accuracy counts also as a gain
over the mean private accuracy of its pair: published by subtraction, and much less noisy than either.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from peerjudge.simulation.traits import Traits
from studies.analytic import (
    Case,
    Discussion,
    Floats,
    Settle,
    compute_accuracy,
    compute_chances,
    expect_discussion,
    integrate,
)
from studies.calibration.fitting import Fit, Parameter, Values, fit_figures
from studies.calibration.targets import Figure, PrdTargets

PRIVATE = "PRD Table 4, private"
DISCUSSED = "PRD Table 4, discussed"
GAIN = "PRD Table 4, gain"
PROMPT = "PRD Table 9"
WINS = "PRD Table 6"
PLACE = "PRD Table 7"
HELD = "PRD section 5, held"
ALTERED = "PRD section 5, altered as leader"

ACCURACIES = (PRIVATE, DISCUSSED, PROMPT)
"""Groups of accuracies on all 140 questions."""

_SPREADS = {
    PRIVATE: 0.0394,
    DISCUSSED: 0.0387,
    GAIN: 0.0225,
    PROMPT: 0.0387,
    WINS: 0.056,
    PLACE: 0.079,
    HELD: 10.0,
    ALTERED: 1.5,
}
"""About the sampling errors: of 140 questions, of 75, of 37; of paired differences; of counts."""
_AFTER = 0.85
"""Figures after discussing are means of several discussions, and scatter less."""

_WHEN = ("private", "after")
_PLACES = (
    "private, GPT-3 first",
    "private, human first",
    "after, GPT-3 first",
    "after, human first",
)

_FAR = 40.0
"""A logit so large that its probability is 0 or 1."""
_MOVING = ("susceptibility", "firmness", "truth_pull")

Cast = Mapping[str, Traits]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Free parameters, and the cast that follows from their values."""

    name: str
    parameters: tuple[Parameter, ...]
    build_cast: Callable[[Values], Cast] = field(hash=False)


def list_figures(published: PrdTargets) -> tuple[Figure, ...]:
    """Return every published figure, the gains included, in the order of the tables."""
    # The same private run is printed in several lines of Table 4.
    private: dict[str, float] = {}
    for pair in published.pairs:
        private |= dict(zip(pair.private_runs, pair.private, strict=True))
    found = [_figure(PRIVATE, run, value) for run, value in private.items()]
    rows = [
        (pair, f"{pair.name}, {lead}", value)
        for pair in published.pairs
        for lead, value in zip(pair.leads, pair.discussion, strict=True)
    ]
    found += [_figure(DISCUSSED, name, value) for _, name, value in rows]
    found += [
        _figure(PROMPT, f"{prompt}, {lead}", value)
        for prompt, values in published.prompts.items()
        for lead, value in zip(published.pairs[0].leads, values, strict=True)
    ]
    found += [_figure(GAIN, name, value - sum(pair.private) / 2) for pair, name, value in rows]
    found += _list_preferences(published)
    found += [_figure(HELD, name, count) for name, count in published.held.items()]
    found += [_figure(ALTERED, name, count) for name, count in published.altered_as_leader.items()]
    return tuple(found)


def _list_preferences(published: PrdTargets) -> Iterator[Figure]:
    for group, table, columns in (
        (WINS, published.gpt3_wins, _WHEN),
        (PLACE, published.gpt3_wins_by_place, _PLACES),
    ):
        for name, values in table.items():
            for column, value in zip(columns, values, strict=True):
                shrink = _AFTER if column.startswith("after") else 1.0
                yield _figure(group, f"{name}, {column}", value, shrink=shrink)


def _figure(group: str, name: str, published: float, *, shrink: float = 1.0) -> Figure:
    return Figure(group=group, name=name, published=published, spread=_SPREADS[group] * shrink)


def tally_figures(
    published: PrdTargets,
    *,
    private: Mapping[str, Floats],
    discussed: Mapping[tuple[str, int], Floats],
    prompts: Mapping[tuple[str, int], Floats],
    wins: Mapping[str, tuple[Floats, Floats, Floats, Floats]],
    held: Mapping[str, Floats],
    altered: Mapping[str, Floats],
) -> Mapping[str, Floats]:
    """Return the figures by id that follow from the counts of PRD, which are numbers or arrays.

    Args:
        published: the published figures.
        private: accuracies by private run.
        discussed: accuracies by pair and leader (0, 1, 2 for random).
        prompts: the same by prompt.
        wins: of GPT-3 by reviewer, in private and after discussing, each with GPT-3 first and second.
        held: number of held opinions by reviewer.
        altered: number of altered opinions as leader, by reviewer.
    """
    found: dict[str, Floats] = {f"{PRIVATE}: {run}": value for run, value in private.items()}
    for pair in published.pairs:
        one, other = (private[run] for run in pair.private_runs)
        for place, lead in enumerate(pair.leads):
            value = discussed[pair.name, place]
            found[f"{DISCUSSED}: {pair.name}, {lead}"] = value
            found[f"{GAIN}: {pair.name}, {lead}"] = value - (one + other) / 2
    for (prompt, place), value in prompts.items():
        found[f"{PROMPT}: {prompt}, {published.pairs[0].leads[place]}"] = value
    first = sum(case.count for case in published.questions if case.machine > 0)
    second = sum(case.count for case in published.questions if case.machine < 0)
    for name, shares in wins.items():
        for when, (ahead, behind) in zip(_WHEN, (shares[:2], shares[2:]), strict=True):
            found[f"{WINS}: {name}, {when}"] = (ahead * first + behind * second) / (first + second)
        for place, share in zip(_PLACES, shares, strict=True):
            found[f"{PLACE}: {name}, {place}"] = share
    found |= {f"{HELD}: {name}": held[name] for name in published.held}
    found |= {f"{ALTERED}: {name}": altered[name] for name in published.altered_as_leader}
    return found


def expect_figures(
    cast: Cast, published: PrdTargets, *, settle: Settle = "coin"
) -> Mapping[str, float]:
    """Return the expectations of the cast by the id of the figure."""
    cases = published.questions
    alone = {name: compute_chances(traits, cases) for name, traits in cast.items()}
    twice = {name: compute_chances(traits, cases, copies=True) for name, traits in cast.items()}
    counts = np.array([float(case.count) for case in cases])
    talks: dict[tuple[str, int], Discussion] = {}
    for pair in published.pairs:
        seen = twice if pair.copies else alone
        one, other = ((cast[name], seen[name]) for name in pair.reviewers)
        talks[pair.name, 0] = expect_discussion(one, other, cases, settle=settle)
        talks[pair.name, 1] = expect_discussion(other, one, cases, settle=settle)
    right = {key: np.asarray(talk.right @ counts / counts.sum()) for key, talk in talks.items()}
    for pair in published.pairs:
        right[pair.name, 2] = (right[pair.name, 0] + right[pair.name, 1]) / 2
    private = {name: integrate(seen) for name, seen in alone.items()}
    after, held, altered = _sum_discussions(talks, published, counts)
    figures = tally_figures(
        published,
        private={
            run: np.asarray(compute_accuracy(private[name], cases))
            for pair in published.pairs
            for run, name in zip(pair.private_runs, pair.reviewers, strict=True)
        },
        discussed=right,
        prompts={
            (prompt, place): right[published.pairs[0].name, place]
            for prompt in published.prompts
            for place in range(3)
        },
        wins={
            name: (*_expect_wins(private[name], cases), *_expect_wins(after[name], cases))
            for name in published.reviewers
        },
        held=held,
        altered=altered,
    )
    return {name: float(value) for name, value in figures.items()}


def _sum_discussions(
    talks: Mapping[tuple[str, int], Discussion], published: PrdTargets, counts: Floats
) -> tuple[Mapping[str, Floats], Mapping[str, Floats], Mapping[str, Floats]]:
    """Return final preferences for the first answer, and events, by reviewer, without copies."""
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


def _expect_wins(first: Floats, cases: Sequence[Case]) -> tuple[Floats, Floats]:
    """Return the shares of preferences for GPT-3 where it is shown first, and where second."""

    def expect(place: int, preferred: Floats) -> Floats:
        weight = np.array([float(case.count * (case.machine == place)) for case in cases])
        return np.asarray(preferred @ weight / weight.sum())

    return expect(1, first), expect(-1, 1 - first)


def list_parameters(reviewers: Sequence[str]) -> tuple[Parameter, ...]:
    """Return the free parameters: four traits of each reviewer, and four common to all."""
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
        Parameter(name=str(name), low=low, high=high, prior=prior, spread=spread)
        for name, low, high, prior, spread in (*named, *common)
    )


def build_cast(values: Values, reviewers: Sequence[str]) -> dict[str, Traits]:
    """Build the reviewers with these values; a trait without a reviewer's name is common to all."""
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


def build_model(published: PrdTargets) -> Model:
    """Return the model of reviewers with traits of their own."""
    names = published.reviewers
    return Model(
        name="fitted",
        parameters=list_parameters(names),
        build_cast=lambda found: build_cast(found, names),
    )


def fit_prd(
    published: PrdTargets,
    *,
    model: Model | None = None,
    settle: Settle = "coin",
    without: Container[str] = (),
) -> Fit:
    """Fit a model (by default reviewers with traits of their own) to all figures but `without` (ids)."""
    fitted = model or build_model(published)
    kept = [figure for figure in list_figures(published) if figure.id not in without]
    return fit_figures(
        fitted.parameters,
        kept,
        lambda found: expect_figures(fitted.build_cast(found), published, settle=settle),
    )


def list_null_models(published: PrdTargets) -> tuple[Model, ...]:
    """Return three models without an essential claim of the fitted one.

    No reviewer moves; the follower always yields; all reviewers are one average reviewer. Figures that
    they meet as well as the fitted model are no evidence for it.
    """
    names = published.reviewers
    judging = tuple(
        parameter
        for parameter in list_parameters(names)
        if parameter.name.partition(" ")[0] not in _MOVING
    )

    def build_still(found: Values) -> Cast:
        return _fix_moving(build_cast(found, names), susceptibility=-_FAR, firmness=0.0)

    def build_yielding(found: Values) -> Cast:
        return _fix_moving(build_cast(found, names), susceptibility=_FAR, firmness=2 * _FAR)

    one = list_parameters(names[:1])
    alike = tuple(replace(parameter, name=parameter.name.partition(" ")[0]) for parameter in one)
    return (
        Model(name="no seat alters", parameters=judging, build_cast=build_still),
        Model(name="follower always yields", parameters=judging, build_cast=build_yielding),
        Model(
            name="one average reviewer",
            parameters=alike,
            build_cast=lambda found: build_cast(found, names),
        ),
    )


def build_unguided_model(published: PrdTargets) -> Model:
    """Return the full model without the pull of the truth."""
    names = published.reviewers
    return Model(
        name="the truth does not pull",
        parameters=tuple(one for one in list_parameters(names) if one.name != "truth_pull"),
        build_cast=lambda found: build_cast({**found, "truth_pull": 0.0}, names),
    )


def _fix_moving(cast: Cast, *, susceptibility: float, firmness: float) -> Cast:
    return {
        name: replace(traits, susceptibility=susceptibility, firmness=firmness, truth_pull=0.0)
        for name, traits in cast.items()
    }
