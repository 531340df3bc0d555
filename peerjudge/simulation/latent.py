r"""The mathematics of a simulated reviewer: what is true, what it perceives, when it changes its mind.

Every answer i of a comparison has a merit, 0 for the best and -c |z_i| for the others, z_i ~ N(0, 1),
c the clarity of its subset, and on adversarial comparisons a lure A > 0 for the wrong ones. A
reviewer perceives

    x_i = ability merit_i + surface damping lure_i + pulls_i + position_bias [i is shown first]
          + (sqrt(shared) u_i + sqrt(own) v_i + sqrt(place) p_k + sqrt(fresh) w_i) / sqrt(2)

with u common to all reviewers, v to all seats of one reviewer, p to these too but tied to the place k
at which i is shown, w new in every reply, all N(0, 1). It chooses the largest x; for two answers the
difference has error variance shared + own + place + fresh = 1.
A lower temperature turns fresh error into the reviewer's own persistent error and leaves the sum,
and so the accuracy, as it is; above 1 the fresh error grows. In a discussion a stance that differs
from the others' changes to theirs with probability

    d logistic(susceptibility - firmness [leads] + truth_pull y + persuasion)

where y is +1 if the others are right and -1 if wrong, d is 1 at the first turn and 1/2 later, and
persuasion is the mean persuasiveness of those who hold that stance and gave reasons for it. Where no
right reasons are heard, y is 0.
Numbers derive from hashes of what they belong to, not from a stream: any order of calls is the same.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from peerjudge.data import TIE, Comparison, Outcome, Verdict
from peerjudge.simulation.subsets import subset_of
from peerjudge.simulation.traits import Traits

__all__ = [
    "LATER_TURNS",
    "TIED_MARGIN",
    "Latent",
    "Noise",
    "change_probability",
    "latent_quality",
    "margins",
    "noise_of",
    "normal",
    "private_accuracy",
    "right_given_margin",
    "uniform",
]

FloatArray = npt.NDArray[np.float64]

TIED_MARGIN = 0.1
"""Margins of comparisons whose gold is a tie, as a share of the usual ones."""

LATER_TURNS = 0.5
"""How much less likely a change of mind is after the first discussion turn (fixed in the fit)."""

_STANDARD = NormalDist()


@dataclass(frozen=True, slots=True, kw_only=True)
class Latent:
    """What is true of a comparison, alike for all reviewers and in every shown order.

    `truth` is the right verdict; `merit` and `lure` are by answer id, in latent standard deviations.
    """

    truth: Verdict
    merit: Mapping[str, float]
    lure: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Variances of the error of a private comparison.

    That which is common to all, the reviewer's own, its own by place, and what is fresh.
    """

    shared: float
    own: float
    place: float
    fresh: float

    @property
    def total(self) -> float:
        """The variance of the whole error; 1 up to temperature 1."""
        return self.shared + self.own + self.place + self.fresh


def uniform(*key: str | int) -> float:
    """A number strictly between 0 and 1 that only depends on the key, on every machine."""
    digest = hashlib.sha256("\x1f".join(map(str, key)).encode()).digest()
    return (int.from_bytes(digest[:6], "big") + 0.5) / 2**48


def normal(*key: str | int) -> float:
    """A standard normal number that only depends on the key."""
    return _STANDARD.inv_cdf(uniform(*key))


def latent_quality(comparison: Comparison, *, seed: int) -> Latent:
    """What is true of this comparison in the simulated world of this seed.

    The best answer is gold where gold is a choice; elsewhere a hash decides, and where gold is a
    tie the margins are small.
    """
    gold = comparison.gold
    tied = gold is not None and gold.outcome is Outcome.TIE
    best = gold.choice if gold is not None else None
    if best is None:
        best = min(
            comparison.shown, key=lambda answer: uniform(seed, "best", comparison.id, answer)
        )
    wrong = [answer for answer in comparison.shown if answer != best]
    subset = subset_of(comparison)
    scale = TIED_MARGIN if tied else subset.clarity
    lure = 0.0 if tied else subset.lure
    return Latent(
        truth=TIE if tied else Verdict.of(best),
        merit={best: 0.0}
        | {answer: -scale * abs(normal(seed, "z", comparison.id, answer)) for answer in wrong},
        lure={best: 0.0} | dict.fromkeys(wrong, lure),
    )


def noise_of(traits: Traits, temperature: float) -> Noise:
    """How the error divides at this temperature; see the module's text."""
    persistent = traits.shared_error + traits.copy_error + traits.place_error
    fresh_at_one = max(0.0, 1 - persistent)
    fresh = fresh_at_one * temperature**2
    frozen = max(0.0, fresh_at_one - fresh)
    return Noise(
        shared=traits.shared_error,
        own=traits.copy_error + frozen,
        place=traits.place_error,
        fresh=fresh,
    )


def change_probability(
    traits: Traits, *, leads: bool, right: bool | None, first_turn: bool, persuasion: float = 0.0
) -> float:
    """The probability of giving way to others who disagree, and are `right` or wrong.

    `right` is `None` where nothing that is heard bears on it.
    `persuasion` is the others' persuasiveness, on average.
    """
    logit = (
        traits.susceptibility
        - (traits.firmness if leads else 0.0)
        + (0.0 if right is None else traits.truth_pull if right else -traits.truth_pull)
        + persuasion
    )
    # The hyperbolic form of the logistic function does not overflow.
    chance = 0.5 * (1 + math.tanh(logit / 2))
    return chance if first_turn else LATER_TURNS * chance


def right_given_margin(
    margin: FloatArray,
    traits: Traits,
    *,
    best_first: bool,
    pull: float = 0.0,
    temperature: float = 1.0,
    ties: bool = False,
) -> FloatArray:
    """Probability of choosing the better of two answers that differ by these margins |z|.

    `pull` is what else speaks for the better answer, in latent standard deviations: -surface *
    dampening * lure on adversarial items, tastes where the two answers differ in them.
    """
    # Imported here because a spoken discussion does not need it.
    from scipy.special import ndtr

    bias = traits.position_bias if best_first else -traits.position_bias
    least = traits.tie_width if ties else 0.0
    evidence = traits.ability * margin + bias + pull - least
    noise = math.sqrt(noise_of(traits, temperature).total)
    return np.asarray(ndtr(evidence / noise), dtype=np.float64)


def private_accuracy(
    traits: Traits,
    *,
    best_first: bool | None = None,
    pull: float = 0.0,
    clarity: float = 1.0,
    temperature: float = 1.0,
    ties: bool = False,
) -> float:
    """Expected share of pairs judged rightly in private, over the margins of all comparisons.

    `best_first` says where the better answer is shown; `None` is the mean of both orders. `pull` is
    as in `right_given_margin`. Without bias it is 1/2 + arctan(ability clarity) / pi.
    """
    margin, density = margins()
    margin = clarity * margin
    orders = (True, False) if best_first is None else (best_first,)
    means = [
        float(
            density
            @ right_given_margin(
                margin, traits, best_first=order, pull=pull, temperature=temperature, ties=ties
            )
        )
        for order in orders
    ]
    return sum(means) / len(means)


@cache
def margins(nodes: int = 96, *, most: float = 9.0) -> tuple[FloatArray, FloatArray]:
    """So many nodes, and their weights, that integrate over half-normal margins up to `most`."""
    places, weights = np.polynomial.legendre.leggauss(nodes)
    margin = np.asarray(most / 2 * (places + 1), dtype=np.float64)
    density = most / 2 * weights * np.sqrt(2 / np.pi) * np.exp(-(margin**2) / 2)
    return margin, np.asarray(density, dtype=np.float64)
