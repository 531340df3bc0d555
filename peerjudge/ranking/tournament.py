"""Tournaments: battles as columns, and selections of them."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from peerjudge.data import Battle, Tournament, replace
from peerjudge.errors import DataError


def collect(
    battles: Iterable[Battle], *, contestant_of: Mapping[str, str] | None = None
) -> Tournament:
    """Collect battles as columns, in their order; names are sorted.

    Consumes the battles once and uses 17 bytes per battle, so they can be streamed. `contestant_of`
    names the contestant that a reviewer is, for reviewers with another name than theirs.

    Raises:
        DataError: both contestants of a battle are the same.
    """
    questions, reviewers, contestants = _Names(), _Names(), _Names()
    columns = (array("i"), array("i"), array("i"), array("i"))
    scores, readable = array("b"), array("b")
    for battle in battles:
        if battle.first == battle.second:
            msg = f"contestant {battle.first!r} battles itself on question {battle.question!r}"
            raise DataError(msg)
        columns[0].append(questions[battle.question])
        columns[1].append(reviewers[battle.reviewer])
        columns[2].append(contestants[battle.first])
        columns[3].append(contestants[battle.second])
        score = battle.score
        scores.append(score or 0)
        readable.append(score is not None)
    return Tournament(
        questions=questions.sorted(),
        reviewers=reviewers.sorted(),
        contestants=contestants.sorted(),
        question=questions.settled(columns[0]),
        reviewer=reviewers.settled(columns[1]),
        first=contestants.settled(columns[2]),
        second=contestants.settled(columns[3]),
        score=np.array(scores, dtype=np.int8),
        readable=np.array(readable, dtype=np.bool_),
        contestant_of=contestant_of or {},
    )


def check_contestants(
    given: Mapping[str, str], *, reviewers: Collection[str], contestants: Collection[str]
) -> None:
    """Raise `DataError` for a reviewer or contestant, in contestants by reviewer, that does not exist."""
    for names, known, noun in (
        (given.keys(), reviewers, "reviewer"),
        (given.values(), contestants, "contestant"),
    ):
        if unknown := sorted(set(names) - set(known)):
            others = f"the {noun}s are {', '.join(sorted(known))}" if known else "there is none"
            msg = f"no {noun} is called {', '.join(map(repr, unknown))}; {others}"
            raise DataError(msg)


def select(tournament: Tournament, *, reviewers: Collection[str]) -> Tournament:
    """Select the battles of these reviewers; drop names without battles.

    Raises:
        DataError: a reviewer that is not in the tournament.
    """
    names = tournament.reviewers
    if unknown := sorted(set(reviewers) - set(names)):
        others = f"choose one of {', '.join(names)}" if names else "it has no battles"
        msg = f"no reviewer {', '.join(map(repr, unknown))} in this tournament: {others}"
        raise DataError(msg)
    chosen = np.array([name in set(reviewers) for name in names], dtype=np.bool_)
    kept = tournament.where(chosen[tournament.reviewer])
    questions, question = _compact(kept.questions, kept.question)
    judges, reviewer = _compact(kept.reviewers, kept.reviewer)
    contestants, pair = _compact(kept.contestants, np.concatenate([kept.first, kept.second]))
    return replace(
        kept,
        questions=questions,
        reviewers=judges,
        contestants=contestants,
        question=question,
        reviewer=reviewer,
        first=pair[: len(kept)],
        second=pair[len(kept) :],
    )


def without_family(tournament: Tournament, families: Mapping[str, str]) -> Tournament:
    """Remove the battles in which a contestant belongs to the reviewer's family.

    A reviewer may favour models of its family as it may favour itself (PRD section 5.3), so this
    removes more than self-reviews. A name without a family is its own family. All names are kept: a
    contestant judged only by its family is ranked last without a score. Reviewers then judge
    different sets of contestants; Bradley-Terry accounts for that, win rates do not.

    `families` holds the family by name of a reviewer or contestant; an empty text means no family.
    Without any families, only self-reviews are removed.
    """
    return tournament.where(~find_kin_battles(tournament, families))


def find_kin_battles(tournament: Tournament, families: Mapping[str, str]) -> npt.NDArray[np.bool_]:
    """Return `True` for the battles that `without_family` removes."""
    kin: dict[str, int] = {}

    def key(name: str, contestant: str) -> int:
        # A family and a name may be spelled alike.
        family = families.get(name) or families.get(contestant)
        found = f"family {family}" if family else f"name {contestant}"
        return kin.setdefault(found, len(kin))

    own = contestant_columns(tournament.own, tournament.contestants)[tournament.reviewer]
    judge = np.array(list(map(key, tournament.reviewers, tournament.own)), dtype=np.int64)
    author = np.array([key(name, name) for name in tournament.contestants], dtype=np.int64)
    found = np.zeros(len(tournament), dtype=np.bool_)
    for one in (tournament.first, tournament.second):
        found |= (own == one) | (judge[tournament.reviewer] == author[one])
    return found


def contestant_columns(own: Sequence[str], contestants: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the index of each of these names (`Tournament.own`) among the contestants, -1 for none."""
    place = {name: index for index, name in enumerate(contestants)}
    return np.array([place.get(name, -1) for name in own], dtype=np.int64)


def without_mute(tournament: Tournament) -> tuple[Tournament, tuple[str, ...]]:
    """Remove the reviewers without a single readable battle; return their names as well.

    Nothing is known of such a reviewer, so that no weight can be held by it. Contestants and
    questions keep their names. Where no reviewer has a readable battle, all are kept.
    """
    read = np.bincount(
        tournament.reviewer[tournament.readable], minlength=len(tournament.reviewers)
    )
    if (read > 0).all() or not read.any():
        return tournament, ()
    place = (np.cumsum(read > 0) - 1).astype(np.int32)
    kept = tournament.where(read[tournament.reviewer] > 0)
    named = list(zip(tournament.reviewers, read, strict=True))
    reviewers = tuple(name for name, battles in named if battles)
    mute = tuple(name for name, battles in named if not battles)
    return replace(kept, reviewers=reviewers, reviewer=place[kept.reviewer]), mute


class _Names(dict[str, int]):
    """Numbers of names in order of appearance, renumbered by sorted name at the end."""

    def __missing__(self, name: str) -> int:
        self[name] = number = len(self)
        return number

    def sorted(self) -> tuple[str, ...]:
        return tuple(sorted(self))

    def settled(self, numbers: array[int]) -> npt.NDArray[np.int32]:
        place = {name: index for index, name in enumerate(self.sorted())}
        renumber = np.array([place[name] for name in self], dtype=np.int32)
        return renumber[np.array(numbers, dtype=np.int32)]


def _compact(
    names: tuple[str, ...], numbers: npt.NDArray[np.int32]
) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    used, renumbered = np.unique(numbers, return_inverse=True)
    kept: list[int] = used.tolist()
    return tuple(names[index] for index in kept), renumbered.astype(np.int32)
