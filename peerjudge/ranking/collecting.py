"""Battles as the columns of a tournament, and parts of a tournament."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping

import numpy as np
import numpy.typing as npt

from peerjudge.data import Battle, Tournament, replace
from peerjudge.errors import DataError

__all__ = ["collect", "select", "without_family"]


def collect(battles: Iterable[Battle]) -> Tournament:
    """The battles as columns, in the order in which they came; names are sorted.

    Reads the battles once and keeps 17 bytes for each, so they can be streamed.

    Raises:
        DataError: a contestant battles itself.
    """
    questions, reviewers, contestants = _Names(), _Names(), _Names()
    columns = (array("i"), array("i"), array("i"), array("i"))
    scores, readable = array("b"), array("b")
    for battle in battles:
        if battle.first == battle.second:
            msg = f"{battle.first!r} battles itself on question {battle.question!r}"
            raise DataError(msg)
        columns[0].append(questions[battle.question])
        columns[1].append(reviewers[battle.reviewer])
        columns[2].append(contestants[battle.first])
        columns[3].append(contestants[battle.second])
        scores.append(battle.score or 0)
        readable.append(battle.score is not None)
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
    )


def select(
    tournament: Tournament,
    *,
    reviewers: Collection[str] | None = None,
    contestants: Collection[str] | None = None,
) -> Tournament:
    """The battles by these reviewers between these contestants; names without battles are dropped.

    Raises:
        DataError: a name that is not in the tournament.
    """
    keep = np.ones(len(tournament), dtype=np.bool_)
    if reviewers is not None:
        keep &= _chosen(tournament.reviewers, reviewers, "reviewer")[tournament.reviewer]
    if contestants is not None:
        chosen = _chosen(tournament.contestants, contestants, "contestant")
        keep &= chosen[tournament.first] & chosen[tournament.second]
    questions, question = _compact(tournament.questions, tournament.question[keep])
    judges, reviewer = _compact(tournament.reviewers, tournament.reviewer[keep])
    both = np.concatenate([tournament.first[keep], tournament.second[keep]])
    names, pair = _compact(tournament.contestants, both)
    half = len(question)
    return Tournament(
        questions=questions,
        reviewers=judges,
        contestants=names,
        question=question,
        reviewer=reviewer,
        first=pair[:half],
        second=pair[half:],
        score=tournament.score[keep],
        readable=tournament.readable[keep],
    )


def without_family(tournament: Tournament, families: Mapping[str, str]) -> Tournament:
    """The battles in which no contestant is of the reviewer's family, its own answers included.

    A reviewer may favour its kin as it may favour itself (PRD section 5.3), so this leaves out more
    than self-reviews. Whoever has no family is kin only to itself. All names stay, so that a
    contestant whom only kin had judged is ranked last without a score. Contestants then meet unequal
    fields in the eyes of different reviewers; Bradley-Terry allows for that, win rates do not.

    Args:
        tournament: of any reviewers and contestants.
        families: by the name of a reviewer or contestant; an empty family is none.
    """
    kin: dict[str, int] = {}

    def numbers(names: tuple[str, ...]) -> npt.NDArray[np.int64]:
        # A family and a name may be spelt alike.
        keys = [f"family {families[n]}" if families.get(n) else f"name {n}" for n in names]
        return np.array([kin.setdefault(key, len(kin)) for key in keys], dtype=np.int64)

    judge, author = numbers(tournament.reviewers), numbers(tournament.contestants)
    own = judge[tournament.reviewer]
    keep = (own != author[tournament.first]) & (own != author[tournament.second])
    return replace(
        tournament,
        question=tournament.question[keep],
        reviewer=tournament.reviewer[keep],
        first=tournament.first[keep],
        second=tournament.second[keep],
        score=tournament.score[keep],
        readable=tournament.readable[keep],
    )


class _Names(dict[str, int]):
    """Numbers names as they come; afterwards renumbers them by sorted name."""

    def __missing__(self, name: str) -> int:
        self[name] = number = len(self)
        return number

    def sorted(self) -> tuple[str, ...]:
        return tuple(sorted(self))

    def settled(self, numbers: array[int]) -> npt.NDArray[np.int32]:
        place = {name: index for index, name in enumerate(self.sorted())}
        renumber = np.array([place[name] for name in self], dtype=np.int32)
        return renumber[np.array(numbers, dtype=np.int32)]


def _chosen(names: tuple[str, ...], wanted: Collection[str], noun: str) -> npt.NDArray[np.bool_]:
    unknown = sorted(set(wanted) - set(names))
    if unknown:
        msg = f"no {noun} {', '.join(map(repr, unknown))} in this tournament; there are {', '.join(names)}"
        raise DataError(msg)
    return np.array([name in set(wanted) for name in names], dtype=np.bool_)


def _compact(
    names: tuple[str, ...], numbers: npt.NDArray[np.int32]
) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    used, renumbered = np.unique(numbers, return_inverse=True)
    kept: list[int] = used.tolist()
    return tuple(names[index] for index in kept), renumbered.astype(np.int32)
