"""What the recorded reviews of a dataset say: agreement, rankings, weights and biases."""

from peerjudge.analysis.recorded.evaluators import ALL, HUMANS, WEIGHTED
from peerjudge.analysis.recorded.gather import recorded_findings
from peerjudge.analysis.recorded.nouns import (
    Evaluator,
    Jury,
    JuryAgreement,
    RecordedFindings,
)

__all__ = [
    "ALL",
    "HUMANS",
    "WEIGHTED",
    "Evaluator",
    "Jury",
    "JuryAgreement",
    "RecordedFindings",
    "recorded_findings",
]
