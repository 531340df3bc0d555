r"""Mathematics of a simulated reviewer: truth, perception and change of opinion.

Every answer i of a comparison has a merit, 0 for the best and -c |z_i| for the others, z_i ~ N(0, 1),
c the clarity of its subset, and on adversarial comparisons a lure A > 0 for the wrong ones. A
reviewer perceives

    x_i = ability merit_i + surface damping lure_i + pulls_i + position_bias [i is shown first]
          + (sqrt(shared) u_i + sqrt(own) v_i + sqrt(place) p_k + sqrt(wording) t_i + sqrt(fresh) w_i)
            / sqrt(2)

with u common to all reviewers, v to all seats of one reviewer, p to these too but tied to the place k
at which i is shown, t to the wording of the prompt, w new in every reply, all N(0, 1). It chooses the
largest x; for two answers the difference has error variance shared + own + place + wording + fresh = 1.
A lower temperature turns fresh error into the reviewer's own persistent error and leaves the sum,
and so the accuracy, as it is; above 1 the fresh error grows. In a discussion a stance that differs
from the others' changes to theirs with probability

    d logistic(susceptibility - firmness [leads] + truth_pull y + persuasion)

where y is +1 if the others are right and -1 if wrong, d is 1 at the first turn and 1/2 later, and
persuasion is the mean persuasiveness of the reviewers that hold that stance and gave reasons for it.
Where no right reasons are heard, y is 0.
Numbers derive from hashes of what they belong to, not from a stream: any order of calls is the same.
"""

from __future__ import annotations

import hashlib
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from peerjudge.data import TIE, Comparison, Outcome, Verdict
from peerjudge.simulation.traits import Traits

Floats = npt.NDArray[np.float64]

TIED_MARGIN = 0.1
"""Margins of comparisons whose gold is a tie, as a share of the usual ones."""

LATER_TURNS = 0.5
"""Factor of the change probability after the first discussion turn (fixed in the fit)."""

QUALITY = "simulated_quality_"
"""Key, before the id of an answer, of the quality with which a simulated card wrote it. [sd]"""

_STANDARD = NormalDist()


@dataclass(frozen=True, slots=True, kw_only=True)
class Subset:
    """Subset of a benchmark: scale of its margins, and attraction of the wrong answer.

    The lure of LLMBar Manual is 1.
    """

    clarity: float = 1.0
    lure: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Latent:
    """Truth of a comparison, the same for all reviewers and in every shown order.

    `truth` is the right verdict; `merit` and `lure` are by answer id, in latent standard deviations.
    """

    truth: Verdict
    merit: Mapping[str, float]
    lure: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Variances of the error of a private comparison.

    The parts are common to all reviewers, the reviewer's own, its own by place, its own by the wording
    of the prompt, and fresh.
    """

    shared: float
    own: float
    place: float
    fresh: float
    wording: float = 0.0

    @property
    def total(self) -> float:
        """Variance of the whole error; 1 up to temperature 1."""
        return self.shared + self.own + self.place + self.wording + self.fresh


@cache
def read_subsets() -> Mapping[str, Subset]:
    """Return the known subsets of `subsets.toml` by lower-case name."""
    text = files("peerjudge.simulation").joinpath("subsets.toml").read_text("utf-8")
    return {name: Subset(**values) for name, values in tomllib.loads(text).items()}


def find_subset(comparison: Comparison) -> Subset:
    """Return the subset of a comparison; unknown ones are ordinary unless marked as adversarial."""
    named = read_subsets().get(comparison.subset.lower())
    if named is not None:
        return named
    return Subset(lure=1.0 if comparison.meta.get("adversarial") is True else 0.0)


def draw_uniform(*key: str | int) -> float:
    """Return a number strictly between 0 and 1 that depends only on the key, on every machine."""
    digest = hashlib.sha256("\x1f".join(map(str, key)).encode()).digest()
    return (int.from_bytes(digest[:6], "big") + 0.5) / 2**48


def draw_normal(*key: str | int) -> float:
    """Return a standard normal number that depends only on the key."""
    return _STANDARD.inv_cdf(draw_uniform(*key))


def find_latent(comparison: Comparison, *, seed: int) -> Latent:
    """Return the truth of a comparison in the simulated world of this seed.

    The best answer is gold where gold is a choice; elsewhere a hash decides, and where gold is a
    tie the margins are small. Without gold, answers that simulated cards wrote have the quality with
    which they were written.
    """
    gold = comparison.gold
    written = None if gold is not None else read_qualities(comparison)
    if written is not None:
        return _rank_written(comparison, written)
    tied = gold is not None and gold.outcome is Outcome.TIE
    best = gold.choice if gold is not None else None
    if best is None:
        best = min(
            comparison.shown, key=lambda answer: draw_uniform(seed, "best", comparison.id, answer)
        )
    wrong = [answer for answer in comparison.shown if answer != best]
    subset = find_subset(comparison)
    scale = TIED_MARGIN if tied else subset.clarity
    lure = 0.0 if tied else subset.lure
    return Latent(
        truth=TIE if tied else Verdict.of(best),
        merit={best: 0.0}
        | {answer: -scale * abs(draw_normal(seed, "z", comparison.id, answer)) for answer in wrong},
        lure={best: 0.0} | dict.fromkeys(wrong, lure),
    )


def read_qualities(comparison: Comparison) -> Mapping[str, float] | None:
    """Return the quality by answer id that simulated cards gave all answers; `None` if one has none."""
    found = {answer: comparison.meta.get(f"{QUALITY}{answer}") for answer in comparison.shown}
    qualities = {
        answer: float(value)
        for answer, value in found.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return qualities if len(qualities) == len(found) else None


def _rank_written(comparison: Comparison, qualities: Mapping[str, float]) -> Latent:
    best = max(comparison.shown, key=lambda answer: qualities[answer])
    lure = find_subset(comparison).lure
    return Latent(
        truth=Verdict.of(best),
        merit={answer: value - qualities[best] for answer, value in qualities.items()},
        lure={answer: 0.0 if answer == best else lure for answer in comparison.shown},
    )


def split_noise(traits: Traits, temperature: float) -> Noise:
    """Return how the error divides at this temperature; see the module's text."""
    persistent = traits.shared_error + traits.copy_error + traits.place_error + traits.wording_error
    fresh_at_one = max(0.0, 1 - persistent)
    fresh = fresh_at_one * temperature**2
    frozen = max(0.0, fresh_at_one - fresh)
    return Noise(
        shared=traits.shared_error,
        own=traits.copy_error + frozen,
        place=traits.place_error,
        fresh=fresh,
        wording=traits.wording_error,
    )


