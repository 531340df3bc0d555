"""Turns reviews and discussions into battles, and battles into a tournament."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from peerjudge.data import (
    Answer,
    Battle,
    Comparison,
    Dataset,
    Outcome,
    RecordedReview,
    Seat,
    StopReason,
    Tournament,
    Transcript,
    Verdict,
)
from peerjudge.errors import DataError

if TYPE_CHECKING:
    import networkx as nx

    Graph: TypeAlias = nx.DiGraph[str]

__all__ = [
    "Stance",
    "battles_from_reviews",
    "battles_from_transcripts",
    "collect",
    "from_dataset",
    "graph",
    "reviews_from_transcripts",
    "score",
    "select",
    "stance_of",
]

Stance = Literal["private", "final"]

Floats: TypeAlias = npt.NDArray[np.float64]


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


def from_dataset(dataset: Dataset, *, reviewers: Collection[str] | None = None) -> Tournament:
    """The tournament of a dataset's recorded reviews.

    Args:
        dataset: its `humans` judge only when named, and each pair they voted on is one battle.
        reviewers: whose reviews count; `None` is everybody but the humans.

    Raises:
        DataError: a named reviewer gave no review that makes a battle.
    """
    humans = set(dataset.humans)
    wanted = (
        [review for review in dataset.reviews if review.reviewer not in humans]
        if reviewers is None
        else dataset.reviews
    )
    tournament = collect(battles_from_reviews(dataset.comparisons, wanted, panels=humans))
    return tournament if reviewers is None else select(tournament, reviewers=reviewers)


def battles_from_reviews(
    comparisons: Iterable[Comparison],
    reviews: Iterable[RecordedReview],
    *,
    panels: Collection[str] = (),
) -> Iterator[Battle]:
    """One battle per review of two answers by two different authors; other reviews are passed over.

    Args:
        comparisons: those that the reviews speak of.
        reviews: each in the order in which its reviewer saw the answers.
        panels: reviewers that stand for several people. All votes under such a name on one
            comparison make one battle, scored by the sign of their mean; that reading of the human
            votes is the one which reproduces PRD Table 2. These battles come last.

    Raises:
        DataError: a review of an unknown comparison, or of answers the comparison does not have.
    """
    known = {comparison.id: comparison for comparison in comparisons}
    votes: defaultdict[tuple[str, str], list[Battle]] = defaultdict(list)
    for review in reviews:
        pair = _contestants(known, review)
        if pair is None:
            continue
        battle = Battle(
            question=known[review.comparison].question.id,
            reviewer=review.reviewer,
            first=pair[0].author,
            second=pair[1].author,
            score=score(review.verdict, (pair[0].id, pair[1].id)),
        )
        if review.reviewer in panels:
            votes[review.comparison, review.reviewer].append(battle)
        else:
            yield battle
    yield from map(_settled, votes.values())


def battles_from_transcripts(
    transcripts: Iterable[Transcript], *, stance: Stance
) -> Iterator[Battle]:
    """One battle per seat that was asked for a verdict on two answers by two different authors.

    `stance` is `private` (what the seat thought before it heard anybody) or `final` (its last
    word). A seat that gave no readable verdict makes a battle with score `None`.
    """
    for transcript in transcripts:
        yield from battles_from_reviews(
            [transcript.comparison], reviews_from_transcripts([transcript], stance=stance)
        )


def reviews_from_transcripts(
    transcripts: Iterable[Transcript], *, stance: Stance
) -> Iterator[RecordedReview]:
    """The stance of each seat as a review by the reviewer who sat there.

    Discussions that have not ended have no final stance and are passed over for `final`.
    """
    for transcript in transcripts:
        if stance == "final" and transcript.stop is not StopReason.COMPLETE:
            continue
        for seat in transcript.seats:
            verdict = stance_of(transcript, seat, stance=stance)
            if verdict is not None:
                yield RecordedReview(
                    comparison=transcript.comparison.id,
                    shown=transcript.comparison.shown,
                    reviewer=seat.reviewer,
                    verdict=verdict,
                )


def stance_of(transcript: Transcript, seat: Seat, *, stance: Stance) -> Verdict | None:
    """The seat's last readable verdict, else its last verdict; `None` if it was asked for none.

    A lone judge's stance is what its protocol concluded: there is nobody to hear, and methods that
    rate answers one by one have no verdict but the conclusion.
    """
    if len(transcript.seats) == 1:
        return transcript.verdict if transcript.stop is StopReason.COMPLETE else None
    verdicts = [
        turn.review.verdict
        for turn in transcript.turns
        if turn.cue.seat == seat.id
        and turn.review.verdict is not None
        and (stance == "final" or turn.cue.private)
    ]
    readable = [verdict for verdict in verdicts if verdict.readable]
    last = readable or verdicts
    return last[-1] if last else None


def score(verdict: Verdict, shown: tuple[str, str]) -> int | None:
    """A verdict on two shown answers as PRD scores it: -1 first, 0 tie, +1 second, else `None`."""
    if verdict.outcome is Outcome.TIE:
        return 0
    if verdict.outcome is not Outcome.CHOICE:
        return None
    if verdict.choice not in shown:
        msg = f"the verdict chooses {verdict.choice!r}, which is not among the answers {shown}"
        raise DataError(msg)
    return -1 if verdict.choice == shown[0] else 1


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


def graph(tournament: Tournament, *, weights: Mapping[str, float] | None = None) -> Graph:
    """The tournament as a directed graph: an edge runs from the loser to the winner.

    Edge attributes: `wins` (battles won), `points` (battles won, and half of those tied, each
    counting as much as its reviewer weighs) and `battles` (readable battles of the two). An edge is
    there when it carries points, so a tie makes an edge each way. Every contestant is a node.

    Args:
        tournament: unreadable battles are left out.
        weights: of every reviewer; `None` counts each battle once.
    """
    import networkx as nx

    size = len(tournament.contestants)
    worth = np.array([1.0 if weights is None else weights[name] for name in tournament.reviewers])
    seen = tournament.readable
    cell = tournament.first[seen].astype(np.intp) * size + tournament.second[seen]
    value = tournament.score[seen].astype(np.float64)

    def table(first: Floats, second: Floats) -> Floats:
        flat = [np.bincount(cell, side, size * size).astype(np.float64) for side in (first, second)]
        return flat[0].reshape(size, size) + flat[1].reshape(size, size).T

    ones, won, lost = np.ones(len(cell)), (value < 0).astype(float), (value > 0).astype(float)
    share = worth[tournament.reviewer[seen]]
    battles, wins = table(ones, ones), table(won, lost)
    points = table((1.0 - value) / 2.0 * share, (1.0 + value) / 2.0 * share)
    result: Graph = nx.DiGraph()
    result.add_nodes_from(tournament.contestants)
    for winner, loser in np.argwhere(points > 0).tolist():
        result.add_edge(
            tournament.contestants[loser],
            tournament.contestants[winner],
            wins=int(wins[winner, loser]),
            points=float(points[winner, loser]),
            battles=int(battles[winner, loser]),
        )
    return result


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


def _contestants(
    known: Mapping[str, Comparison], review: RecordedReview
) -> tuple[Answer, Answer] | None:
    comparison = known.get(review.comparison)
    if comparison is None:
        msg = f"a review by {review.reviewer!r} is of the unknown comparison {review.comparison!r}"
        raise DataError(msg)
    if len(review.shown) != 2:
        return None
    first, second = (comparison.answer(answer) for answer in review.shown)
    known_authors = first.author and second.author
    return (first, second) if known_authors and first.author != second.author else None


def _settled(votes: list[Battle]) -> Battle:
    lead = votes[0]
    scores = [
        vote.score if vote.first == lead.first else -vote.score
        for vote in votes
        if vote.score is not None
    ]
    total = sum(scores)
    settled = (total > 0) - (total < 0) if scores else None
    return Battle(
        question=lead.question,
        reviewer=lead.reviewer,
        first=lead.first,
        second=lead.second,
        score=settled,
    )


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
