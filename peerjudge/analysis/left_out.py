"""Leave-one-out gold: where gold is settled from people's votes, none is judged by a vote of their own.

Gold from votes agrees with its voters by construction: of three people who vote, each agrees with the
majority of the three more often than with the other two. So the gold of a person's vote is that of the
other votes on the comparison, settled by the same rule, and there is none where nobody else voted.
Votes without names, which all have one, are told apart where they are on the same answers in one order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from peerjudge.analysis.ballots import NONE, SHARED, Ballots, Codes
from peerjudge.analysis.selecting import SETTLED, find_pairs, score_unswapped
from peerjudge.data import settle_votes


def leave_out_own_votes(ballots: Ballots, *, labeled: Collection[str] = ()) -> Ballots:
    """Return the ballots with `voter_gold`: for each vote of a person, gold without that person's votes.

    Args:
        ballots: with all votes of people on pairs.
        labeled: ids of comparisons whose gold is not made of their votes.
    """
    known = {number for number, one in enumerate(ballots.comparisons) if one.id in set(labeled)}
    codes: Codes = np.full(len(ballots), SHARED, dtype=np.int8)
    for number, votes in _group_votes(ballots).items():
        scores = [score for _, _, score in votes]
        settled = SETTLED[settle_votes(scores, ballots.gold_rule)]
        if number in known or settled != ballots.gold_of[number]:
            continue
        # A name that votes again on answers in one order is that of several people.
        count = Counter((voter, int(ballots.order[row])) for row, voter, _ in votes)
        shared = {voter for (voter, _), times in count.items() if times > 1}
        for row, voter, _ in votes:
            others = [
                score
                for at, other, score in votes
                if at != row and (other != voter or voter in shared)
            ]
            codes[row] = SETTLED[settle_votes(others, ballots.gold_rule)] if others else NONE
    return replace(ballots, voter_gold=codes)


def leave_out_votes_of(judged: Ballots, ballots: Ballots, reviewers: Collection[str]) -> Ballots:
    """Return ballots of reviewers with gold without the votes of any of them.

    Args:
        judged: ballots of these reviewers.
        ballots: with all votes of people on the same comparisons, and their `voter_gold`.
        reviewers: names; those that are no people have no votes.
    """
    golds = judged.gold_of.copy()
    for number, votes in _group_votes(ballots).items():
        if all(ballots.voter_gold[row] == SHARED for row, _, _ in votes) or golds[number] == NONE:
            continue
        others = [score for _, voter, score in votes if ballots.reviewers[voter] not in reviewers]
        golds[number] = SETTLED[settle_votes(others, ballots.gold_rule)] if others else NONE
    alike: Codes = np.full(len(judged), SHARED, dtype=np.int8)
    return replace(judged, gold_of=golds, voter_gold=alike)


def _group_votes(ballots: Ballots) -> dict[int, list[tuple[int, int, int]]]:
    """Return, by comparison, the row, voter and score of each readable vote of a person on a pair."""
    rows = np.flatnonzero(
        ballots.by_people
        & ballots.readable
        & find_pairs(ballots)[ballots.comparison]
        & (ballots.discussion < 0)
    )
    votes: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    columns = (ballots.comparison[rows], rows, ballots.reviewer[rows])
    scores = score_unswapped(ballots.verdict[rows])
    for number, row, voter, score in zip(*columns, scores, strict=True):
        votes[int(number)].append((int(row), int(voter), int(score)))
    return votes
