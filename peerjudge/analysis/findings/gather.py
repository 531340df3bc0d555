"""Reads every transcript once and lays out what was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from peerjudge.analysis.findings.against_vote import against_vote
from peerjudge.analysis.findings.conditions import condition_findings, effort_of, seat_findings
from peerjudge.analysis.findings.measures import Sampler
from peerjudge.analysis.findings.nouns import Findings
from peerjudge.analysis.findings.peers import peer_findings
from peerjudge.analysis.findings.records import DiscussionRecord, record_of
from peerjudge.data import Battle, Transcript
from peerjudge.tournament import battles_from_transcripts, collect

__all__ = ["findings"]


def findings(transcripts: Iterable[Transcript], *, seed: int = 0) -> Findings:
    """Everything that a run's transcripts say, with intervals that resample questions.

    Reads the transcripts once and keeps no texts. Conditions come in order of appearance. Only
    discussions that are done enter the shares; the failed and unfinished are counted.

    Args:
        transcripts: ended or not.
        seed: of the resampling.
    """
    conditions: dict[str, list[DiscussionRecord]] = defaultdict(list)
    tournament = collect(_battles(transcripts, conditions))
    sampler = Sampler(seed=seed)
    records = [record for group in conditions.values() for record in group]
    heard = [record for record in records if record.done and record.heard]
    answers = {len(record.shown) for record in records}
    peers, peers_missing = peer_findings(tournament, sampler=sampler)
    return Findings(
        seed=seed,
        level=sampler.level,
        simulated=any(record.simulated for record in records),
        questions=len({record.question for record in records}),
        answers=answers.pop() if len(answers) == 1 else None,
        effort=effort_of(records),
        conditions=tuple(condition_findings(c, sampler=sampler) for c in conditions.values()),
        by_reviewer=seat_findings(heard, sampler=sampler, by_role=False),
        by_seat=seat_findings(heard, sampler=sampler),
        against_vote=against_vote(conditions, sampler=sampler),
        peers=peers,
        peers_missing=peers_missing,
    )


def _battles(
    transcripts: Iterable[Transcript], conditions: dict[str, list[DiscussionRecord]]
) -> Iterator[Battle]:
    """The battles of the private reviews; files each transcript's record as it goes by."""
    for transcript in transcripts:
        conditions[transcript.condition].append(record_of(transcript))
        yield from battles_from_transcripts([transcript], stance="private")
