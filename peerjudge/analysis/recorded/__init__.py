"""What the recorded reviews of a dataset say: agreement, rankings, weights and biases."""

from peerjudge.analysis.recorded.evaluators import ALL, HUMANS, WEIGHTED
from peerjudge.analysis.recorded.gather import recorded_findings
from peerjudge.analysis.recorded.nouns import (
    Evaluator,
    Panel,
    PanelAgreement,
    RecordedFindings,
)

__all__ = [
    "ALL",
    "HUMANS",
    "WEIGHTED",
    "Evaluator",
    "Panel",
    "PanelAgreement",
    "RecordedFindings",
    "recorded_findings",
]
