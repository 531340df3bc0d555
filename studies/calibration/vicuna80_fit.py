"""The five reviewers of Vicuna80, from the shares of their recorded verdicts.

Of each reviewer five figures fix five traits: this describes, it does not test. How much of the error
two reviewers share is then found from how often they give the same verdict, ten figures for five
numbers, which tests a little. How much is fresh is known of one reviewer only, from the reviews that
it gave twice, and is taken to be the same for all.

`self_enhancement` is the pull of a reviewer's own answers beyond what people's votes explain. It holds
whatever reviewers see in these answers that people do not, so it is no pure bias.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from peerjudge.simulation.traits import Traits
from studies.analytic import Floats
from studies.calibration.fitting import Fit, Parameter, Values, fit
from studies.calibration.targets import Vicuna80Targets
from studies.calibration.vicuna80 import (
    FITTED,
    OWN_SPREAD,
    SHARE_SPREAD,
    again,
    agreements,
    shares,
)

__all__ = ["Described", "describe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """The five reviewers, with the fits that found their traits and what errors they share."""

    cast: Mapping[str, Traits] = field(hash=False)
    fits: Mapping[str, Fit] = field(hash=False)
    shared: Fit


def describe(published: Vicuna80Targets) -> Described:
    """The traits of the five reviewers."""
    fits = {name: _fit_one(name, published) for name in published.reviewers}
    fresh = _fresh(fits, published)
    cast = {name: _traits(found.values, fresh) for name, found in fits.items()}
    shared = _fit_shared(cast, published)
    cast = {
        name: _sharing(traits, shared.values[f"shared_error {name}"])
        for name, traits in cast.items()
    }
    return Described(cast=cast, fits=fits, shared=shared)


def _parameters() -> tuple[Parameter, ...]:
    rows = (
        ("ability", 0.0, 4.0, 0.8, 1.0),
        ("position_bias", -2.0, 2.0, 0.0, 1.0),
        ("tie_width", 0.0, 1.5, 0.15, 0.5),
        ("self_enhancement", -2.0, 2.0, 0.0, 1.0),
        ("steady", -0.98, 0.98, 0.3, 1.0),
    )
    return tuple(
        Parameter(name=name, low=low, high=high, prior=prior, spread=spread, start=prior)
        for name, low, high, prior, spread in rows
    )


def _fit_one(name: str, published: Vicuna80Targets) -> Fit:
    seen = published.reviewers[name]
    values = np.array([getattr(seen, share) for share in FITTED])
    spread = np.array([OWN_SPREAD if share == "own_wins" else SHARE_SPREAD for share in FITTED])

    def misses(found: Values) -> Floats:
        # What stays when the order is swapped, less what turns round: only their difference shows.
        said = shares(_traits(found, fresh=0.0), name, published, steady=found["steady"])
        return (np.array([said[share] for share in FITTED]) - values) / spread

    return fit(_parameters(), misses)


def _traits(found: Values, fresh: float) -> Traits:
    """The error is fresh, or stays (`copy_error`), or turns round with the order (`place_error`)."""
    steady = min(max(found["steady"], fresh - 1), 1 - fresh)
    return Traits(
        ability=found["ability"],
        position_bias=found["position_bias"],
        tie_width=found["tie_width"],
        self_enhancement=found["self_enhancement"],
        shared_error=0.0,
        copy_error=(1 - fresh + steady) / 2,
        place_error=(1 - fresh - steady) / 2,
    )


def _sharing(traits: Traits, shared: float) -> Traits:
    stays = traits.shared_error + traits.copy_error
    shared = min(shared, stays)
    return replace(traits, shared_error=shared, copy_error=stays - shared)


def _fresh(fits: Mapping[str, Fit], published: Vicuna80Targets) -> float:
    """The part of the error that is new in each reply, from the reviews given twice."""
    from scipy.optimize import bisect  # pyright: ignore[reportUnknownVariableType]  it states no types

    ((name, seen),) = published.again.items()

    def excess(fresh: float) -> float:
        return again(_traits(fits[name].values, fresh), name, published) - seen

    return cast("float", bisect(excess, 1e-3, 0.5))


def _fit_shared(cast: Mapping[str, Traits], published: Vicuna80Targets) -> Fit:
    names = list(published.agreement)
    values = np.array([published.agreement[one] for one in names])
    found_in: Sequence[Parameter] = [
        Parameter(
            name=f"shared_error {name}",
            low=0.0,
            high=traits.copy_error,
            prior=min(0.4, traits.copy_error / 2),
            spread=0.3,
            start=min(0.4, traits.copy_error / 2),
        )
        for name, traits in cast.items()
    ]

    def misses(found: Values) -> Floats:
        sharing = {
            name: _sharing(traits, found[f"shared_error {name}"]) for name, traits in cast.items()
        }
        said = agreements(sharing, published)
        return (np.array([said[pair] for pair in names]) - values) / SHARE_SPREAD

    return fit(found_in, misses)
