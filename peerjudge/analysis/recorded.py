"""Findings of the recorded reviews of a dataset: agreement, rankings, weights and biases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np

from peerjudge.analysis.agreement import GoldAgreement, measure_agreement
from peerjudge.analysis.ballots import Ballots
from peerjudge.analysis.panel import Panel, measure_panel
from peerjudge.analysis.peers import HeadToHead, Trajectory, follow_ratings, tally_head_to_head
from peerjudge.analysis.position import (
    OrderConsistency,
    Position,
    measure_consistency,
    measure_position,
)
from peerjudge.analysis.scoring import Score, score_ballots
from peerjudge.analysis.selecting import find_pairs, number_judges, select_judges
from peerjudge.analysis.self_enhancement import SelfEnhancement, measure_self_enhancement
from peerjudge.analysis.tournaments import build_tournament
from peerjudge.analysis.verbosity import Verbosity, log_length_ratios, measure_verbosity
from peerjudge.data import Measurement, Noun, Ranking, Scheme, Scoring, Tournament, replace
from peerjudge.errors import ConvergenceError, DataError, UnconnectedError
from peerjudge.ranking import peer_rank, rank

ALL, WEIGHTED, HUMANS = "All", "All (weighted)", "Human"
"""Names of the juries of all reviewers, as in PRD Table 2."""

_MOST_ALONE = 12
"""Up to this number of reviewers each has an agreement and a ranking of its own."""

_SAMPLES, _ORDERS, _LEVEL = 1000, 1000, 0.95


class Jury(Noun, frozen=True, kw_only=True):
    """Reviewers whose verdicts are combined, with equal weights or weighted by peer rank."""

    name: str
    reviewers: tuple[str, ...]
    weights: Literal["equal", "peer"] = "equal"


class JuryAgreement(Noun, frozen=True, kw_only=True):
    """The agreement of a jury's combined verdict with the human gold (PRD Table 3)."""

    jury: Jury
    agreement: GoldAgreement


class Evaluator(Noun, frozen=True, kw_only=True):
    """A jury and its ranking of the contestants (PRD Table 2); people vote as one.

    `elo` is `None`, with the reason in `elo_missing`, where its peer weights do not settle.
    `trajectory` follows the Elo rating of the contestant that all reviewers rank first, for at most
    twice as many battles as the shortest of the evaluators' tournaments has.
    """

    jury: Jury
    win_rate: Ranking
    elo: Ranking | None
    elo_missing: str
    head_to_head: HeadToHead
    trajectory: Trajectory | None


class RecordedFindings(Noun, frozen=True, kw_only=True):
    """All findings of the recorded reviews of a dataset, with intervals of `level` by question.

    `scores`, `positions`, `consistency`, `self_enhancement` and `verbosity` are by reviewer, without
    people, who saw a pair in one order only. `awarded` has the ranking by each reviewer alone, and
    `together` the measures of the panel, if there are few reviewers. `weights` has the peer weights
    of each scheme that settles. `reviews` and `unreadable` count those of reviewers, `humans` the
    names under which people voted. Without gold, ranking or weights, a sentence gives the reason.
    """

    dataset: str
    description: str
    seed: int
    level: float
    comparisons: int
    questions: int
    reviews: int
    unreadable: int
    reviewers: tuple[str, ...]
    humans: int
    groups: tuple[str, ...]
    scores: tuple[Score, ...]
    agreement: tuple[JuryAgreement, ...]
    gold_missing: str
    evaluators: tuple[Evaluator, ...]
    awarded: Mapping[str, Ranking]
    weights: Mapping[str, Mapping[str, Measurement]]
    ranking_missing: str
    weights_missing: str
    positions: tuple[Position, ...]
    consistency: tuple[OrderConsistency, ...]
    self_enhancement: tuple[SelfEnhancement, ...]
    verbosity: tuple[Verbosity, ...]
    together: Panel | None


