"""The recorded reviews of Vicuna80: what five reviewers do where ties are allowed and gold is noisy.

Of each reviewer five figures fix five traits: this describes, it does not test. How much of the error
two reviewers share is then found from how often they give the same verdict, ten figures for five
numbers, which tests a little. How much is fresh is known of one reviewer only, from the reviews that
it gave twice, and is taken to be the same for all.

`self_enhancement` is the pull of a reviewer's own answers beyond what people's votes explain. It holds
whatever reviewers see in these answers that people do not, so it is no pure bias.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from peerjudge.simulation.analytic import Floats, expectation, factor
from peerjudge.simulation.calibration.fitting import Fit, Parameter, Values, fit
from peerjudge.simulation.calibration.targets import Figure, Vicuna80Targets
from peerjudge.simulation.latent import TIED_MARGIN, margins
from peerjudge.simulation.traits import Traits

__all__ = [
    "AGAIN",
    "AGAIN_PAIR",
    "AGREEMENT",
    "REVIEWER",
    "Described",
    "describe",
    "expected",
    "figures",
]

REVIEWER = "Vicuna80 on record"
AGREEMENT = "Vicuna80 on record, agreement"
AGAIN = "Vicuna80 on record, asked again"

_FITTED = ("first", "tie", "both_orders", "own_wins", "accuracy")
_NODES, _MOST = 28, 5.5
_SHARE = 0.0125
"""About the sampling error of a share of verdicts on 800 pairs, most of them seen in both orders."""

_OWN_SHARE = 0.02
AGAIN_PAIR = ("gpt4", "gpt35")
"""The answers that were reviewed twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """Battles alike but for their margin: gold of the first contestant, whose own each of two is."""

    gold: int
    owns: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """The five reviewers, with the fits that found their traits and what errors they share."""

    cast: Mapping[str, Traits] = field(hash=False)
    fits: Mapping[str, Fit] = field(hash=False)
    shared: Fit


def figures(published: Vicuna80Targets) -> tuple[Figure, ...]:
    """Six shares of each reviewer, how often two agree, and how often one agrees with itself."""
    alone = [
        Figure(
            group=REVIEWER,
            name=f"{name}, {share.replace('_', ' ')}",
            published=getattr(reviewer, share),
            spread=_OWN_SHARE if share == "own_wins" else _SHARE,
        )
        for name, reviewer in published.reviewers.items()
        for share in ("first", "tie", "second", *_FITTED[2:])
    ]
    together = [
        Figure(group=AGREEMENT, name=names, published=value, spread=_SHARE)
        for names, value in published.agreement.items()
    ]
    again = [
        Figure(group=AGAIN, name=name, published=value, spread=0.03)
        for name, value in published.again.items()
    ]
    return (*alone, *together, *again)


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


def expected(cast: Mapping[str, Traits], published: Vicuna80Targets) -> Mapping[str, float]:
    """The shares, by the id of the figure."""
    found: dict[str, float] = {}
    for name, traits in cast.items():
        for share, value in _shares(traits, name, published).items():
            found[f"{REVIEWER}: {name}, {share.replace('_', ' ')}"] = value
    for names in published.agreement:
        found[f"{AGREEMENT}: {names}"] = _agreement(cast, names, published)
    for name in published.again:
        found[f"{AGAIN}: {name}"] = _again(cast[name], name, published)
    return found


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
    values = np.array([getattr(seen, share) for share in _FITTED])
    spread = np.array([_OWN_SHARE if share == "own_wins" else _SHARE for share in _FITTED])

    def misses(found: Values) -> Floats:
        # What stays when the order is swapped, less what turns round: only their difference shows.
        said = _shares(_traits(found, fresh=0.0), name, published, steady=found["steady"])
        return (np.array([said[share] for share in _FITTED]) - values) / spread

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


def _cases(published: Vicuna80Targets, *names: str) -> tuple[_Case, ...]:
    """The battles, by gold and by whose own answers they are, for each of the reviewers named."""
    counted: dict[tuple[int, tuple[int, ...]], int] = {}
    for contestants, golds in published.gold.items():
        one, other = contestants.split()
        owns = tuple(int(name == one) - int(name == other) for name in names)
        for gold, count in zip((1, 0, -1), golds, strict=True):
            counted[gold, owns] = counted.get((gold, owns), 0) + count
    return tuple(
        _Case(gold=gold, owns=owns, count=count) for (gold, owns), count in counted.items() if count
    )


