"""PRePair's methods on LLMBar: six evaluators, five methods, five subsets, fitted at once.

An evaluator has an ability and a susceptibility to the surface; a subset has a clarity and a lure; a
method leaves a part of the surface's pull. Rating or explaining each answer alone leaves the same part
(`alone_dampening`), explaining both together another (`together_dampening`), and a verdict with or
without its reasons the whole: two numbers for all evaluators separate three methods of five.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

import numpy as np

from peerjudge.simulation.latent import Subset, build_margins
from peerjudge.simulation.traits import Traits
from studies.calibration.fitting import Fit, Parameter, Values, fit_figures
from studies.calibration.targets import Figure, LlmbarRow, LlmbarTargets

CELL = "PRePair Table 4"
TOTAL = "PRePair Table 4, Adversarial"
NATURAL = "Natural"

UNTAMED = {"alone_dampening": 1.0, "together_dampening": 1.0}
"""Parameters of the methods in the model in which no method tames the surface."""

_NODES, _MOST = 40, 6.0
_ALONE = frozenset({"pointwise", "prepair"})
_TOGETHER = frozenset({"prepair_star"})

Cast = Mapping[str, Traits]
Subsets = Mapping[str, Subset]


def list_figures(published: LlmbarTargets, *, warm: bool = False) -> tuple[Figure, ...]:
    """Return every cell, then every total of Adversarial (at temperature 0.7 if `warm`)."""
    rows = published.warm if warm else published.rows
    sizes = list(published.items.values())
    adversarial = sum(sizes) - published.items[NATURAL]
    cells = [
        _figure(CELL, f"{row.name}, {subset}", value, size)
        for row in rows
        for subset, size, value in zip(published.items, sizes, row.cells, strict=True)
    ]
    return (*cells, *(_figure(TOTAL, row.name, row.total, adversarial) for row in rows))


def _figure(group: str, name: str, share: float, size: int) -> Figure:
    # The sampling error of a share moved a little towards one half, where it is never 0.
    moved = (share * size + 2) / (size + 4)
    spread = float(np.sqrt(moved * (1 - moved) / size))
    return Figure(group=group, name=name, published=share, spread=spread)


def expect_figures(cast: Cast, subsets: Subsets, published: LlmbarTargets) -> Mapping[str, float]:
    """Return the expected accuracies by the id of the figure; the same at every temperature."""
    sizes = np.array(list(published.items.values()))
    others = np.array([subset != NATURAL for subset in published.items])
    found: dict[str, float] = {}
    for row in published.rows:
        shares = np.array(
            [_expect_share(cast[row.model], row, subsets[subset]) for subset in published.items]
        )
        for subset, share in zip(published.items, shares.tolist(), strict=True):
            found[f"{CELL}: {row.name}, {subset}"] = share
        found[f"{TOTAL}: {row.name}"] = float((shares * sizes)[others].sum() / sizes[others].sum())
    return found


def find_dampening(traits: Traits, method: str) -> float:
    """Return the part of the surface's pull that a method (a protocol's name) leaves."""
    if method in _ALONE:
        return traits.alone_dampening
    return traits.together_dampening if method in _TOGETHER else 1.0


def _expect_share(traits: Traits, row: LlmbarRow, subset: Subset) -> float:
    from scipy.special import ndtr

    left = find_dampening(traits, row.method)
    margin, density = build_margins(_NODES, most=_MOST)
    seen = traits.ability * subset.clarity * margin - traits.surface * left * subset.lure
    return float(np.asarray(ndtr(seen), dtype=np.float64) @ density)


def list_parameters(published: LlmbarTargets) -> tuple[Parameter, ...]:
    """Return the free parameters; Natural has clarity 1 and lure 0, and Manual lure 1."""
    hard = [subset for subset in published.items if subset != NATURAL]
    rows: list[tuple[str, float, float, float]] = []
    for model in published.models:
        rows += [(f"ability {model}", 15.0, 2.5, 2.5), (f"surface {model}", 4.0, 0.7, 0.7)]
    rows += [(f"clarity {subset}", 4.0, 0.8, 0.6) for subset in hard]
    rows += [(f"lure {subset}", 6.0, 1.0, 1.0) for subset in hard[1:]]
    rows += [(name, 2.0, 1.0, 0.7) for name in UNTAMED]
    return tuple(
        Parameter(name=name, low=0.0, high=most, prior=prior, spread=spread)
        for name, most, prior, spread in rows
    )


def build_world(values: Values, published: LlmbarTargets) -> tuple[Cast, Subsets]:
    """Build evaluators and subsets with these values; a missing value has its ordinary default."""
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
    return cast, subsets


def fit_llmbar(
    published: LlmbarTargets,
    *,
    without: Container[tuple[str, str]] = (),
    dampened: bool = True,
) -> Fit:
    """Fit evaluators and subsets to the cells.

    Args:
        published: the tables.
        without: (model, method) of the rows to leave out.
        dampened: whether methods may differ; if not, none of them tames the surface.
    """
    left_out = {
        f"{row.name}, {subset}"
        for row in published.rows
        if (row.model, row.method) in without
        for subset in published.items
    }
    figures = list_figures(published)
    free = [one for one in list_parameters(published) if dampened or one.name not in UNTAMED]
    fixed = {} if dampened else UNTAMED
    return fit_figures(
        free,
        [one for one in figures if one.group == CELL and one.name not in left_out],
        lambda found: expect_figures(*build_world({**found, **fixed}, published), published),
    )
