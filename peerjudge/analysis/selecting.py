"""The ballots on pairs of answers by which reviewers are judged, and the gold for them."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from peerjudge.analysis.ballots import (
    NONE,
    SHARED,
    TIE,
    UNREADABLE,
    Ballots,
    Bools,
    Codes,
    Floats,
    Numbers,
    score_of,
)
from peerjudge.analysis.grouping import Ints
from peerjudge.data import settle_votes
from peerjudge.errors import DataError
from peerjudge.ranking import check_contestants

HUMAN = "human"
"""The gold of the comparisons themselves."""
SETTLED = {-1: 0, 0: TIE, 1: 1}
"""The verdict by the score that settles votes on a pair."""
_CHOICES_PER_AUTHOR = 10
_CHOSEN_BY = "chosen_by"
"""Column of `peerjudge pairs` with the judges whose verdicts helped to choose a comparison."""


def explain_unjudged(ballots: Ballots, what: str) -> str:
    """Return that there are no reviews of this kind, and where they would come from."""
    return (
        f"{ballots.name} has no reviews {what}; run it, or name data with reviews (in a table of yours: "
        "the columns reviewer and verdict)"
    )


def select_judges(
    ballots: Ballots, *, reviewers: Collection[str] | None = None, gold: str = HUMAN
) -> Ballots:
    """Return the ballots on pairs by these reviewers, with their gold in `gold_of`.

    The gold of the comparisons is without a person's own votes (`voter_gold`).

    Args:
        ballots: those on other than two answers are left out, and so is their gold.
        reviewers: whose ballots to return, `human` for all people; `None` selects all but the humans and
            `gold`.
        gold: `human` for the gold of the comparisons, else a reviewer whose verdicts serve as gold:
            the sign of their mean where it gave several on a comparison, and people's votes settled
            by the gold rule of the dataset.

    Raises:
        DataError: a named reviewer gave no ballot on a pair, or there is no ballot to return.
    """
    pairs = ballots.where(find_pairs(ballots)[ballots.comparison] & (ballots.reviewer >= 0))
    present = {name for name, _ in number_judges(pairs)}
    wanted = present - {*ballots.humans, gold}
    if reviewers is not None:
        wanted = set(name_people(ballots, reviewers))
    missing = sorted(wanted - present)
    if gold != HUMAN and not (gold in present and pairs.readable[_by(pairs, gold)].any()):
        missing = [gold]
    if not present:
        raise DataError(explain_unjudged(ballots, "of pairs"))
    if missing or not wanted:
        msg = f"there are no reviews of pairs by {', '.join(missing) or 'any other reviewer'}"
        raise DataError(msg)
    codes = [ballots.reviewers.index(name) for name in sorted(wanted)]
    golds = np.where(find_pairs(ballots), ballots.gold_of, NONE).astype(np.int8)
    if gold != HUMAN:
        own = pairs.where(_by(pairs, gold))
        settle = settle_people if gold in ballots.humans else average_verdicts
        golds = settle(own, own.comparison, len(own.comparisons))
        golds = np.where(golds >= TIE, golds, NONE).astype(np.int8)
        pairs = replace(pairs, voter_gold=np.full(len(pairs), SHARED, dtype=np.int8))
    return replace(pairs.where(np.isin(pairs.reviewer, codes)), gold_of=golds)


def name_people(ballots: Ballots, reviewers: Collection[str]) -> list[str]:
    """Return the names of reviewers, sorted: all people for `human`, and those that a pattern matches.

    A reviewer of the name `human` is itself. In a pattern, `*` stands for any letters. What matches
    nothing is returned as it is.
    """
    names: set[str] = set()
    for name in reviewers:
        if name == HUMAN and HUMAN not in ballots.reviewers and ballots.humans:
            names |= set(ballots.humans)
        else:
            known = name in ballots.reviewers or "*" not in name
            names |= {name} if known else set(fnmatch.filter(ballots.reviewers, name)) or {name}
    return sorted(names)


def ignore_orders(ballots: Ballots) -> Ballots:
    """Return ballots on pairs as if all had been shown in the comparison's own order."""
    own = (0, 1)
    orders = (*ballots.orders, own)
    order = np.full(len(ballots), orders.index(own), dtype=np.int32)
    return replace(ballots, orders=orders, order=order)


def identify_reviewers(
    ballots: Ballots, *, declared: Mapping[str, str], given: Mapping[str, str] | None = None
) -> Ballots:
    """Return the ballots with the contestants that reviewers are, by `Ballots.contestant_of`.

    Args:
        ballots: of a dataset or a run.
        declared: contestant by reviewer; reviewers without ballots and empty names are left out.
        given: more of these, which replace those declared.

    Raises:
        DataError: `given` has a reviewer without ballots, or an author of no answer.
    """
    reviewers = {name for name, _ in number_judges(ballots)}
    known = {name: own for name, own in declared.items() if own and name in reviewers}
    if given:
        check_contestants(given, reviewers=reviewers, contestants=number_authors(ballots)[0])
    return replace(ballots, contestant_of={**known, **(given or {})})


