"""Probabilities of the answers behind the verdicts of a discussion, from log-probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp, fsum, log, nan
from typing import TypeAlias

from peerjudge.data import MAX_ANSWERS, StopReason, TokenLogprob, Transcript, Turn
from peerjudge.verdicts import verdict_probabilities

Probabilities: TypeAlias = tuple[float, ...]
"""One number per answer of a comparison, NaN beyond the last one."""

_ById: TypeAlias = Mapping[str, float]


def find_choice_probability(
    logprobs: Sequence[TokenLogprob] | None,
    *,
    sees: Sequence[str],
    choice: str | None,
    ties: bool,
) -> float | None:
    """Return the probability of the chosen answer; `None` without a choice or log-probabilities.

    Args:
        logprobs: of the tokens of the reply.
        sees: ids of the answers in the shown order.
        choice: id of the chosen answer.
        ties: true if a tie was a valid verdict.
    """
    if not logprobs or choice not in sees:
        return None
    likely = verdict_probabilities(logprobs, answers=len(sees), ties=ties)
    return None if likely is None else likely[sees.index(choice)]


def find_turn_probability(turn: Turn) -> float | None:
    """Return the probability of the answer that a turn chose, see `find_choice_probability`."""
    verdict = turn.review.verdict
    return find_choice_probability(
        turn.utterance.logprobs,
        sees=turn.cue.sees,
        choice=None if verdict is None else verdict.choice,
        ties=turn.cue.ties,
    )


def find_probabilities(turn: Turn) -> _ById | None:
    """Return the probability of each answer that a turn was shown, by answer id.

    `None` where the turn has no verdict, or no token of its reply carries it.
    """
    reply = turn.utterance if turn.asked is None else turn.asked
    if not reply.logprobs or turn.review.verdict is None:
        return None
    sees = turn.cue.sees
    likely = verdict_probabilities(reply.logprobs, answers=len(sees), ties=turn.cue.ties)
    return None if likely is None else dict(zip(sees, likely, strict=True))


def list_probabilities(
    transcript: Transcript, own: Sequence[str]
) -> Iterator[tuple[int, Probabilities]]:
    """Yield the number of a ballot of the discussion with its probabilities, where it has any.

    Ballots are numbered as in the table: the turns with a verdict, then the conclusion.

    Args:
        transcript: the discussion.
        own: ids of the answers in the comparison's own order.
    """
    judged = [turn for turn in transcript.turns if turn.review.verdict is not None]
    by_turn = [find_probabilities(turn) for turn in judged]
    pooled = pool_seats(transcript, judged, by_turn)
    for row, by_id in enumerate((*by_turn, pooled)):
        if by_id is not None:
            known = [by_id.get(answer, nan) for answer in own]
            yield row, (*known, *[nan] * (MAX_ANSWERS - len(own)))


def pool_seats(
    transcript: Transcript, judged: Sequence[Turn], found: Sequence[_ById | None]
) -> _ById | None:
    """Return the probabilities behind a conclusion: the mean of the log-probabilities of the seats.

    Each seat counts with its last readable verdict; a lone judge with the last one in each shown
    order. `None` for a discussion that is not complete, and where one of these verdicts has no
    probabilities: the rest would stand for other seats.

    Args:
        transcript: the discussion.
        judged: its turns with a verdict.
        found: their probabilities.
    """
    if transcript.stop is not StopReason.COMPLETE:
        return None
    lone = len(transcript.seats) == 1
    last: dict[object, _ById | None] = {}
    for turn, by_id in zip(judged, found, strict=True):
        if turn.review.verdict is not None and turn.review.verdict.readable:
            last[turn.cue.sees if lone else turn.cue.seat] = by_id
    known = [by_id for by_id in last.values() if by_id is not None]
    if not known or len(known) < len(last) or any(one.keys() != known[0].keys() for one in known):
        return None
    means = {answer: fsum(log(one[answer]) for one in known) / len(known) for answer in known[0]}
    total = fsum(map(exp, means.values()))
    return {answer: exp(mean) / total for answer, mean in means.items()}
