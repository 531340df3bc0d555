"""Rankings by the majority of a panel: their bounds carry the uncertainty of the peer weights."""

from __future__ import annotations

import numpy as np
import pytest

from peerjudge.data import Scheme, Scoring, Tournament, replace
from peerjudge.ranking import PANEL, majority_verdicts, rank, rank_majority
from peerjudge.ranking.bounds import bound_resampled
from peerjudge.ranking.resampling import draw_questions
from studies.recovery.rankings import draw_tournament

LEARNED = [("peer", Scheme.PRD), ("peer", Scheme.DAMPED)]


def _repeat(tournament: Tournament, times: np.ndarray) -> Tournament:
    """The tournament with every question as often as drawn, each time as another question."""
    drawn = np.repeat(np.arange(len(times)), times.astype(int))
    rows = [np.flatnonzero(tournament.question == question) for question in drawn]
    at = np.concatenate(rows)
    return replace(
        tournament,
        questions=tuple(f"{k:03}" for k in range(len(drawn))),
        question=np.repeat(np.arange(len(drawn)), [len(one) for one in rows]).astype(np.int32),
        reviewer=tournament.reviewer[at],
        first=tournament.first[at],
        second=tournament.second[at],
        score=tournament.score[at],
        readable=tournament.readable[at],
    )


@pytest.mark.parametrize("scoring", [Scoring.WIN_RATE, Scoring.BRADLEY_TERRY])
@pytest.mark.parametrize(("weights", "scheme"), LEARNED)
def test_every_resample_has_its_own_weights_and_its_own_majority(scoring, weights, scheme):
    """Bounds are those of rankings of the resampled tournaments, one by one."""
    tournament = draw_tournament(12, np.random.default_rng(3))
    lost = np.arange(len(tournament)) % 11 == 0
    tournament = replace(tournament, readable=~lost)
    options = {"scoring": scoring, "weights": weights, "scheme": scheme, "prior": 0.5}
    found, panel = rank_majority(tournament, **options, bootstrap=20, seed=2)
    assert panel.reviewers == (PANEL,)
    names = tournament.contestants
    drawn, held = [], []
    for times in draw_questions(tournament, samples=20, seed=2):
        again, _ = rank_majority(_repeat(tournament, times), **options, bootstrap=0)
        drawn.append([again.contestants[name].score for name in names])
        held.append([again.weights.weights[name] for name in names])
    value = np.array([found.contestants[name].score for name in names])
    limits = (0.0, 1.0) if scoring is Scoring.WIN_RATE else None
    low, high = bound_resampled(value, np.array(drawn), questions=12, limits=limits)
    assert [found.contestants[name].low for name in names] == pytest.approx(low)
    assert [found.contestants[name].high for name in names] == pytest.approx(high)
    value = np.array([found.weights.weights[name] for name in names])
    low, high = bound_resampled(value, np.array(held), questions=12, limits=(0.0, 1.0))
    bounds = [found.weight_bounds[name] for name in names]
    assert np.array(bounds) == pytest.approx(np.array([low, high]).T, abs=1e-6)


@pytest.mark.parametrize("weights", ["equal", {"ann": 3, "bob": 1, "cat": 1, "dan": 1}])
def test_given_weights_are_not_uncertain(weights):
    """With weights that were not estimated, the ranking is that of the panel's own battles."""
    tournament = draw_tournament(12, np.random.default_rng(5))
    found, panel = rank_majority(tournament, weights=weights, bootstrap=50)
    alone = rank(majority_verdicts(tournament, found.weights.weights), bootstrap=50)
    assert found.contestants == alone.contestants
    assert found.weight_bounds is None
    assert len(panel) == 12 * 6


@pytest.mark.parametrize(("weights", "scheme"), LEARNED)
def test_elo_by_majority_has_bounds_from_questions(weights, scheme):
    """Ratings of the panel's battles spread over resampled questions, not over orders alone."""
    tournament = draw_tournament(12, np.random.default_rng(5))
    found, _ = rank_majority(
        tournament, scoring=Scoring.ELO, weights=weights, scheme=scheme, orders=40, bootstrap=30
    )
    assert found.resamples == 30
    for one in found.contestants.values():
        assert one.low < one.score < one.high
    assert sum(low for low, _ in found.weight_bounds.values()) < 1.0
