"""Reads every transcript once and lays out what was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from peerjudge.analysis.findings.against_vote import against_vote
from peerjudge.analysis.findings.conditions import condition_findings, effort_of, seat_findings
from peerjudge.analysis.findings.courses import courses
from peerjudge.analysis.findings.measures import Sampler
from peerjudge.analysis.findings.nouns import Findings, Spoken
from peerjudge.analysis.findings.peers import peer_findings
from peerjudge.analysis.findings.records import DiscussionRecord, record_of
from peerjudge.analysis.stances import stances_of
from peerjudge.data import Transcript
from peerjudge.ranking import collect

__all__ = ["findings", "findings_of"]


def findings(transcripts: Iterable[Transcript], *, seed: int = 0) -> Findings:
    """Everything that a run's transcripts say, with intervals that resample questions.

    Reads the transcripts once and keeps no texts. Conditions come in order of appearance. Only
    discussions that are done enter the shares; the failed and unfinished are counted.

    Args:
        transcripts: ended or not.
        seed: of the resampling.
    """
    return findings_of([record_of(transcript) for transcript in transcripts], seed=seed)


def findings_of(records: Sequence[DiscussionRecord], *, seed: int = 0) -> Findings:
    """As `findings`, from records that were taken of the transcripts as they went by."""
    conditions: dict[str, list[DiscussionRecord]] = defaultdict(list)
    for record in records:
        conditions[record.condition].append(record)
    tournament = collect(battle for record in records for battle in record.battles)
    sampler = Sampler(seed=seed)
    heard = [record for record in records if record.done and record.heard and not record.controlled]
    answers = {len(record.shown) for record in records}
    simulated = any(record.simulated for record in records)
    peers, peers_missing = peer_findings(tournament, sampler=sampler)
    return Findings(
        seed=seed,
        level=sampler.level,
        simulated=simulated,
        questions=len({record.question for record in records}),
        answers=answers.pop() if len(answers) == 1 else None,
        effort=effort_of(records),
        spoken=_spoken(records),
        conditions=tuple(condition_findings(c, sampler=sampler) for c in conditions.values()),
        by_reviewer=seat_findings(heard, sampler=sampler, by_role=False),
        by_seat=seat_findings(heard, sampler=sampler),
        stances=stances_of(
            [record.discussion for record in records if record.discussion is not None],
            simulated=simulated,
            seed=seed,
            samples=sampler.samples,
        ),
        courses=courses(
            {
                name: [(record.question, record.course) for record in group]
                for name, group in conditions.items()
            },
            sampler=sampler,
        ),
        against_vote=against_vote(conditions, sampler=sampler),
        peers=peers,
        peers_missing=peers_missing,
    )


def _spoken(records: Sequence[DiscussionRecord]) -> dict[str, Spoken]:
    by_reviewer: dict[str, Spoken] = defaultdict(Spoken)
    for record in records:
        for seat in record.seats:
            by_reviewer[seat.reviewer] += seat.spoken
    return dict(by_reviewer)
