"""Who won how often against whom, in the eyes of weighted reviewers (PRD Figure 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from peerjudge.analysis.findings.nouns import HeadToHead
from peerjudge.data import Tournament
from peerjudge.ranking.tally import head_to_head

__all__ = ["versus"]

_MOST = 30
"""A grid of more contestants than this cannot be read."""


def versus(
    tournament: Tournament, *, weights: Mapping[str, float], order: Sequence[str]
) -> HeadToHead:
    """The shares of the leading contestants against each other.

    Args:
        tournament: unreadable battles are left out.
        weights: of every reviewer.
        order: all contestants, best first.
    """
    shown = order[:_MOST]
    place = {name: index for index, name in enumerate(tournament.contestants)}
    chosen = np.ix_(*[[place[name] for name in shown]] * 2)
    share = np.array([weights[name] for name in tournament.reviewers])
    points = head_to_head(tournament, share)[chosen]
    counts = head_to_head(tournament, np.ones_like(share))[chosen]
    won: list[list[float]] = points.tolist()
    met: list[list[int]] = (counts + counts.T).round().astype(np.int64).tolist()
    size = range(len(shown))
    return HeadToHead(
        contestants=tuple(shown),
        shares=tuple(tuple(_share(won[one][two], won[two][one]) for two in size) for one in size),
        battles=tuple(map(tuple, met)),
        left_out=len(order) - len(shown),
    )


def _share(won: float, lost: float) -> float | None:
    return won / (won + lost) if won + lost > 0.0 else None
