"""The recorded reviews of Vicuna80: five reviewers, where ties are allowed and gold is noisy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from peerjudge.simulation.latent import TIED_MARGIN, build_margins
from peerjudge.simulation.traits import Traits
from studies.analytic import Floats, expectation, factor
from studies.calibration.targets import Figure, Vicuna80Targets

__all__ = [
    "AGAIN",
    "AGAIN_PAIR",
    "AGREEMENT",
    "FITTED",
    "OWN_SPREAD",
    "REVIEWER",
    "SHARE_SPREAD",
    "again",
    "agreements",
    "expected",
    "figures",
    "shares",
]

REVIEWER = "Vicuna80 on record"
AGREEMENT = "Vicuna80 on record, agreement"
AGAIN = "Vicuna80 on record, asked again"

FITTED = ("first", "tie", "both_orders", "own_wins", "accuracy")
"""The shares of a reviewer that fix its traits; the sixth, `second`, follows from two of them."""

SHARE_SPREAD = 0.0125
"""About the sampling error of a share of verdicts on 800 pairs, most of them seen in both orders."""

OWN_SPREAD = 0.02
"""The same on the 320 pairs with an own answer."""

AGAIN_PAIR = ("gpt4", "gpt35")
"""The answers that were reviewed twice."""

_NODES, _MOST = 28, 5.5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """Battles alike but for their margin: gold of the first contestant, whose own each of two is."""

    gold: int
    owns: tuple[int, ...]
    count: int


def figures(published: Vicuna80Targets) -> tuple[Figure, ...]:
    """Six shares of each reviewer, how often two agree, and how often one agrees with itself."""
    alone = [
        Figure(
            group=REVIEWER,
            name=f"{name}, {share.replace('_', ' ')}",
            published=getattr(reviewer, share),
            spread=OWN_SPREAD if share == "own_wins" else SHARE_SPREAD,
        )
        for name, reviewer in published.reviewers.items()
        for share in ("first", "tie", "second", *FITTED[2:])
    ]
    together = [
        Figure(group=AGREEMENT, name=names, published=value, spread=SHARE_SPREAD)
        for names, value in published.agreement.items()
    ]
    repeated = [
        Figure(group=AGAIN, name=name, published=value, spread=0.03)
        for name, value in published.again.items()
    ]
    return (*alone, *together, *repeated)


def expected(cast: Mapping[str, Traits], published: Vicuna80Targets) -> Mapping[str, float]:
    """The shares, by the id of the figure."""
    found: dict[str, float] = {}
    for name, traits in cast.items():
        for share, value in shares(traits, name, published).items():
            found[f"{REVIEWER}: {name}, {share.replace('_', ' ')}"] = value
    for names, value in agreements(cast, published).items():
        found[f"{AGREEMENT}: {names}"] = value
    for name in published.again:
        found[f"{AGAIN}: {name}"] = again(cast[name], name, published)
    return found


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
    traits: Traits, gold: int, own: int, *, common: float, swapped: bool = False
) -> Floats:
    """The probabilities of first contestant, tie, second, `[verdict, margin, factor]`.

    `common` is the part of the error that the factor stands for; negative if swapping the order
    turns it round.
    """
    from scipy.special import ndtr

    margin, _ = build_margins(_NODES, most=_MOST)
    nodes, _ = factor()
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


def shares(
    traits: Traits, name: str, published: Vicuna80Targets, *, steady: float | None = None
) -> Mapping[str, float]:
    """Six shares of a reviewer's verdicts.

    `steady` is the part of the error that stays when the order is swapped, less that which turns round;
    where it is not given, it follows from the traits.
    """
    stays = traits.shared_error + traits.copy_error - traits.place_error
    common = stays if steady is None else steady
    sums = dict.fromkeys(("first", "tie", "second", "both_orders", "own_wins", "accuracy"), 0.0)
    battles = owned = 0
    for case in _cases(published, name):
        (own,) = case.owns
        given = _verdicts(traits, case.gold, own, common=common)
        swapped = _verdicts(traits, case.gold, own, common=common, swapped=True)
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


def agreements(cast: Mapping[str, Traits], published: Vicuna80Targets) -> Mapping[str, float]:
    """How often two reviewers give the same verdict, by their names."""

    # Every reviewer meets four others on much the same battles.
    @cache
    def said(name: str, gold: int, own: int, *, swapped: bool) -> Floats:
        common = cast[name].shared_error
        return _verdicts(cast[name], gold, own, common=common, swapped=swapped)

    found: dict[str, float] = {}
    for names in published.agreement:
        one, other = names.split()
        total = battles = 0.0
        for case in _cases(published, one, other):
            for swapped in (False, True):
                first = said(one, case.gold, case.owns[0], swapped=swapped)
                second = said(other, case.gold, case.owns[1], swapped=swapped)
                total += case.count * float(expectation(first * second).sum()) / 2
            battles += case.count
        found[names] = total / battles
    return found


def again(traits: Traits, name: str, published: Vicuna80Targets) -> float:
    """How often a reviewer gives the same verdict when asked again in the same order."""
    common = traits.shared_error + traits.copy_error + traits.place_error
    golds = published.gold[" ".join(AGAIN_PAIR)]
    own = int(name == AGAIN_PAIR[0]) - int(name == AGAIN_PAIR[1])
    total = 0.0
    for gold, count in zip((1, 0, -1), golds, strict=True):
        for swapped in (False, True):
            # The factor is drawn once, so it counts the same in both replies, whatever the order.
            said = _verdicts(traits, gold, own, common=common, swapped=swapped)
            total += count * float(expectation(said * said).sum()) / 2
    return total / sum(golds)
