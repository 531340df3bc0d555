"""Collects the judgements of a dataset or a run, and reads recorded texts again."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from peerjudge.analysis.scoring.nouns import Judge, Judged, Judgement, Ratings
from peerjudge.data import (
    TIE,
    Comparison,
    Dataset,
    Expects,
    Outcome,
    RecordedReview,
    Seat,
    StopReason,
    Transcript,
    Verdict,
)
from peerjudge.errors import DataError
from peerjudge.ranking import stance_of
from peerjudge.verdicts import Reading, read_verdict

__all__ = [
    "Gathering",
    "judged_from_dataset",
    "judged_from_transcripts",
    "labeler_type",
    "with_gold",
]

_AND = " & "


def judged_from_dataset(
    dataset: Dataset, *, reviewers: Sequence[str] | None = None, own_reading: bool = True
) -> Judged:
    """The recorded reviews of a dataset.

    Where a reviewer's texts are on record, each is read again as if it had just been said; a tie is
    then a verdict if gold or the record knows ties. Ratings and the words of people are not.

    Args:
        dataset: its `humans` are judged only when named.
        reviewers: whose reviews; `*` and `?` stand for any letters, as in `GPT-4/*`.
        own_reading: `False` leaves the texts unread.

    Raises:
        DataError: a name that fits no reviewer, or there is nobody to score.
    """
    present = list(dict.fromkeys(review.reviewer for review in dataset.reviews))
    chosen = _chosen(present, reviewers, hidden=dataset.humans)
    if not chosen:
        names = ", ".join(sorted(present)[:8]) or "nobody"
        msg = f"{dataset.name} has no reviews to score by anybody but its labelers ({names})"
        raise DataError(msg)
    comparisons = {one.id: one for one in dataset.comparisons}
    reviews = [review for review in dataset.reviews if review.reviewer in chosen]
    wordy = {review.reviewer for review in reviews if review.text} - set(dataset.humans)
    readings = _Readings(ties=_knows_ties(dataset))
    return Judged(
        name=dataset.name,
        comparisons=comparisons,
        judgements=tuple(
            _recorded(review, readings if own_reading and review.reviewer in wordy else None)
            for review in reviews
        ),
        votes=_votes(dataset),
    )


class Gathering:
    """Collects what a run's discussions say, one by one, and keeps none of their words.

    Of each that came to its end: what it concluded, and what every seat thought before it heard
    anybody. A lone judge's conclusion is its own verdict and stands once.
    """

    def __init__(self) -> None:
        self._comparisons: dict[str, Comparison] = {}
        self._judgements: list[Judgement] = []
        self._ratings: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._left_out = 0
        self._simulated = False

    def add(self, transcript: Transcript) -> None:
        """Take in one discussion, ended or not."""
        self._simulated = self._simulated or transcript.simulated
        if transcript.stop is not StopReason.COMPLETE:
            self._left_out += 1
            return
        self._comparisons.setdefault(transcript.comparison.id, transcript.comparison)
        self._judgements.extend(_said(transcript))
        for reviewer, kind in _rated(transcript):
            self._ratings[_condition(transcript), reviewer][kind] += 1

    def judged(self, name: str, *, reviewers: Sequence[str] | None = None) -> Judged:
        """What was collected. `reviewers` keeps the verdicts of these alone, as in a dataset.

        Raises:
            DataError: no discussion came to its end, or a name fits no reviewer.
        """
        if not self._judgements:
            msg = f"{name} has no discussion that came to its end; play it first"
            raise DataError(msg)
        present = {person for one in self._judgements for person in _people(one)}
        chosen = _chosen(sorted(present), reviewers)
        return Judged(
            name=name,
            comparisons=self._comparisons,
            judgements=tuple(one for one in self._judgements if chosen.issuperset(_people(one))),
            votes={},
            simulated=self._simulated,
            left_out=self._left_out,
            ratings=tuple(
                Ratings(
                    condition=condition,
                    reviewer=reviewer,
                    weighted=counts["weighted"],
                    stated=counts["stated"],
                    unreadable=counts["unreadable"],
                )
                for (condition, reviewer), counts in self._ratings.items()
                if reviewer in chosen
            ),
        )


def judged_from_transcripts(
    transcripts: Iterable[Transcript], *, name: str, reviewers: Sequence[str] | None = None
) -> Judged:
    """What a run's discussions concluded, and what reviewers thought before; see `Gathering`."""
    gathering = Gathering()
    for transcript in transcripts:
        gathering.add(transcript)
    return gathering.judged(name, reviewers=reviewers)


def with_gold(judged: Judged, gold: Dataset) -> Judged:
    """The same judgements against the gold, the groups and the votes of another dataset.

    Raises:
        DataError: the dataset has none of the comparisons.
    """
    known = {one.id: one for one in gold.comparisons if one.id in judged.comparisons}
    if not known:
        msg = f"{gold.name} has none of the comparisons of {judged.name}; take the data it was played on"
        raise DataError(msg)
    kept = tuple(one for one in judged.judgements if one.comparison in known)
    return replace(judged, comparisons=known, judgements=kept, votes=_votes(gold))