def compute_change_chance(
    traits: Traits, *, leads: bool, right: bool | None, first_turn: bool, persuasion: float = 0.0
) -> float:
    """Return the probability of giving way to others that disagree.

    Args:
        traits: of the seat that may give way.
        leads: whether it leads the discussion.
        right: whether the others are right; `None` where no reason that is heard bears on it.
        first_turn: whether this is its first turn in the discussion.
        persuasion: mean persuasiveness of the others [logit].
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


def expect_accuracy(
    traits: Traits,
    *,
    best_first: bool | None = None,
    pull: float = 0.0,
    clarity: float = 1.0,
    temperature: float = 1.0,
    ties: bool = False,
) -> float:
    """Return the expected share of pairs judged rightly in private, over all margins.

    `best_first` says where the better answer is shown; `None` is the mean of both orders. `pull` is
    everything else in favour of the better answer, in latent standard deviations: -surface *
    dampening * lure on adversarial items, tastes where the two answers differ in them. Without bias
    the result is 1/2 + arctan(ability clarity) / pi.
    """
    # scipy is slow to import, and a spoken discussion does not need it.
    from scipy.special import ndtr

    margin, density = build_margins()
    margin = clarity * margin
    least = traits.tie_width if ties else 0.0
    noise = math.sqrt(split_noise(traits, temperature).total)
    means: list[float] = []
    for first in (True, False) if best_first is None else (best_first,):
        bias = traits.position_bias if first else -traits.position_bias
        evidence = traits.ability * margin + bias + pull - least
        means.append(float(density @ np.asarray(ndtr(evidence / noise), dtype=np.float64)))
    return sum(means) / len(means)


@cache
def build_margins(nodes: int = 96, *, most: float = 9.0) -> tuple[Floats, Floats]:
    """Return nodes and weights that integrate over half-normal margins up to `most`."""
    places, weights = np.polynomial.legendre.leggauss(nodes)
    margin = np.asarray(most / 2 * (places + 1), dtype=np.float64)
    density = most / 2 * weights * np.sqrt(2 / np.pi) * np.exp(-(margin**2) / 2)
    return margin, np.asarray(density, dtype=np.float64)
