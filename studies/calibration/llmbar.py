"""PRePair's methods on LLMBar: six evaluators, five methods, five subsets, fitted at once.

An evaluator has an ability and a susceptibility to the surface; a subset has a clarity and a lure; a
method leaves a part of the surface's pull. Rating or explaining each answer alone leaves the same part
(`alone_dampening`), explaining both together another (`together_dampening`), and a verdict with or
without its reasons the whole: three methods of five are told apart by two numbers for all evaluators.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

import numpy as np

from peerjudge.simulation.latent import Subset, build_margins
from peerjudge.simulation.traits import Traits
from studies.analytic import Floats
from studies.calibration.fitting import Fit, Parameter, Values, fit
from studies.calibration.targets import Figure, LlmbarRow, LlmbarTargets

__all__ = [
    "CELL",
    "NATURAL",
    "TOTAL",
    "UNTAMED",
    "World",
    "dampening_of",
    "expected",
    "figures",
    "fit_llmbar",
    "row_name",
    "world_of",
]

CELL = "PRePair Table 4"
TOTAL = "PRePair Table 4, Adversarial"
NATURAL = "Natural"

UNTAMED = {"alone_dampening": 1.0, "together_dampening": 1.0}
"""What the methods' parameters are where none of them tames the surface."""

_NODES, _MOST = 40, 6.0
_ALONE = frozenset({"pointwise", "prepair"})
_TOGETHER = frozenset({"prepair_star"})


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The evaluators' traits and the subsets' properties, by name."""

    cast: Mapping[str, Traits] = field(hash=False)
    subsets: Mapping[str, Subset] = field(hash=False)


def figures(published: LlmbarTargets, *, warm: bool = False) -> tuple[Figure, ...]:
    """Every cell, then every total of Adversarial (at temperature 0.7 where `warm`)."""
    rows = published.warm if warm else published.rows
    sizes = list(published.items.values())
    cells = [
        Figure(
            group=CELL,
            name=f"{row_name(row)}, {subset}",
            published=value,
            spread=_error(value, size),
        )
        for row in rows
        for subset, size, value in zip(published.items, sizes, row.cells, strict=True)
    ]
    adversarial = sum(sizes) - published.items[NATURAL]
    totals = [
        Figure(
            group=TOTAL,
            name=row_name(row),
            published=row.total,
            spread=_error(row.total, adversarial),
        )
        for row in rows
    ]
    return (*cells, *totals)


def expected(world: World, published: LlmbarTargets) -> Mapping[str, float]:
    """The accuracies, by the id of the figure; the same at every temperature."""
    sizes = np.array(list(published.items.values()))
    others = np.array([subset != NATURAL for subset in published.items])
    found: dict[str, float] = {}
    for row in published.rows:
        shares = np.array([_share(world, row, subset) for subset in published.items])
        for subset, share in zip(published.items, shares.tolist(), strict=True):
            found[f"{CELL}: {row_name(row)}, {subset}"] = share
        found[f"{TOTAL}: {row_name(row)}"] = float(
            (shares * sizes)[others].sum() / sizes[others].sum()
        )
    return found


def row_name(row: LlmbarRow) -> str:
    """How a row is told apart: evaluator and method."""
    return f"{row.model} {row.method}"


def dampening_of(traits: Traits, method: str) -> float:
    """What a method (a protocol's name) leaves of the surface's pull."""
    if method in _ALONE:
        return traits.alone_dampening
    return traits.together_dampening if method in _TOGETHER else 1.0


def _share(world: World, row: LlmbarRow, subset: str) -> float:
    from scipy.special import ndtr

    traits, place = world.cast[row.model], world.subsets[subset]
    left = dampening_of(traits, row.method)
    margin, density = build_margins(_NODES, most=_MOST)
    seen = traits.ability * place.clarity * margin - traits.surface * left * place.lure
    right: Floats = np.asarray(ndtr(seen))
    return float(right @ density)


def parameters(published: LlmbarTargets) -> tuple[Parameter, ...]:
    """What is fitted; Natural has clarity 1 and lure 0, and Manual lure 1."""
    own = [
        parameter
        for model in published.models
        for parameter in (
            _positive(f"ability {model}", most=15.0, prior=2.5, spread=2.5),
            _positive(f"surface {model}", most=4.0, prior=0.7, spread=0.7),
        )
    ]
    hard = [subset for subset in published.items if subset != NATURAL]
    places = [
        _positive(f"clarity {subset}", most=4.0, prior=0.8, spread=0.6) for subset in hard
    ] + [_positive(f"lure {subset}", most=6.0, prior=1.0, spread=1.0) for subset in hard[1:]]
    kept = [
        _positive("alone_dampening", most=2.0, prior=1.0, spread=0.7),
        _positive("together_dampening", most=2.0, prior=1.0, spread=0.7),
    ]
    return (*own, *places, *kept)


def world_of(values: Values, published: LlmbarTargets) -> World:
    """The world with these values; what has no value is as it is without a benchmark."""
    kept = {name: value for name, value in values.items() if " " not in name}
    cast = {
        model: Traits(
            ability=values[f"ability {model}"], surface=values[f"surface {model}"], **kept
        )
        for model in published.models
    }
    subsets = {
        subset: Subset(
            clarity=values.get(f"clarity {subset}", 1.0),
            lure=values.get(f"lure {subset}", 0.0 if subset == NATURAL else 1.0),
        )
        for subset in published.items
    }
    return World(cast=cast, subsets=subsets)


def fit_llmbar(
    published: LlmbarTargets,
    *,
    without: Container[tuple[str, str]] = (),
    dampened: bool = True,
) -> Fit:
    """The world that comes nearest to the cells.

    Args:
        published: the tables.
        without: (model, method) of the rows to leave out.
        dampened: whether methods may differ; if not, none of them tames the surface.
    """
    left_out = {
        f"{row_name(row)}, {subset}"
        for row in published.rows
        if (row.model, row.method) in without
        for subset in published.items
    }
    kept = [one for one in figures(published) if one.group == CELL and one.name not in left_out]
    values = np.array([figure.published for figure in kept])
    spread = np.array([figure.spread for figure in kept])
    free = [
        parameter
        for parameter in parameters(published)
        if dampened or not parameter.name.endswith("dampening")
    ]
    plain = {} if dampened else UNTAMED

    def misses(found: Values) -> Floats:
        said = expected(world_of({**found, **plain}, published), published)
        return (np.array([said[figure.id] for figure in kept]) - values) / spread

    return fit(free, misses)


def _positive(name: str, *, most: float, prior: float, spread: float) -> Parameter:
    return Parameter(name=name, low=0.0, high=most, prior=prior, spread=spread, start=prior)


def _error(share: float, size: int) -> float:
    """The sampling error, of a share moved a little towards one half, where it is never 0."""
    moved = (share * size + 2) / (size + 4)
    return float(np.sqrt(moved * (1 - moved) / size))