def labeler_type(labeler: str) -> str:
    """The kind of a labeler: `expert` for `expert_17`; the name itself where it has no number."""
    return re.sub(r"_\d+$", "", labeler)


class _Readings:
    """Reads texts, each but once: one-line replies repeat thousands of times."""

    def __init__(self, *, ties: bool) -> None:
        self._ties = ties
        self._known: dict[tuple[str, int], Reading] = {}

    def of(self, text: str, *, answers: int) -> Reading:
        key = (text, answers)
        if key not in self._known:
            self._known[key] = read_verdict(text, answers=answers, ties=self._ties)
        return self._known[key]


def _recorded(review: RecordedReview, readings: _Readings | None) -> Judgement:
    judge = Judge(review.reviewer)
    if len(review.shown) == 1:
        return Judgement(
            judge=judge,
            comparison=review.comparison,
            shown=review.shown,
            verdict=review.verdict,
            score=review.scores[0] if review.scores else None,
            aspect=review.aspect,
        )
    read = None
    if readings is not None and not review.scores:
        read = readings.of(review.text, answers=len(review.shown))
    return Judgement(
        judge=judge,
        comparison=review.comparison,
        shown=review.shown,
        verdict=review.verdict,
        own=None if read is None else _in_ids(read, review.shown),
        rule="" if read is None else read.rule,
        text=review.text,
    )


def _in_ids(read: Reading, shown: tuple[str, ...]) -> Verdict:
    return Verdict(read.outcome) if read.position is None else Verdict.of(shown[read.position])


def _people(one: Judgement) -> list[str]:
    return one.judge.reviewer.split(_AND)


def _said(transcript: Transcript) -> Iterator[Judgement]:
    comparison, seats = transcript.comparison, transcript.seats
    condition = _condition(transcript)
    seating = tuple((seat.reviewer, seat.sampling.temperature) for seat in seats)
    together = _AND.join(sorted({seat.reviewer for seat in seats}))
    scores = [_last_score(transcript, seat) for seat in seats]
    given = [score for score in scores if score is not None]
    yield Judgement(
        judge=Judge(together, condition, transcript.protocol, "concluded"),
        comparison=comparison.id,
        shown=comparison.shown,
        verdict=transcript.verdict,
        again=(transcript.repetition, seating),
        score=sum(given) / len(given) if given else None,
    )
    for place, seat in enumerate(seats if len(seats) > 1 else ()):
        verdict = stance_of(transcript, seat, stance="private")
        if verdict is not None:
            yield Judgement(
                judge=Judge(seat.reviewer, condition, transcript.protocol, "private"),
                comparison=comparison.id,
                shown=comparison.shown,
                verdict=verdict,
                again=(transcript.repetition, seating, place),
            )


def _condition(transcript: Transcript) -> str:
    return transcript.condition or transcript.protocol


def _rated(transcript: Transcript) -> Iterator[tuple[str, str]]:
    """Who gave each rating, and how it counts; the rule that read it says so."""
    for turn in transcript.turns:
        if turn.cue.expects is Expects.RATING:
            weighted = "weighted" if turn.review.rule.endswith("weighted") else "stated"
            kind = "unreadable" if turn.review.score is None else weighted
            yield transcript.seat(turn.cue.seat).reviewer, kind


def _last_score(transcript: Transcript, seat: Seat) -> float | None:
    """The seat's last rating of a lone answer; ratings of one answer among several are no score."""
    if len(transcript.comparison.answers) > 1:
        return None
    turns = (turn for turn in transcript.turns if turn.cue.seat == seat.id)
    scores = [turn.review.score for turn in turns if turn.review.score is not None]
    return scores[-1] if scores else None


def _chosen(
    present: Sequence[str], wanted: Sequence[str] | None, *, hidden: Iterable[str] = ()
) -> set[str]:
    if wanted is None:
        return set(present) - set(hidden)
    chosen: set[str] = set()
    for pattern in wanted:
        fitting = {name for name in present if fnmatchcase(name, pattern)}
        if not fitting:
            names = ", ".join(sorted(present)[:12]) + (", ..." if len(present) > 12 else "")
            msg = f"there are no reviews by {pattern!r}; reviews are by {names or 'nobody'}"
            raise DataError(msg)
        chosen |= fitting
    return chosen


def _votes(dataset: Dataset) -> Mapping[str, tuple[tuple[str, Verdict], ...]]:
    humans = set(dataset.humans)
    votes: defaultdict[str, list[tuple[str, Verdict]]] = defaultdict(list)
    for review in dataset.reviews:
        if review.reviewer in humans and review.verdict.readable:
            votes[review.comparison].append((labeler_type(review.reviewer), review.verdict))
    return {name: tuple(given) for name, given in votes.items()}


def _knows_ties(dataset: Dataset) -> bool:
    return any(one.gold == TIE for one in dataset.comparisons) or any(
        review.verdict.outcome is Outcome.TIE for review in dataset.reviews
    )
