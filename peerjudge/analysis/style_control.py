"""Style-controlled ranking: Bradley-Terry strengths at equal position, length and markdown."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import nan
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.ballots import Ballots, Floats
from peerjudge.analysis.logistic import Fit, Rows, find_independent, fit_rows
from peerjudge.analysis.styles import MARKDOWN, find_texts, has_both_orders, measure_styles
from peerjudge.analysis.tournaments import build_tournament, select_battles
from peerjudge.data import (
    Measurement,
    Noun,
    Ranking,
    Scheme,
    Scoring,
    Standing,
    Tournament,
    replace,
)
from peerjudge.errors import DataError
from peerjudge.ranking import Weighting, find_kin_battles, rank, share_pairs, win_rates
from peerjudge.ranking.bounds import rank_bounds, rank_scores
from peerjudge.ranking.strengths import MIDDLE, UNIT

Control = Literal["position", "length", "markdown"]
CONTROLS: tuple[Control, ...] = get_args(Control)

_FEATURES: Mapping[str, tuple[str, ...]] = {
    "position": ("position",),
    "length": ("length",),
    "markdown": tuple(MARKDOWN),
}
_PRIOR, _STRENGTH_PRIOR = 1.0, 0.01
"""Observations that the prior of a coefficient counts; hardly any for the strengths, as in Bradley-Terry."""


class StyleCoefficient(Noun, frozen=True, kw_only=True):
    """The effect of a style on being chosen in log-odds, at equal strength of the contestants.

    For `position`, of being shown first; for other features, of a difference of one standard
    `deviation` over the battles. The difference is that of the numbers divided by their sum.
    """

    feature: str
    value: Measurement
    deviation: float | None = None


class ControlledRanking(Noun, frozen=True, kw_only=True):
    """A Bradley-Terry ranking at equal style, beside the `plain` one of the same battles.

    `left_out` has features that could not be controlled, with the reason. Battles on pairs
    `without_texts`, where other pairs have texts, are left out of both rankings. `both_orders` is true
    if a pair was shown in both orders.
    """

    controls: tuple[Control, ...]
    plain: Ranking
    contestants: Mapping[str, Standing]
    coefficients: tuple[StyleCoefficient, ...]
    left_out: Mapping[str, str]
    without_texts: int
    both_orders: bool
    simulated: bool


def control_styles(
    ballots: Ballots,
    *,
    controls: Collection[str] = CONTROLS,
    reviewers: Collection[str] | None = None,
    excluded: Mapping[str, str] | None = None,
    weights: Weighting = "equal",
    scheme: Scheme = Scheme.PRD,
    prior: float = 0.0,
    bootstrap: int = 1000,
    seed: int = 0,
) -> ControlledRanking:
    """Return Bradley-Terry strengths with and without control of style.

    Fitted is the logistic regression of style control in Chatbot Arena (Li, Angelopoulos and Chiang
    2024): `logit P(first-shown wins) = strength[first] - strength[second] + position + styles @ b`, with
    the differences of the styles divided by their standard deviation, by maximum likelihood
    (`fit_rows`). A tie is half a win; battles count with the weight of their
    reviewer, as in `bradley_terry`. The coefficients b have a weak log-F prior. Bounds are a jackknife
    over questions, at fixed weights; rank bounds are of 1000 draws from this distribution.

    A style that goes with the quality of answers takes some of it: control shows how a ranking depends
    on style, not what a style is worth. Groups of contestants that no battles connect are ranked apart.

    Args:
        ballots: recorded reviews, or the opening or closing stances of a run.
        controls: what to hold equal, of `CONTROLS`.
        reviewers: as in `build_tournament`.
        excluded: families by name whose reviews of their own answers to leave out (`without_family`;
            self-reviews where it is empty); `None` leaves out none.
        weights: as in `rank`.
        scheme: of peer weights.
        prior: tied battles added to every pair.
        bootstrap: resamples for the bounds of the plain ranking.
        seed: of the resamples and draws.

    Raises:
        DataError: an unknown control, no battles, too few questions, or no finite strengths.
        ConvergenceError: the fit did not converge.
    """
    wanted = _check(controls)
    battles, names = select_battles(ballots, reviewers=reviewers)
    tournament = build_tournament(ballots, reviewers=reviewers)
    if names is not None:
        battles = battles.where(
            np.isin(battles.reviewer, [battles.reviewers.index(n) for n in names])
        )
    keep = np.ones(len(battles), dtype=np.bool_)
    if excluded is not None:
        keep &= ~find_kin_battles(tournament, excluded)
    texts = find_texts(battles)
    lost = keep & ~texts if texts.any() and set(wanted) != {"position"} else np.zeros_like(keep)
    keep &= ~lost
    battles, tournament = battles.where(keep), tournament.where(keep)
    plain = rank(
        tournament,
        scoring=Scoring.BRADLEY_TERRY,
        weights=weights,
        scheme=scheme,
        seed=seed,
        prior=prior,
        bootstrap=bootstrap,
    )
    styles, left_out = _select_styles(battles, tournament, wanted, texts=bool(texts.any()))
    _require_questions(tournament, len(plain.groups), len(styles))
    fit = _fit(tournament, plain, styles, prior)
    size, read = len(tournament.contestants), tournament.readable
    return ControlledRanking(
        controls=wanted,
        plain=plain,
        contestants=_rank(tournament.contestants, plain, fit, seed),
        coefficients=tuple(
            StyleCoefficient(
                feature=name,
                value=fit.measure(size + place, n=int(np.count_nonzero(values[read]))),
                deviation=None if name == "position" else float(values[read].std()),
            )
            for place, (name, values) in enumerate(styles.items())
        ),
        left_out=left_out,
        without_texts=int(lost.sum()),
        both_orders=has_both_orders(battles),
        simulated=ballots.simulated,
    )


def _check(controls: Collection[str]) -> tuple[Control, ...]:
    unknown = sorted(set(controls) - set(CONTROLS))
    if unknown or not controls:
        what = f"unknown style {', '.join(unknown)}" if unknown else "no style to control"
        msg = f"{what}; choose of {', '.join(CONTROLS)}"
        raise DataError(msg)
    return tuple(one for one in CONTROLS if one in controls)


def _require_questions(tournament: Tournament, groups: int, styles: int) -> None:
    """Raise `DataError` unless a jackknife of the questions can bound every coefficient."""
    questions = len(np.unique(tournament.question[tournament.readable]))
    free = len(tournament.contestants) - groups + styles
    if questions <= free:
        msg = (
            f"{questions} questions are too few to hold styles equal: the ranking has {free} coefficients "
            f"({len(tournament.contestants)} contestants, {styles} styles); judge more questions, or "
            "control fewer styles"
        )
        raise DataError(msg)


def _select_styles(
    ballots: Ballots, tournament: Tournament, controls: Sequence[Control], *, texts: bool
) -> tuple[dict[str, Floats], dict[str, str]]:
    """Return the differences of the styles that can be controlled, and why others cannot."""
    measured = {"position": np.ones(len(ballots)), **measure_styles(ballots)}
    read = tournament.readable
    styles: dict[str, Floats] = {}
    left_out: dict[str, str] = {}
    for name in (feature for control in controls for feature in _FEATURES[control]):
        values = measured[name]
        if name != "position" and not texts:
            left_out[name] = "the data have no answer texts"
        elif name != "position" and not np.ptp(values[read]) > 0.0:
            left_out[name] = "all pairs of answers are alike in it"
        else:
            styles[name] = values
    columns = [*_contestant_columns(tournament).T, *styles.values()]
    apart = find_independent(np.column_stack(columns)[read])[len(tournament.contestants) :]
    for name in [name for name, kept in zip(styles, apart, strict=True) if not kept]:
        left_out[name] = "it cannot be told apart from the contestants and the other styles"
        del styles[name]
    return styles, left_out


def _contestant_columns(tournament: Tournament) -> Floats:
    """Return `[battle, contestant]`: 1 for the first-shown, -1 for the second."""
    rows = np.arange(len(tournament))
    table = np.zeros((len(tournament), len(tournament.contestants)))
    table[rows, tournament.first] += 1.0
    table[rows, tournament.second] -= 1.0
    return table


def _fit(tournament: Tournament, plain: Ranking, styles: Mapping[str, Floats], prior: float) -> Fit:
    read = tournament.readable
    scaled = [
        values if name == "position" else values / values[read].std()
        for name, values in styles.items()
    ]
    given = np.column_stack([_contestant_columns(tournament), *scaled])[read]
    weight = _weigh(tournament, plain)[read]
    chosen = (1.0 - tournament.score[read].astype(np.float64)) / 2.0
    cluster = tournament.question[read].astype(np.int64)
    if prior > 0.0:
        place = {name: k for k, name in enumerate(tournament.contestants)}
        ties = [
            (place[one], place[other])
            for group in plain.groups
            for one in group
            for other in group
            if one < other
        ]
        added = np.zeros((len(ties), given.shape[1]))
        added[np.arange(len(ties)), [one for one, _ in ties]] = 1.0
        added[np.arange(len(ties)), [other for _, other in ties]] = -1.0
        given = np.vstack([given, added])
        weight = np.append(weight, np.full(len(ties), prior))
        chosen = np.append(chosen, np.full(len(ties), 0.5))
        cluster = np.append(cluster, np.full(len(ties), -1))
    rows = Rows(given=given, chosen=chosen, weight=weight, cluster=cluster)
    held = np.full(given.shape[1], _PRIOR)
    held[: len(tournament.contestants)] = _STRENGTH_PRIOR
    return fit_rows(rows, prior=held)


def _weigh(tournament: Tournament, plain: Ranking) -> Floats:
    """Return the weight of every battle, as `bradley_terry` has it."""
    judges = [name for name in tournament.reviewers if name not in plain.mute]
    share = np.array([plain.weights.weights[name] for name in tournament.reviewers])
    uneven = win_rates(tournament).uneven
    if uneven is None:
        return share[tournament.reviewer] * len(judges)
    by_pair = share_pairs(share[None], uneven.judged)[0] * len(judges)
    return by_pair[tournament.reviewer, tournament.first, tournament.second]


def _rank(names: Sequence[str], plain: Ranking, fit: Fit, seed: int) -> dict[str, Standing]:
    """Return the standings of each group, best first, and then of contestants without a battle."""
    standings: dict[str, Standing] = {}
    for members in plain.groups:
        at = [names.index(name) for name in members]
        centre = UNIT * (np.eye(len(at)) - 1.0 / len(at))
        scores = MIDDLE + centre @ fit.values[at]
        covariance = centre @ fit.covariance[np.ix_(at, at)] @ centre.T
        bounded = fit.clusters > 1
        reach = fit.student * np.sqrt(np.maximum(np.diag(covariance), 0.0))
        best, worst = _draw_ranks(scores, covariance, fit, seed) if bounded else (None, None)
        place = rank_scores(scores)
        for k in np.argsort(place, kind="stable").tolist():
            standing = Standing(score=float(scores[k]), rank=int(place[k]))
            if best is not None and worst is not None:
                standing = replace(
                    standing,
                    low=float(scores[k] - reach[k]),
                    high=float(scores[k] + reach[k]),
                    rank_low=int(best[k]),
                    rank_high=int(worst[k]),
                )
            standings[members[k]] = standing
    idle = [name for name in names if name not in standings]
    last = len(names) - len(idle) + 1
    return standings | {name: Standing(score=nan, rank=last) for name in idle}


def _draw_ranks(
    scores: Floats, covariance: Floats, fit: Fit, seed: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the bounds of the ranks of draws from Student's distribution of the scores."""
    random = np.random.default_rng(seed)
    df = fit.clusters - 1
    normal = random.multivariate_normal(np.zeros(len(scores)), covariance, size=1000, method="eigh")
    wide = np.sqrt(df / random.chisquare(df, size=1000))
    return rank_bounds(scores + normal * wide[:, None])
