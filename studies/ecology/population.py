"""Populations of reviewers that are also contestants, over rounds in which weights select reviewers.

In every round all pairs of contestants meet, and each meeting is judged by reviewers drawn with the
weights of the round before (or with equal chance). The weights of a round follow from all reviews so
far, by `peerjudge.ranking`. Reviewer r prefers contestant c over d with probability

    Phi(ability_r (quality_c - quality_d) + pull_r (faction_c - faction_d) + own_r (c is r - d is r))

where `faction` is 1 for the members of a faction, and `pull_r` and `own_r` are 0 for all others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from peerjudge.data import Scheme
from peerjudge.ranking.weights import Convergence, peer_weights

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Able reviewers, and a faction of less able ones.

    `quality` and `ability` are those of the able and of the faction; qualities scatter by `spread`.
    `pull` draws the faction's members to each other's answers, `own` each of them to its own.
    """

    able: int
    faction: int
    quality: tuple[float, float] = (0.6, -0.6)
    ability: tuple[float, float] = (0.9, 0.3)
    spread: float = 0.25
    pull: float = 1.2
    own: float = 0.0

    @property
    def size(self) -> int:
        """Number of reviewers; the able come first."""
        return self.able + self.faction


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Rule by which weights follow from reviews, and their effect.

    `scheme` is `None` for equal weights. `exclude_self` leaves out reviews of own answers; `all_heard`
    draws reviewers with equal chance, not by weight.
    """

    name: str
    scheme: Scheme | None
    damping: float = 0.85
    exclude_self: bool = False
    all_heard: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Weight of all able reviewers, `[population, round]`, from before the first round on.

    `captured` is the share of populations in which the contestant with the most weighted votes at the
    end belongs to the faction.
    """

    able: Floats
    captured: float


def play_rounds(
    population: Population,
    rule: Rule,
    *,
    rounds: int,
    populations: int,
    reviews: int = 2,
    seed: int = 0,
) -> History:
    """Play rounds in many populations of one kind.

    Args:
        population: its kind.
        rule: rule of the weights.
        rounds: number of rounds.
        populations: number of populations, each with qualities of its own.
        reviews: number of reviews of every meeting of two contestants in a round.
        seed: of all draws.
    """
    random = np.random.default_rng(seed)
    size = population.size
    one, other = np.triu_indices(size, k=1)
    prefers = _compute_preferences(population, random, populations, one, other)
    own = (np.arange(size)[:, None] == one) | (np.arange(size)[:, None] == other)
    counts = ~own if rule.exclude_self else np.ones_like(own)
    points = np.zeros((populations, size, size))
    battles = np.zeros((populations, size, size))
    weights = np.full((populations, size), 1 / size)
    able = [weights[:, : population.able].sum(axis=1)]
    for _ in range(rounds):
        chances = np.full_like(weights, 1 / size) if rule.all_heard else weights
        heard = random.multinomial(reviews, chances[:, None, :], size=(populations, len(one)))
        heard = np.swapaxes(heard, 1, 2) * counts
        _add_reviews(points, battles, heard, random.binomial(heard, prefers), one, other)
        weights = _compute_weights(rule, points, battles)
        able.append(weights[:, : population.able].sum(axis=1))
    votes = (weights[:, :, None] * _compute_rates(points, battles, gap=0.5)).sum(axis=1)
    return History(
        able=np.stack(able, axis=1),
        captured=float((votes.argmax(axis=1) >= population.able).mean()),
    )


def _add_reviews(
    points: Floats,
    battles: Floats,
    heard: npt.NDArray[np.int64],
    won: npt.NDArray[np.int64],
    one: npt.NDArray[np.intp],
    other: npt.NDArray[np.intp],
) -> None:
    """Add the reviews of a round, and those won by the first of each pair, to the totals."""
    for contestant in range(points.shape[2]):
        first, second = one == contestant, other == contestant
        points[:, :, contestant] += won[:, :, first].sum(axis=2)
        points[:, :, contestant] += (heard - won)[:, :, second].sum(axis=2)
        battles[:, :, contestant] += heard[:, :, first | second].sum(axis=2)


def _compute_preferences(
    population: Population,
    random: np.random.Generator,
    populations: int,
    one: npt.NDArray[np.intp],
    other: npt.NDArray[np.intp],
) -> Floats:
    """Return the `[population, reviewer, pair]` probability of preferring the first of the pair."""
    from scipy.special import ndtr

    size = population.size
    faction = np.arange(size) >= population.able
    mean = np.where(faction, population.quality[1], population.quality[0])
    quality = mean + population.spread * random.standard_normal((populations, size))
    ability = np.where(faction, population.ability[1], population.ability[0])
    seen = ability[:, None] * (quality[:, one] - quality[:, other])[:, None, :]
    kin = faction[one].astype(np.float64) - faction[other]
    seen = seen + population.pull * faction[:, None] * kin
    reviewer = np.arange(size)[:, None]
    mine = (reviewer == one).astype(np.float64) - (reviewer == other)
    seen = seen + population.own * faction[:, None] * mine
    return np.asarray(ndtr(seen), dtype=np.float64)


def _compute_rates(points: Floats, battles: Floats, *, gap: float = np.nan) -> Floats:
    return np.where(battles > 0, points / np.maximum(battles, 1), gap)


def _compute_weights(rule: Rule, points: Floats, battles: Floats) -> Floats:
    size = points.shape[1]
    if rule.scheme is None:
        return np.full(points.shape[:2], 1 / size)
    # Under PRD some tournaments oscillate without end; half steps have the same fixed points.
    weights, _, _ = peer_weights(
        _compute_rates(points, battles),
        np.arange(size, dtype=np.int64),
        scheme=rule.scheme,
        criteria=Convergence(damping=rule.damping, tolerance=1e-6, max_iterations=300),
        relax=True,
    )
    return weights / weights.sum(axis=1, keepdims=True)