def build_recorded_findings(
    ballots: Ballots, *, description: str = "", juries: Sequence[Jury] = (), seed: int = 0
) -> RecordedFindings:
    """Return all findings of the recorded reviews of pairs, with intervals by question.

    Args:
        ballots: of a dataset; its `humans` are gold and an evaluator, and no reviewers.
        description: of the dataset.
        juries: further juries whose agreement with gold to measure; left out where one of their
            members gave no reviews.
        seed: of the resampling and of the orders of Elo.

    Raises:
        DataError: there is no readable review of a pair except by people.
    """
    pairs = find_pairs(ballots)
    readable = ballots.where(pairs[ballots.comparison] & ballots.readable)
    present = {name for name, _ in number_judges(readable)}
    reviewers = sorted(present - set(ballots.humans))
    if not reviewers:
        raise DataError(_explain_no_reviews(ballots.name, people=bool(present)))
    judged = select_judges(ballots, reviewers=reviewers)
    has_gold = bool((ballots.gold_of >= -1).any())
    scores, groups = _score(ballots, reviewers, seed=seed) if has_gold else ((), ())
    authors = {answer.author for one in ballots.comparisons for answer in one.answers}
    ranked = len(authors - {""}) > 1
    humans = [name for name in ballots.humans if name in present]
    alone = reviewers if 1 < len(reviewers) <= _MOST_ALONE else []
    weighed, apart = _can_weigh(ballots, reviewers) if ranked else (False, "")
    return RecordedFindings(
        dataset=ballots.name,
        description=description,
        seed=seed,
        level=_LEVEL,
        comparisons=int(pairs.sum()),
        questions=len(np.unique(ballots.question_of[pairs])),
        reviews=len(judged),
        unreadable=int((~judged.readable).sum()),
        reviewers=tuple(reviewers),
        humans=len(humans),
        groups=groups,
        scores=scores,
        agreement=_measure_juries(ballots, reviewers, juries, weighed=weighed, seed=seed)
        if scores
        else (),
        gold_missing="" if scores else "No comparison has a gold answer, so there is no accuracy.",
        evaluators=_rank_juries(ballots, reviewers, humans, weighed=weighed, seed=seed)
        if ranked
        else (),
        awarded={
            name: rank(build_tournament(ballots, reviewers=[name]), bootstrap=_SAMPLES, seed=seed)
            for name in alone
            if ranked
        },
        weights=_weigh_peers(build_tournament(ballots, reviewers=reviewers), seed=seed)
        if weighed
        else {},
        ranking_missing="" if ranked else "The authors of the answers are not known.",
        weights_missing=apart,
        positions=measure_position(judged, seed=seed),
        consistency=tuple(row for row in measure_consistency(judged, seed=seed) if row.rate.n),
        self_enhancement=measure_self_enhancement(judged, seed=seed),
        verbosity=_measure_lengths(judged, reviewers, seed=seed),
        together=measure_panel(judged, seed=seed) if alone else None,
    )


def _can_weigh(ballots: Ballots, reviewers: Sequence[str]) -> tuple[bool, str]:
    """Return whether reviewers have peer weights, and why not where contestants among them never met."""
    if len(_find_contestants(ballots, reviewers)) < 2:
        return False, ""
    try:
        peer_rank(build_tournament(ballots, reviewers=reviewers), scheme=Scheme.DAMPED)
    except UnconnectedError as failed:
        return False, failed.reason
    return True, ""


def _explain_no_reviews(name: str, *, people: bool) -> str:
    hint = "judge it with `peerjudge run` and report on that run"
    if people:
        return f"{name} has reviews by people only, who are its gold; {hint}"
    return f"{name} has no reviews of pairs; {hint}"


def _score(
    ballots: Ballots, reviewers: Sequence[str], *, seed: int
) -> tuple[tuple[Score, ...], tuple[str, ...]]:
    """Return the scores by subset where there are subsets, else by category."""
    comparisons = ballots.comparisons
    category = "category" if any(one.question.category for one in comparisons) else ""
    by = "subset" if any(one.subset for one in comparisons) else category
    found = score_ballots(ballots, by=by, reviewers=reviewers, seed=seed)
    return found.scores, found.groups


def _measure_juries(
    ballots: Ballots,
    reviewers: Sequence[str],
    juries: Sequence[Jury],
    *,
    weighed: bool,
    seed: int,
) -> tuple[JuryAgreement, ...]:
    wanted: list[Jury] = []
    if len(reviewers) <= _MOST_ALONE:
        wanted += [Jury(name=name, reviewers=(name,)) for name in reviewers]
    wanted += [
        jury
        for jury in juries
        if set(jury.reviewers) <= set(reviewers) and (weighed or jury.weights != "peer")
    ]
    if len(reviewers) > 1:
        wanted.append(Jury(name=ALL, reviewers=tuple(reviewers)))
    if weighed:
        wanted.append(Jury(name=WEIGHTED, reviewers=tuple(reviewers), weights="peer"))
    return tuple(
        JuryAgreement(
            jury=jury,
            agreement=measure_agreement(
                ballots,
                reviewers=jury.reviewers,
                weights=jury.weights,
                scheme=_choose_scheme(ballots, jury),
                seed=seed,
            ),
        )
        for jury in wanted
    )


def _find_contestants(ballots: Ballots, reviewers: Sequence[str]) -> dict[str, str]:
    """Return the reviewers that are contestants, by contestant."""
    authors = {answer.author for one in ballots.comparisons for answer in one.answers}
    own = {ballots.name_contestant(name): name for name in reviewers}
    return {contestant: name for contestant, name in own.items() if contestant in authors}


