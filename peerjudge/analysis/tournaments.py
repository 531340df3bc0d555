"""Ballots on two answers by known authors as a tournament between the authors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from peerjudge.analysis.ballots import Ballots, Numbers
from peerjudge.data import Tournament


def build_tournament(ballots: Ballots) -> Tournament:
    """Return one battle per ballot on two answers by two different known authors, in their order.

    Other ballots are left out; those without a readable verdict make unreadable battles. Names are
    sorted. Several people under one name are not settled to one vote: see `ranking.from_dataset`.
    """
    known = [[answer.author for answer in one.answers] for one in ballots.comparisons]
    authors = sorted({author for names in known for author in names if author})
    number = {name: place for place, name in enumerate(authors)}
    pairs = [[number.get(name, -1) for name in names] for names in known if len(names) == 2]
    of_pair = np.full((len(known), 2), -1, dtype=np.int32)
    of_pair[[len(names) == 2 for names in known]] = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    one, other = of_pair[ballots.comparison].T
    found = ballots.where((one >= 0) & (other >= 0) & (one != other))
    pair = of_pair[found.comparison]
    score = found.score
    readable = ~np.isnan(score)
    questions, question = _compact(found.questions, found.question)
    reviewers, reviewer = _compact(found.reviewers, found.reviewer)
    at = np.arange(len(found))
    shown = np.concatenate([pair[at, found.first], pair[at, 1 - found.first]])
    contestants, contestant = _compact(authors, shown)
    return Tournament(
        questions=questions,
        reviewers=reviewers,
        contestants=contestants,
        question=question,
        reviewer=reviewer,
        first=contestant[: len(found)],
        second=contestant[len(found) :],
        score=np.where(readable, score, 0).astype(np.int8),
        readable=readable,
    )


def _compact(names: Sequence[str], codes: Numbers) -> tuple[tuple[str, ...], Numbers]:
    """Return the names that occur, sorted, and the codes of these."""
    used: list[int] = np.unique(codes).tolist()
    ordered = sorted(used, key=names.__getitem__)
    renumbered = np.zeros(max(used, default=0) + 1, dtype=np.int32)
    renumbered[ordered] = np.arange(len(ordered))
    return tuple(names[code] for code in ordered), renumbered[codes]
