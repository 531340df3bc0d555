"""What a run found: one pass over its transcripts, one frozen result."""

from peerjudge.analysis.findings.courses import Course, Stand, Step
from peerjudge.analysis.findings.gather import findings, findings_of
from peerjudge.analysis.findings.nouns import (
    CONTRADICTED,
    AgainstVote,
    Agreement,
    ConditionFindings,
    Consistency,
    Effort,
    Findings,
    GroupFindings,
    HeadToHead,
    PeerFindings,
    SeatFindings,
    Spoken,
    Trajectory,
)
from peerjudge.analysis.findings.records import DiscussionRecord, record_of

__all__ = [
    "CONTRADICTED",
    "AgainstVote",
    "Agreement",
    "ConditionFindings",
    "Consistency",
    "Course",
    "DiscussionRecord",
    "Effort",
    "Findings",
    "GroupFindings",
    "HeadToHead",
    "PeerFindings",
    "SeatFindings",
    "Spoken",
    "Stand",
    "Step",
    "Trajectory",
    "findings",
    "findings_of",
    "record_of",
]