def _choose_scheme(ballots: Ballots, jury: Jury) -> Scheme:
    """Return the paper's scheme of peer weights, or the damped one where that does not settle."""
    if jury.weights == "peer":
        try:
            peer_rank(build_tournament(ballots, reviewers=jury.reviewers), scheme=Scheme.PRD)
        except ConvergenceError:
            return Scheme.DAMPED
    return Scheme.PRD


_Ranked: TypeAlias = tuple[Jury, Scheme, Tournament, Ranking]
"""A jury, its scheme of weights, its battles, and its ranking by win rate."""


def _rank_juries(
    ballots: Ballots,
    reviewers: Sequence[str],
    humans: Sequence[str],
    *,
    weighed: bool,
    seed: int,
) -> tuple[Evaluator, ...]:
    """Return the evaluators of PRD Table 2, as far as the dataset has them.

    These are the best contestant as the only reviewer, if it reviewed; all reviewers with equal
    weights; all by peer weight, if there is one; and people.
    """
    own = _find_contestants(ballots, reviewers)
    together = Jury(name=ALL if len(reviewers) > 1 else reviewers[0], reviewers=tuple(reviewers))
    juries = [together]
    if weighed:
        juries.append(replace(together, name=WEIGHTED, weights="peer"))
    if humans:
        juries.append(Jury(name=HUMANS, reviewers=tuple(humans)))
    ranked = [_rank_jury(ballots, jury, seed=seed) for jury in juries]
    best = next(iter(ranked[1 if weighed else 0][3].contestants))
    if best in own and len(reviewers) > 1:
        jury = Jury(name=own[best], reviewers=(own[best],))
        ranked.insert(0, _rank_jury(ballots, jury, seed=seed))
    shortest = min(win_rate.reviews for *_, win_rate in ranked)
    return tuple(_build_evaluator(one, best, most=2 * shortest, seed=seed) for one in ranked)


def _rank_jury(ballots: Ballots, jury: Jury, *, seed: int) -> _Ranked:
    tournament = build_tournament(ballots, reviewers=jury.reviewers)
    scheme = _choose_scheme(ballots, jury)
    win_rate = rank(tournament, weights=jury.weights, scheme=scheme, bootstrap=_SAMPLES, seed=seed)
    return jury, scheme, tournament, win_rate


def _build_evaluator(ranked: _Ranked, followed: str, *, most: int, seed: int) -> Evaluator:
    jury, scheme, tournament, win_rate = ranked
    elo, missing = None, ""
    try:
        elo = rank(
            tournament,
            scoring=Scoring.ELO,
            weights=jury.weights,
            scheme=scheme,
            orders=_ORDERS,
            bootstrap=_SAMPLES,
            seed=seed,
        )
    except ConvergenceError as failed:
        missing = str(failed)
    trajectory = None
    if followed in tournament.contestants:
        (trajectory,) = follow_ratings(
            tournament,
            weights=(elo or win_rate).weights.weights,
            contestants=[followed],
            most=most,
            seed=seed,
            level=_LEVEL,
        )
    return Evaluator(
        jury=jury,
        win_rate=win_rate,
        elo=elo,
        elo_missing=missing,
        head_to_head=tally_head_to_head(
            tournament, weights=win_rate.weights.weights, order=list(win_rate.contestants)
        ),
        trajectory=trajectory,
    )


def _weigh_peers(tournament: Tournament, *, seed: int) -> dict[str, dict[str, Measurement]]:
    """Return the weights of reviewers by scheme (PRD Figure 3), of those schemes that settle."""
    found: dict[str, dict[str, Measurement]] = {}
    for scheme in Scheme:
        try:
            ranking = rank(tournament, weights="peer", scheme=scheme, bootstrap=_SAMPLES, seed=seed)
        except ConvergenceError:
            continue
        bounds = ranking.weight_bounds or {}
        found[scheme.value] = {
            name: Measurement(
                value=weight,
                low=bounds[name][0],
                high=bounds[name][1],
                n=ranking.reviews,
                level=_LEVEL,
                method="bootstrap by question",
            )
            for name, weight in ranking.weights.weights.items()
        }
    return found


def _measure_lengths(
    ballots: Ballots, reviewers: Sequence[str], *, seed: int
) -> tuple[Verbosity, ...]:
    """Return nothing where the dataset has no texts, or too many regressions would be needed."""
    readable = ballots.where(ballots.readable)
    if len(reviewers) > _MOST_ALONE or not log_length_ratios(readable).any():
        return ()
    return measure_verbosity(ballots, seed=seed)
