"""Three models without what the fitted one claims, each fitted to the same figures.

Figures that they meet as well as the fitted model say nothing for it.
"""

from __future__ import annotations

from dataclasses import replace

from studies.calibration.fitting import Values
from studies.calibration.prd import Cast, Model, cast_of, parameters
from studies.calibration.targets import PrdTargets

__all__ = ["null_models", "unguided_model"]

_FAR = 40.0
"""A logit so large that its probability is 0 or 1."""

_MOVING = ("susceptibility", "firmness", "truth_pull")


def null_models(published: PrdTargets) -> tuple[Model, ...]:
    """Nobody ever moves; the follower always yields; all reviewers are one average reviewer."""
    names = published.reviewers
    judging = tuple(
        parameter
        for parameter in parameters(names)
        if parameter.name.partition(" ")[0] not in _MOVING
    )

    def still(found: Values) -> Cast:
        return _moving(cast_of(found, names), susceptibility=-_FAR, firmness=0.0)

    def yielding(found: Values) -> Cast:
        return _moving(cast_of(found, names), susceptibility=_FAR, firmness=2 * _FAR)

    one = parameters(names[:1])
    alike = tuple(replace(parameter, name=parameter.name.partition(" ")[0]) for parameter in one)
    return (
        Model(name="nobody moves", parameters=judging, cast=still),
        Model(name="follower always yields", parameters=judging, cast=yielding),
        Model(
            name="one average reviewer",
            parameters=alike,
            cast=lambda found: cast_of(found, names),
        ),
    )


def unguided_model(published: PrdTargets) -> Model:
    """The full model but for the pull of the truth."""
    names = published.reviewers
    return Model(
        name="the truth does not pull",
        parameters=tuple(one for one in parameters(names) if one.name != "truth_pull"),
        cast=lambda found: cast_of({**found, "truth_pull": 0.0}, names),
    )


def _moving(cast: Cast, *, susceptibility: float, firmness: float) -> Cast:
    return {
        name: replace(traits, susceptibility=susceptibility, firmness=firmness, truth_pull=0.0)
        for name, traits in cast.items()
    }
