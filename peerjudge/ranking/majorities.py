"""Majority verdicts of a panel of reviewers, and rankings by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace as change

import numpy as np
import numpy.typing as npt

from peerjudge.data import Ranking, Scheme, Scoring, Tournament, replace
from peerjudge.errors import DataError
from peerjudge.ranking.resampling import Resamples, draw_questions, score_samples, weigh_samples
from peerjudge.ranking.standings import Weighting, bound_ranking, rank
from peerjudge.ranking.tally import Floats
from peerjudge.ranking.tournament import without_mute

PANEL = "panel"
"""Reviewer name of majority verdicts."""

_EVEN = 1e-9
_UNREADABLE = 2
_SCORES = (-1, 0, 1)


def majority_verdicts(
    tournament: Tournament, weights: Mapping[str, float] | None = None
) -> Tournament:
    """Build the panel's battle for each question and ordered pair of contestants.

    The verdict is the sign of the weighted mean of the reviewers' scores (-1 first, 0 tie, +1
    second); exactly 0 is a tie. With peer weights this reproduces the accuracy of PRD Table 3. A
    reviewer that judged a battle several times counts once, with its mean score. A reviewer with an
    unreadable verdict or weight 0 does not count; without any counting reviewer the battle is
    unreadable. Battles are sorted by question, then by pair.

    Args:
        tournament: battles of any reviewers.
        weights: weight of every reviewer, at least 0; `None` weights all equally.

    Raises:
        DataError: a reviewer has no weight, or a negative one.
    """
    missing = [name for name in tournament.reviewers if weights is not None and name not in weights]
    worth = np.array(
        [1.0 if weights is None else weights.get(name, 0.0) for name in tournament.reviewers]
    )
    if missing or not (np.isfinite(worth).all() and (worth >= 0.0).all()):
        msg = f"a majority needs a weight of at least 0 for every reviewer, not {weights}"
        raise DataError(msg)
    votes = _collect_votes(tournament)
    said = votes.decide(worth)
    readable = said != _UNREADABLE
    return _build_panel(
        tournament, votes, question=votes.question, score=said * readable, readable=readable
    )


def rank_majority(
    tournament: Tournament,
    *,
    scoring: Scoring = Scoring.WIN_RATE,
    weights: Weighting = "equal",
    scheme: Scheme = Scheme.PRD,
    orders: int = 1000,
    seed: int = 0,
    bootstrap: int = 1000,
    prior: float = 0.0,
) -> tuple[Ranking, Tournament]:
    """Rank by the weighted majority of the reviewers; return the ranking and the panel's battles.

    Peer weights are estimated, and decide the battles. In each resample of the questions they are
    computed again and the battles decided again, so that all bounds carry their uncertainty.

    Args:
        tournament: as for `rank`, like all others.
        scoring: see `rank`.
        weights: see `rank`.
        scheme: see `rank`.
        orders: see `rank`.
        seed: see `rank`.
        bootstrap: see `rank`.
        prior: see `rank`.

    Raises:
        DataError: no readable battles, weights that do not fit, or no finite Bradley-Terry estimate.
        ConvergenceError: the peer weights do not converge.
    """
    scoring, scheme, estimated = Scoring(scoring), Scheme(scheme), weights == "peer"
    weighed = rank(
        tournament,
        scoring=scoring,
        weights=weights,
        scheme=scheme,
        orders=orders,
        seed=seed,
        bootstrap=0,
        prior=prior,
    )
    settled = majority_verdicts(tournament, weighed.weights.weights)
    ranking = rank(
        settled,
        scoring=scoring,
        orders=orders,
        seed=seed,
        bootstrap=0 if estimated else bootstrap,
        prior=prior,
    )
    ranking = replace(ranking, weights=weighed.weights, mute=weighed.mute)
    if estimated and bootstrap and ranking.questions > 1:
        drawn = _resample(tournament, scoring, scheme, samples=bootstrap, seed=seed, prior=prior)
        ranking = bound_ranking(ranking, settled, drawn)
    return ranking, settled


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Votes:
    """Battles of a panel (`question`, `first`, `second`), and the votes on them.

    A vote is the mean score (`mean`) of a reviewer (`judge`) on a battle (`battle`).
    """

    question: npt.NDArray[np.int32]
    first: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32]
    battle: npt.NDArray[np.int64]
    judge: npt.NDArray[np.int64]
    mean: Floats

    def decide(self, worth: Floats) -> npt.NDArray[np.int8]:
        """Return the score of every battle under the weights of the reviewers, or `_UNREADABLE`."""
        weight, size = worth[self.judge], len(self.question)
        total = np.bincount(self.battle, weight * self.mean, size)
        share = np.bincount(self.battle, weight, size)
        sign = np.sign(total) * (np.abs(total) > _EVEN * share)
        return np.where(share > 0.0, sign, _UNREADABLE).astype(np.int8)


def _collect_votes(tournament: Tournament) -> _Votes:
    size, judges = len(tournament.contestants), np.int64(len(tournament.reviewers))
    key = tournament.question.astype(np.int64) * size + tournament.first
    keys, battle = np.unique(key * size + tournament.second, return_inverse=True)
    heard = tournament.readable
    cells, at = np.unique(battle[heard] * judges + tournament.reviewer[heard], return_inverse=True)
    judged, judge = np.divmod(cells, judges)
    pair, second = np.divmod(keys, size)
    question, first = np.divmod(pair, size)
    return _Votes(
        question=question.astype(np.int32),
        first=first.astype(np.int32),
        second=second.astype(np.int32),
        battle=judged,
        judge=judge,
        mean=np.bincount(at, tournament.score[heard], len(cells)) / np.bincount(at),
    )


def _resample(
    tournament: Tournament,
    scoring: Scoring,
    scheme: Scheme,
    *,
    samples: int,
    seed: int,
    prior: float,
) -> Resamples:
    """Return scores by majority in resampled questions, each with its own peer weights."""
    tournament, _ = without_mute(tournament)
    draws = draw_questions(tournament, samples=samples, seed=seed)
    if scoring == Scoring.ELO and scheme == Scheme.PRD:
        found = score_samples(
            tournament, draws, scoring=scoring, weights=None, scheme=scheme, seed=seed
        )
        # Taking the spread of the orders out of the weights can put one slightly below 0.
        weights, unsettled = np.maximum(found.weights, 0.0), found.unsettled
    else:
        every = np.zeros((samples, len(tournament.questions)))
        every[:, np.unique(tournament.question[tournament.readable])] = draws
        weights, unsettled = weigh_samples(tournament, every, scheme=scheme)
    panel, times = _spread_verdicts(tournament, weights, draws)
    alone = np.ones(1)
    scored = score_samples(panel, times, scoring=scoring, weights=alone, seed=seed, prior=prior)
    return change(scored, weights=weights, unsettled=unsettled)


def _spread_verdicts(
    tournament: Tournament, weights: Floats, draws: Floats
) -> tuple[Tournament, Floats]:
    """Return one tournament for all samples, and how often each sample draws its questions.

    A battle that the weights of some samples decide otherwise is in it once for each of its scores, each
    time as a question of its own, which only the samples with this score draw.
    """
    votes = _collect_votes(tournament)
    said = np.stack([votes.decide(row) for row in weights])
    present = np.unique(tournament.question[tournament.readable])
    column = np.searchsorted(present, votes.question)
    firm = (said == said[0]).all(axis=0) & (said[0] != _UNREADABLE)
    places, scores = [np.flatnonzero(firm)], [said[0, firm]]
    questions, times = [column[firm]], [draws]
    for score in _SCORES:
        chosen = np.flatnonzero(~firm & (said == score).any(axis=0))
        places.append(chosen)
        scores.append(np.full(len(chosen), score, dtype=np.int8))
        questions.append(np.arange(len(chosen)) + sum(time.shape[1] for time in times))
        times.append(draws[:, column[chosen]] * (said[:, chosen] == score))
    used, question = np.unique(np.concatenate(questions), return_inverse=True)
    place = np.concatenate(places)
    score = np.concatenate(scores)
    panel = _build_panel(
        tournament,
        change(votes, first=votes.first[place], second=votes.second[place]),
        question=question.astype(np.int32),
        score=score,
        readable=np.ones(len(score), dtype=np.bool_),
        questions=tuple(map(str, range(len(used)))),
    )
    return panel, np.hstack(times)[:, used]


def _build_panel(
    tournament: Tournament,
    votes: _Votes,
    *,
    question: npt.NDArray[np.int32],
    score: npt.NDArray[np.int8],
    readable: npt.NDArray[np.bool_],
    questions: tuple[str, ...] | None = None,
) -> Tournament:
    return Tournament(
        questions=tournament.questions if questions is None else questions,
        reviewers=(PANEL,),
        contestants=tournament.contestants,
        question=question,
        reviewer=np.zeros(len(question), dtype=np.int32),
        first=votes.first,
        second=votes.second,
        score=score,
        readable=readable,
    )
