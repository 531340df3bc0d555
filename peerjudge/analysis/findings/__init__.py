"""What a run found: one pass over its transcripts, one frozen result."""

from peerjudge.analysis.findings.gather import findings
from peerjudge.analysis.findings.nouns import (
    CONTRADICTED,
    AgainstVote,
    Agreement,
    ConditionFindings,
    Consistency,
    Effort,
    Findings,
    GroupFindings,
    PeerFindings,
    SeatFindings,
)

__all__ = [
    "CONTRADICTED",
    "AgainstVote",
    "Agreement",
    "ConditionFindings",
    "Consistency",
    "Effort",
    "Findings",
    "GroupFindings",
    "PeerFindings",
    "SeatFindings",
    "findings",
]