def _verdicts(
    traits: Traits, case: _Case, own: int, *, common: float, swapped: bool = False
) -> Floats:
    """The probabilities of first contestant, tie, second, `[verdict, margin, factor]`.

    `common` is the part of the error that the factor stands for; negative if swapping the order
    turns it round.
    """
    from scipy.special import ndtr

    margin, _ = margins(_NODES, most=_MOST)
    nodes, _ = factor()
    bias = -traits.position_bias if swapped else traits.position_bias
    pull = math.sqrt(abs(common)) * (-1 if swapped and common < 0 else 1)
    alone = math.sqrt(max(1 - abs(common), 1e-12))
    total = np.zeros((3, margin.size, nodes.size))
    # Where gold is a tie, the margin is small and may lie on either side.
    signs = (case.gold,) if case.gold else (TIED_MARGIN, -TIED_MARGIN)
    for sign in signs:
        level = traits.ability * sign * margin + traits.self_enhancement * own + bias
        seen = level[:, None] + pull * nodes
        first = ndtr((seen - traits.tie_width) / alone)
        second = ndtr((-seen - traits.tie_width) / alone)
        total += np.stack([first, 1 - first - second, second]) / len(signs)
    return total


def _shares(
    traits: Traits, name: str, published: Vicuna80Targets, *, steady: float | None = None
) -> Mapping[str, float]:
    stays = traits.shared_error + traits.copy_error - traits.place_error
    common = stays if steady is None else steady
    sums = dict.fromkeys(("first", "tie", "second", "both_orders", "own_wins", "accuracy"), 0.0)
    battles = owned = 0
    for case in _cases(published, name):
        (own,) = case.owns
        given = _verdicts(traits, case, own, common=common)
        swapped = _verdicts(traits, case, own, common=common, swapped=True)
        one, tie, other = (expectation(given) + expectation(swapped)).tolist()
        shown = (expectation(given) + expectation(swapped)[::-1]).tolist()
        for share, value in zip(("first", "tie", "second"), shown, strict=True):
            sums[share] += case.count * value / 2
        sums["both_orders"] += case.count * float(expectation(given * swapped).sum())
        sums["accuracy"] += case.count * (one, tie, other)[1 - case.gold] / 2
        battles += case.count
        if own:
            sums["own_wins"] += case.count * ((one if own > 0 else other) + tie / 2) / 2
            owned += case.count
    return {
        share: value / (owned if share == "own_wins" else battles) for share, value in sums.items()
    }


def _agreement(cast: Mapping[str, Traits], names: str, published: Vicuna80Targets) -> float:
    one, other = names.split()
    total = battles = 0.0
    for case in _cases(published, one, other):
        given = [
            _verdicts(cast[name], case, own, common=cast[name].shared_error)
            for name, own in zip((one, other), case.owns, strict=True)
        ]
        turned = [
            _verdicts(cast[name], case, own, common=cast[name].shared_error, swapped=True)
            for name, own in zip((one, other), case.owns, strict=True)
        ]
        for first, second in (given, turned):
            total += case.count * float(expectation(first * second).sum()) / 2
        battles += case.count
    return total / battles


def _again(traits: Traits, name: str, published: Vicuna80Targets) -> float:
    """How often a reviewer gives the same verdict when asked again in the same order."""
    common = traits.shared_error + traits.copy_error + traits.place_error
    golds = published.gold[" ".join(AGAIN_PAIR)]
    own = int(name == AGAIN_PAIR[0]) - int(name == AGAIN_PAIR[1])
    total = 0.0
    for gold, count in zip((1, 0, -1), golds, strict=True):
        case = _Case(gold=gold, owns=(own,), count=count)
        for swapped in (False, True):
            # The factor is drawn once, so it counts the same in both replies, whatever the order.
            said = _verdicts(traits, case, own, common=common, swapped=swapped)
            total += count * float(expectation(said * said).sum()) / 2
    return total / sum(golds)


def _fresh(fits: Mapping[str, Fit], published: Vicuna80Targets) -> float:
    """The part of the error that is new in each reply, from the reviews given twice."""
    from scipy.optimize import bisect  # pyright: ignore[reportUnknownVariableType]  it states no types

    ((name, seen),) = published.again.items()

    def excess(fresh: float) -> float:
        return _again(_traits(fits[name].values, fresh), name, published) - seen

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
        said = np.array([_agreement(sharing, pair, published) for pair in names])
        return (said - values) / _SHARE

    return fit(found_in, misses)
