"""Active order of play: comparisons of contestants whose order is open are played first."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

import numpy as np

from peerjudge.analysis.collecting import BallotCollector
from peerjudge.analysis.tournaments import build_tournament
from peerjudge.data import Comparison
from peerjudge.errors import ExperimentError
from peerjudge.ranking.active import choose_pairs
from peerjudge.ranking.tally import Floats, head_to_head
from peerjudge.runs.schedule import Plan, read_discussions
from peerjudge.store import Archive

_LEAST_BLOCK = 20
"""Fewest comparisons between two choices."""
_SHARE = 0.1
"""Comparisons of a block as a share of those before it."""

_Pair = tuple[int, int]


class OpenPairsFirst:
    """Order of play that chooses each block by the results of the blocks before it.

    A pair of contestants is compared on questions in random order. Comparisons that are not of two known
    contestants come last. The choice uses the private verdicts of all conditions, as `rank` does by
    default, and depends on the stored discussions alone: a resumed run chooses the same.
    The plan has its questions in random order, as `prepare` shuffles them; `limit` is of comparisons.
    Raises `ExperimentError` if no comparison has two known contestants.
    """

    def __init__(self, plan: Plan, archive: Archive, *, limit: int | None = None) -> None:
        self._plan = plan
        self._archive = archive
        self._contestants = list_contestants(plan)
        self._waiting: defaultdict[_Pair, deque[Comparison]] = defaultdict(deque)
        self._others: list[Comparison] = []
        for comparison in plan.comparisons:
            pair = self._find_pair(comparison)
            (self._others if pair is None else self._waiting[pair]).append(comparison)
        self._limit = len(plan.comparisons) if limit is None else limit
        self._collector = BallotCollector()
        self._block: Sequence[Comparison] = ()
        self._played = 0

    async def next_block(self) -> Sequence[Comparison]:
        """Read the last block and return the next one; empty at the end."""
        if self._block:
            for transcript in await read_discussions(self._archive, self._plan, self._block):
                self._collector.add(transcript)
        size = max(_LEAST_BLOCK, int(self._played * _SHARE))
        count = min(size, self._limit - self._played)
        pairs = choose_pairs(self._count_points(), self._count_left(), count=count)
        chosen = [self._waiting[pair].popleft() for pair in pairs]
        if not chosen:
            chosen, self._others = self._others[: max(count, 0)], self._others[max(count, 0) :]
        self._block = chosen
        self._played += len(chosen)
        return chosen

    def _find_pair(self, comparison: Comparison) -> _Pair | None:
        authors = [answer.author for answer in comparison.answers]
        if len(authors) != 2 or "" in authors or authors[0] == authors[1]:
            return None
        low, high = sorted(self._contestants.index(author) for author in authors)
        return low, high

    def _count_left(self) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        size = len(self._contestants)
        left = np.zeros((size, size), dtype=np.int64)
        for (row, column), comparisons in self._waiting.items():
            left[row, column] = left[column, row] = len(comparisons)
        return left

    def _count_points(self) -> Floats:
        """Return the points of row against column; the verdicts on a comparison share one point."""
        size = len(self._contestants)
        points = np.zeros((size, size))
        ballots = self._collector.ballots().of_stance("private")
        tournament = build_tournament(ballots)
        if not tournament.readable.any():
            return points
        won = head_to_head(tournament, np.ones(len(tournament.reviewers)))
        at = [self._contestants.index(name) for name in tournament.contestants]
        points[np.ix_(at, at)] = won * (len(np.unique(ballots.comparison)) / won.sum())
        return points


def list_contestants(plan: Plan) -> list[str]:
    """Return the known authors of pairs, sorted; raises `ExperimentError` without two on any pair."""
    pairs = [[answer.author for answer in comparison.answers] for comparison in plan.comparisons]
    authors = {
        author for pair in pairs if len(pair) == len(set(pair) - {""}) == 2 for author in pair
    }
    if not authors:
        msg = (
            "--next open ranks contestants, and no comparison names two different authors; add author_a "
            "and author_b to the data, or run without --next open"
        )
        raise ExperimentError(msg)
    return sorted(authors)
