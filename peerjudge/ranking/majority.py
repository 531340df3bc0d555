"""One verdict per battle, from all who judged it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from peerjudge.data import Tournament
from peerjudge.errors import DataError

__all__ = ["PANEL", "majority_verdicts"]

PANEL = "panel"
"""The reviewer that a majority verdict is ascribed to."""

_EVEN = 1e-9


def majority_verdicts(
    tournament: Tournament, weights: Mapping[str, float] | None = None
) -> Tournament:
    """One battle for each question and ordered pair of contestants: what the panel says of it.

    The verdict is the sign of the weighted mean of the reviewers' scores (-1 first, 0 tie, +1
    second); exactly even is a tie. It is the reading under which PRD's peer-weighted panel reaches
    the accuracy of Table 3. A reviewer that judged a battle several times counts once, with its
    mean score; one whose verdict could not be read, or whose weight is 0, has no voice, and where
    nobody has one the battle is unreadable. Battles come by question, then by pair.

    Args:
        tournament: of any reviewers.
        weights: of every reviewer, at least 0; `None` is equal.

    Raises:
        DataError: a reviewer has no weight, or one below 0.
    """
    missing = [name for name in tournament.reviewers if weights is not None and name not in weights]
    worth = np.array(
        [1.0 if weights is None else weights.get(name, 0.0) for name in tournament.reviewers]
    )
    if missing or not (np.isfinite(worth).all() and (worth >= 0.0).all()):
        msg = f"a majority needs a weight of at least 0 for every reviewer, not {weights}"
        raise DataError(msg)
    size = len(tournament.contestants)
    key = tournament.question.astype(np.int64) * size + tournament.first
    key = key * size + tournament.second
    keys, battle = np.unique(key, return_inverse=True)
    # First the mean of each reviewer on each battle, then the weighted sum over reviewers.
    heard = tournament.readable & (worth[tournament.reviewer] > 0.0)
    cell = battle[heard] * np.int64(len(tournament.reviewers)) + tournament.reviewer[heard]
    cells, at = np.unique(cell, return_inverse=True)
    mean = np.bincount(at, tournament.score[heard], len(cells)) / np.bincount(at)
    judged, judge = np.divmod(cells, len(tournament.reviewers))
    total = np.bincount(judged, worth[judge] * mean, len(keys))
    share = np.bincount(judged, worth[judge], len(keys))
    pair, second = np.divmod(keys, size)
    question, first = np.divmod(pair, size)
    return Tournament(
        questions=tournament.questions,
        reviewers=(PANEL,),
        contestants=tournament.contestants,
        question=question.astype(np.int32),
        reviewer=np.zeros(len(keys), dtype=np.int32),
        first=first.astype(np.int32),
        second=second.astype(np.int32),
        score=(np.sign(total) * (np.abs(total) > _EVEN * share)).astype(np.int8),
        readable=share > 0.0,
    )
