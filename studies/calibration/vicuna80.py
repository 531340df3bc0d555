"""Recorded reviews of Vicuna80: expectations of five reviewers, and their traits.

Ties are allowed and gold is noisy. Of each reviewer five figures fix five traits: this describes, it
does not test. The errors that two reviewers share follow from how often they give the same verdict, ten
figures for five numbers, which tests a little. The fresh part is known of one reviewer only, from the
reviews that it gave twice, and is taken to be the same for all.

`self_enhancement` is the pull of a reviewer's own answers beyond the votes of people. It includes every
merit of these answers that people do not see, so it is no pure bias.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import cast

import numpy as np

from peerjudge.simulation.latent import TIED_MARGIN, build_margins
from peerjudge.simulation.traits import Traits
from studies.analytic import Floats, build_factor, integrate
from studies.calibration.fitting import Fit, Parameter, Values, fit_figures
from studies.calibration.targets import Figure, Vicuna80Targets

REVIEWER = "Vicuna80 on record"
AGREEMENT = "Vicuna80 on record, agreement"
AGAIN = "Vicuna80 on record, asked again"

AGAIN_PAIR = ("gpt4", "gpt35")
"""Authors of the answers that were reviewed twice."""

_SHARES = ("first", "tie", "second", "both_orders", "own_wins", "accuracy")
_IMPLIED = "second"
"""Share that follows from two others, and is not fitted."""

_SHARE_SPREAD = 0.0125
"""About the sampling error of a share of verdicts on 800 pairs, most of them seen in both orders."""
_OWN_SPREAD = 0.02
"""The same on the 320 pairs with an own answer."""
_AGAIN_SPREAD = 0.03

_GOLDS = (1, 0, -1)
_NODES, _MOST = 28, 5.5

Cast = Mapping[str, Traits]


def list_figures(published: Vicuna80Targets) -> tuple[Figure, ...]:
    """Return six shares of each reviewer, agreements of two, and of one with itself."""
    shares = [
        Figure(
            group=REVIEWER,
            name=_name_share(name, share),
            published=reviewer[share],
            spread=_OWN_SPREAD if share == "own_wins" else _SHARE_SPREAD,
        )
        for name, reviewer in published.reviewers.items()
        for share in _SHARES
    ]
    for group, table, spread in (
        (AGREEMENT, published.agreement, _SHARE_SPREAD),
        (AGAIN, published.again, _AGAIN_SPREAD),
    ):
        shares += [
            Figure(group=group, name=name, published=value, spread=spread)
            for name, value in table.items()
        ]
    return tuple(shares)


def _name_share(name: str, share: str) -> str:
    return f"{name}, {share.replace('_', ' ')}"


def expect_figures(cast: Cast, published: Vicuna80Targets) -> Mapping[str, float]:
    """Return the expected shares by the id of the figure."""
    found: dict[str, float] = {}
    for name, traits in cast.items():
        found |= _expect_shares(traits, name, published)
    found |= _expect_agreements(cast, published)
    for name in published.again:
        found[f"{AGAIN}: {name}"] = _expect_again(cast[name], name, published)
    return found


def describe_reviewers(published: Vicuna80Targets) -> tuple[Cast, Mapping[str, Fit]]:
    """Fit the traits of the five reviewers; the last fit is that of their errors in common."""
    fits = {name: _fit_reviewer(name, published) for name in published.reviewers}
    fresh = _find_fresh(fits, published)
    cast = {name: _build_traits(found.values, fresh) for name, found in fits.items()}
    shared = _fit_shared(cast, published)
    cast = {
        name: _share_errors(traits, shared.values[f"shared_error {name}"])
        for name, traits in cast.items()
    }
    return cast, {**fits, "errors in common": shared}


def _count_cases(
    published: Vicuna80Targets, *names: str
) -> Mapping[tuple[int, tuple[int, ...]], int]:
    """Count battles by the gold of the first contestant, and by whose own it is for each name."""
    counted: dict[tuple[int, tuple[int, ...]], int] = {}
    for contestants, golds in published.gold.items():
        one, other = contestants.split()
        owns = tuple(int(name == one) - int(name == other) for name in names)
        for gold, count in zip(_GOLDS, golds, strict=True):
            counted[gold, owns] = counted.get((gold, owns), 0) + count
    return {case: count for case, count in counted.items() if count}


def _expect_verdicts(
    traits: Traits, gold: int, own: int, *, common: float, swapped: bool = False
) -> Floats:
    """Return the probabilities of first contestant, tie, second, `[verdict, margin, factor]`.

    `common` is the part of the error in the factor; negative if swapping the order reverses it.
    """
    from scipy.special import ndtr

    margin, _ = build_margins(_NODES, most=_MOST)
    nodes, _ = build_factor()
    bias = -traits.position_bias if swapped else traits.position_bias
    pull = math.sqrt(abs(common)) * (-1 if swapped and common < 0 else 1)
    alone = math.sqrt(max(1 - abs(common), 1e-12))
    total = np.zeros((3, margin.size, nodes.size))
    # Where gold is a tie, the margin is small and may lie on either side.
    signs = (gold,) if gold else (TIED_MARGIN, -TIED_MARGIN)
    for sign in signs:
        level = traits.ability * sign * margin + traits.self_enhancement * own + bias
        seen = level[:, None] + pull * nodes
        first = ndtr((seen - traits.tie_width) / alone)
        second = ndtr((-seen - traits.tie_width) / alone)
        total += np.stack([first, 1 - first - second, second]) / len(signs)
    return total


def _expect_shares(
    traits: Traits, name: str, published: Vicuna80Targets, *, steady: float | None = None
) -> Mapping[str, float]:
    """Return the six expected shares of a reviewer by the id of the figure.

    `steady` is the part of the error that stays when the order is swapped, minus the part that is
    reversed; by default it follows from the traits.
    """
    stays = traits.shared_error + traits.copy_error - traits.place_error
    common = stays if steady is None else steady
    sums = dict.fromkeys(_SHARES, 0.0)
    battles = owned = 0
    for (gold, (own,)), count in _count_cases(published, name).items():
        given = _expect_verdicts(traits, gold, own, common=common)
        swapped = _expect_verdicts(traits, gold, own, common=common, swapped=True)
        one, tie, other = (integrate(given) + integrate(swapped)).tolist()
        shown = (integrate(given) + integrate(swapped)[::-1]).tolist()
        for share, value in zip(("first", "tie", "second"), shown, strict=True):
            sums[share] += count * value / 2
        sums["both_orders"] += count * float(integrate(given * swapped).sum())
        sums["accuracy"] += count * (one, tie, other)[1 - gold] / 2
        battles += count
        if own:
            sums["own_wins"] += count * ((one if own > 0 else other) + tie / 2) / 2
            owned += count
    return {
        f"{REVIEWER}: {_name_share(name, share)}": value
        / (owned if share == "own_wins" else battles)
        for share, value in sums.items()
    }


def _expect_agreements(cast: Cast, published: Vicuna80Targets) -> Mapping[str, float]:
    """Return how often two reviewers give the same verdict, by the id of the figure."""

    # Every reviewer meets four others on much the same battles.
    @cache
    def expect(name: str, gold: int, own: int, *, swapped: bool) -> Floats:
        common = cast[name].shared_error
        return _expect_verdicts(cast[name], gold, own, common=common, swapped=swapped)

    found: dict[str, float] = {}
    for names in published.agreement:
        one, other = names.split()
        total = battles = 0.0
        for (gold, owns), count in _count_cases(published, one, other).items():
            for swapped in (False, True):
                first = expect(one, gold, owns[0], swapped=swapped)
                second = expect(other, gold, owns[1], swapped=swapped)
                total += count * float(integrate(first * second).sum()) / 2
            battles += count
        found[f"{AGREEMENT}: {names}"] = total / battles
    return found


def _expect_again(traits: Traits, name: str, published: Vicuna80Targets) -> float:
    """Return how often a reviewer gives the same verdict when asked again in the same order."""
    common = traits.shared_error + traits.copy_error + traits.place_error
    golds = published.gold[" ".join(AGAIN_PAIR)]
    own = int(name == AGAIN_PAIR[0]) - int(name == AGAIN_PAIR[1])
    total = 0.0
    for gold, count in zip(_GOLDS, golds, strict=True):
        for swapped in (False, True):
            # The factor is drawn once, so it counts the same in both replies in either order.
            verdicts = _expect_verdicts(traits, gold, own, common=common, swapped=swapped)
            total += count * float(integrate(verdicts * verdicts).sum()) / 2
    return total / sum(golds)


def _fit_reviewer(name: str, published: Vicuna80Targets) -> Fit:
    rows = (
        ("ability", 0.0, 4.0, 0.8, 1.0),
        ("position_bias", -2.0, 2.0, 0.0, 1.0),
        ("tie_width", 0.0, 1.5, 0.15, 0.5),
        ("self_enhancement", -2.0, 2.0, 0.0, 1.0),
        ("steady", -0.98, 0.98, 0.3, 1.0),
    )
    parameters = [
        Parameter(name=name, low=low, high=high, prior=prior, spread=spread)
        for name, low, high, prior, spread in rows
    ]
    fitted = {_name_share(name, share) for share in _SHARES if share != _IMPLIED}
    return fit_figures(
        parameters,
        [figure for figure in list_figures(published) if figure.name in fitted],
        # Only the difference between the steady and the reversed part shows.
        lambda found: _expect_shares(
            _build_traits(found, fresh=0.0), name, published, steady=found["steady"]
        ),
    )


def _build_traits(found: Values, fresh: float) -> Traits:
    """Build traits whose error is fresh, or stays (`copy_error`), or is reversed (`place_error`)."""
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


def _share_errors(traits: Traits, shared: float) -> Traits:
    stays = traits.shared_error + traits.copy_error
    shared = min(shared, stays)
    return replace(traits, shared_error=shared, copy_error=stays - shared)


def _find_fresh(fits: Mapping[str, Fit], published: Vicuna80Targets) -> float:
    """Return the part of the error that is new in each reply, from the reviews given twice."""
    from scipy.optimize import bisect  # pyright: ignore[reportUnknownVariableType]

    ((name, seen),) = published.again.items()

    def compute_excess(fresh: float) -> float:
        return _expect_again(_build_traits(fits[name].values, fresh), name, published) - seen

    return cast("float", bisect(compute_excess, 1e-3, 0.5))


def _fit_shared(cast: Cast, published: Vicuna80Targets) -> Fit:
    parameters = [
        Parameter(
            name=f"shared_error {name}",
            low=0.0,
            high=traits.copy_error,
            prior=min(0.4, traits.copy_error / 2),
            spread=0.3,
        )
        for name, traits in cast.items()
    ]

    def expect(found: Values) -> Mapping[str, float]:
        sharing = {
            name: _share_errors(traits, found[f"shared_error {name}"])
            for name, traits in cast.items()
        }
        return _expect_agreements(sharing, published)

    figures = [figure for figure in list_figures(published) if figure.group == AGREEMENT]
    return fit_figures(parameters, figures, expect)
