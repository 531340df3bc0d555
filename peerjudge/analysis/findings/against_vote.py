"""What a discussion adds over the vote: the baseline without anybody hearing anybody."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from peerjudge.analysis.findings.measures import Sample, Sampler
from peerjudge.analysis.findings.nouns import AgainstVote
from peerjudge.analysis.findings.records import DiscussionRecord
from peerjudge.data import TIE

__all__ = ["against_vote"]

_VOTE = "vote"

Conditions = Mapping[str, Sequence[DiscussionRecord]]


def against_vote(conditions: Conditions, *, sampler: Sampler) -> tuple[AgainstVote, ...]:
    """Every condition of another protocol against a vote on the same comparisons.

    Among several votes, that of the same reviewers is taken, and of those the one whose number of
    calls is nearest, so that a discussion is not held against a vote that cost half as much.
    """
    votes = [name for name, records in conditions.items() if records[0].protocol == _VOTE]
    if not votes:
        return ()
    rows: list[AgainstVote] = []
    for records in conditions.values():
        if records[0].protocol == _VOTE:
            continue
        alike = [vote for vote in votes if _panel(conditions[vote]) == _panel(records)]
        away = {vote: abs(_turns(conditions[vote]) - _turns(records)) for vote in alike or votes}
        vote = min(away, key=away.__getitem__)
        rows.append(_against(records, conditions[vote], same=bool(alike), sampler=sampler))
    return tuple(rows)


def _against(
    records: Sequence[DiscussionRecord],
    votes: Sequence[DiscussionRecord],
    *,
    same: bool,
    sampler: Sampler,
) -> AgainstVote:
    exact = _differences(records, votes, tie=0.0)
    return AgainstVote(
        condition=records[0].condition,
        vote=votes[0].condition,
        same_reviewers=same,
        comparisons=len(exact),
        difference=sampler.mean(exact, limits=(-1.0, 1.0)),
        ties_as_half=sampler.mean(_differences(records, votes, tie=0.5), limits=(-1.0, 1.0)),
        turns=_turns(records),
        vote_turns=_turns(votes),
    )


def _differences(
    records: Sequence[DiscussionRecord], votes: Sequence[DiscussionRecord], *, tie: float
) -> list[Sample]:
    ours, theirs = _by_comparison(records, tie=tie), _by_comparison(votes, tie=tie)
    question = {record.comparison: record.question for record in records}
    return [(question[one], ours[one] - theirs[one]) for one in ours if one in theirs]


def _by_comparison(records: Sequence[DiscussionRecord], *, tie: float) -> Mapping[str, float]:
    """The share of right verdicts per comparison, over its readable ones."""
    judged: dict[str, list[float]] = defaultdict(list)
    for record in records:
        if record.done and record.gold is not None and record.verdict.readable:
            split = record.verdict == TIE and record.gold != TIE
            judged[record.comparison].append(tie if split else record.correct(record.verdict))
    return {comparison: sum(right) / len(right) for comparison, right in judged.items()}


def _panel(records: Sequence[DiscussionRecord]) -> frozenset[str]:
    return frozenset(seat.reviewer for record in records for seat in record.seats)


def _turns(records: Sequence[DiscussionRecord]) -> float:
    done = [record.turns for record in records if record.done]
    return sum(done) / len(done) if done else 0.0