def number_judges(ballots: Ballots) -> list[tuple[str, int]]:
    """Return the names and codes of the reviewers that gave these ballots, sorted by name."""
    codes: list[int] = np.unique(ballots.reviewer).tolist()
    return sorted((ballots.reviewers[code], code) for code in codes if code >= 0)


def keep_contestants(ballots: Ballots, contestants: Collection[str]) -> Ballots:
    """Return the ballots on pairs of answers by two of these authors.

    Raises:
        DataError: one of them is the author of no answer, or no pair is left.
    """
    names, authors = number_authors(ballots)
    unknown = sorted(set(contestants) - set(names))
    if unknown or len(set(contestants)) < 2:
        msg = (
            f"there is no contestant {unknown[0]!r}"
            if unknown
            else "name two contestants or more, whose answers are compared"
        )
        msg = f"{msg}; contestants are {', '.join(names)}"
        raise DataError(msg)
    wanted = [names.index(name) for name in contestants]
    chosen = np.isin(authors, wanted).all(axis=1) & (authors[:, 0] != authors[:, 1])
    kept = ballots.where(chosen[ballots.comparison])
    if not len(kept):
        msg = f"no pair compares answers by {' and '.join(sorted(contestants))}"
        raise DataError(msg)
    return replace(kept, gold_of=np.where(chosen, kept.gold_of, NONE).astype(np.int8))


def find_pairs(ballots: Ballots) -> Bools:
    """Return, by comparison, whether it has two answers."""
    return np.array(
        [len(comparison.answers) == 2 for comparison in ballots.comparisons], dtype=np.bool_
    )


def number_authors(ballots: Ballots) -> tuple[tuple[str, ...], Numbers]:
    """Return the authors of pairs, sorted, and their numbers as `[comparison, answer]`.

    The number is -1 where the author is not known, and for other comparisons than pairs.
    """
    pairs = [
        tuple(answer.author for answer in comparison.answers)
        if len(comparison.answers) == 2
        else ("", "")
        for comparison in ballots.comparisons
    ]
    names = tuple(sorted({author for pair in pairs for author in pair} - {""}))
    numbers = {name: number for number, name in enumerate(names)} | {"": -1}
    table = [[numbers[author] for author in pair] for pair in pairs]
    return names, np.array(table, dtype=np.int32).reshape(-1, 2)


def build_author_columns(ballots: Ballots, choices: int) -> list[Floats]:
    """Return a column per author: 1 where it wrote the first-shown answer, -1 for the second.

    None with fewer than 10 choices for every author, too few for the authors' strengths.
    """
    names, authors = number_authors(ballots)
    if choices < _CHOICES_PER_AUTHOR * len(names):
        return []
    turned = np.where(ballots.swapped, -1.0, 1.0)
    one, other = authors[ballots.comparison].T
    return [
        turned * ((one == author) * 1.0 - (other == author) * 1.0) for author in range(len(names))
    ]


def score_unswapped(verdict: Codes) -> Floats:
    """Return verdicts on pairs as scores in the comparison's own order, NaN if not readable."""
    return score_of(verdict, np.zeros_like(verdict))


def average_verdicts(ballots: Ballots, group: Ints | Numbers, size: int) -> Codes:
    """Return, by group, the verdict that is the sign of the mean score of its ballots on pairs.

    `UNREADABLE` for a group without a readable ballot.
    """
    readable = ballots.readable
    score = score_unswapped(ballots.verdict[readable])
    total = np.bincount(group[readable], score, size)
    some = np.bincount(group[readable], minlength=size) > 0
    return np.select([total < 0, total > 0, some], [0, 1, TIE], UNREADABLE).astype(np.int8)


def settle_people(ballots: Ballots, group: Ints | Numbers, size: int) -> Codes:
    """Return, by group, the votes of people on a pair settled by the gold rule, in their order.

    `UNREADABLE` for a group without a readable vote.
    """
    votes: list[list[int]] = [[] for _ in range(size)]
    readable = ballots.readable
    scores: list[float] = score_unswapped(ballots.verdict[readable]).tolist()
    numbers: list[int] = group[readable].tolist()
    for number, score in zip(numbers, scores, strict=True):
        votes[number].append(int(score))
    settled = [
        SETTLED[settle_votes(own, ballots.gold_rule)] if own else UNREADABLE for own in votes
    ]
    return np.array(settled, dtype=np.int8)


def _by(ballots: Ballots, reviewer: str) -> Bools:
    return ballots.reviewer == ballots.reviewers.index(reviewer)


def list_choosers(ballots: Ballots) -> tuple[str, ...]:
    """Return the reviewers with ballots on comparisons that their own verdicts helped to choose.

    Their accuracy there is not that on other comparisons: verified pairs flatter a verifier, and pairs
    that are hard for a card are chosen by its errors.
    """
    choosers: set[str] = set()
    judged: list[int] = np.unique(ballots.comparison).tolist()
    for number in judged:
        names = ballots.comparisons[number].meta.get(_CHOSEN_BY)
        choosers |= set(names.split(",")) if isinstance(names, str) else set()
    present = {name for name, _ in number_judges(ballots)}
    return tuple(sorted(choosers & present))
