"""Ballots on two answers by known authors as a tournament between the authors."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fnmatch import filter as filter_names

import numpy as np

from peerjudge.analysis.ballots import Ballots, Bools, Numbers, Stage
from peerjudge.analysis.grouping import group_rows
from peerjudge.analysis.selecting import HUMAN, number_authors, settle_people
from peerjudge.data import Tournament
from peerjudge.ranking import select


def build_tournament(ballots: Ballots, *, reviewers: Collection[str] | None = None) -> Tournament:
    """Return one battle per ballot on two answers by two different known authors.

    Other ballots are left out; those without a readable verdict make unreadable battles. Battles
    come in the order of the source, in a run by discussion and seat. Names are sorted. All votes of
    people under one name on one pair make one battle, settled by the gold rule of the dataset; the
    sign of their mean reproduces PRD Table 2. These battles come last. In a run, the private reviews of
    a reviewer that open its discussions are left out where it judged the same pair in the same order
    alone: they are that review again, and would count pairs that are discussed twice.

    Args:
        ballots: recorded reviews, or the opening or closing stances of a run.
        reviewers: the reviewers to include, by name or pattern (`expert_*`); `human` is all people
            together where no reviewer has that name. `None` includes all but the humans.

    Raises:
        DataError: a named reviewer has no ballot that makes a battle.
    """
    battles, wanted = select_battles(ballots, reviewers=reviewers)
    authors, of_pair = number_authors(battles)
    score = battles.score
    readable = ~np.isnan(score)
    questions, question = _compact(battles.questions, battles.question)
    names, reviewer = _compact(battles.reviewers, battles.reviewer)
    pair, at = of_pair[battles.comparison], np.arange(len(battles))
    shown = np.concatenate([pair[at, battles.first], pair[at, 1 - battles.first]])
    contestants, contestant = _compact(authors, shown)
    tournament = Tournament(
        questions=questions,
        reviewers=names,
        contestants=contestants,
        question=question,
        reviewer=reviewer,
        first=contestant[: len(battles)],
        second=contestant[len(battles) :],
        score=np.where(readable, score, 0).astype(np.int8),
        readable=readable,
        contestant_of=battles.contestant_of,
    )
    return tournament if wanted is None else select(tournament, reviewers=wanted)


def select_battles(
    ballots: Ballots, *, reviewers: Collection[str] | None = None
) -> tuple[Ballots, tuple[str, ...] | None]:
    """Return the ballots that are battles, as `build_tournament` has them before it selects reviewers.

    Also returns the names of the reviewers to select, `None` for all.
    """
    names: tuple[str, ...] | None = None
    if reviewers is not None:
        ballots, names = _find_reviewers(ballots, reviewers)
    _, of_pair = number_authors(ballots)
    one, other = of_pair[ballots.comparison].T
    battles = ballots.where((ballots.answers == 2) & (one >= 0) & (other >= 0) & (one != other))
    battles = battles.where(~_find_repeated(battles))
    battles = battles.where(np.lexsort((battles.seat, battles.discussion)))
    people = battles.by_people
    return (battles.where(~people) if names is None else _settle_votes(battles, people)), names


def _find_repeated(ballots: Ballots) -> Bools:
    """Return where a private review opens a discussion of a pair that its reviewer judged alone, too."""
    talks = ballots.discussion >= 0
    alone = talks.copy()
    alone[talks] = ballots.discussions.seats[ballots.discussion[talks]] == 1
    pair = ballots.reviewer.astype(np.int64) * len(ballots.comparisons) + ballots.comparison
    asked = pair * len(ballots.orders) + ballots.order
    opens = talks & ~alone & (ballots.stage == Stage.PRIVATE)
    return opens & np.isin(asked, asked[alone])


def _find_reviewers(ballots: Ballots, wanted: Collection[str]) -> tuple[Ballots, tuple[str, ...]]:
    """Return the names that match, and the ballots with all people as one reviewer if it is named."""
    if HUMAN in wanted and HUMAN not in ballots.reviewers and ballots.humans:
        pooled = np.where(ballots.by_people, len(ballots.reviewers), ballots.reviewer)
        ballots = replace(
            ballots,
            reviewers=(*ballots.reviewers, HUMAN),
            reviewer=pooled.astype(ballots.reviewer.dtype),
            humans=(*ballots.humans, HUMAN),
        )
    # A pattern without a match stays, so that the error names it.
    matches = [filter_names(ballots.reviewers, name) or [name] for name in wanted]
    return ballots, tuple(dict.fromkeys(name for names in matches for name in names))


def _settle_votes(ballots: Ballots, people: Bools) -> Ballots:
    """Return the ballots with all votes of people under one name on a pair as one ballot, last."""
    votes = ballots.where(people)
    group, first = group_rows(votes.comparison, votes.reviewer)
    settled = settle_people(votes, group, len(first))
    rows = np.concatenate([np.flatnonzero(~people), np.flatnonzero(people)[first]])
    return replace(ballots.where(rows), verdict=np.concatenate([ballots.verdict[~people], settled]))


def _compact(names: Sequence[str], codes: Numbers) -> tuple[tuple[str, ...], Numbers]:
    """Return the names that occur, sorted, and the codes of these."""
    used: list[int] = np.unique(codes).tolist()
    ordered = sorted(used, key=names.__getitem__)
    renumbered = np.zeros(max(used, default=0) + 1, dtype=np.int32)
    renumbered[ordered] = np.arange(len(ordered))
    return tuple(names[code] for code in ordered), renumbered[codes]
