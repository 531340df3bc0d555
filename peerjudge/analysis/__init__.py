"""What the data say, with intervals: agreement with gold, accuracy, opinions, and a run's findings."""

from peerjudge.analysis.accuracy import Accuracy, accuracy
from peerjudge.analysis.agreement import (
    GoldAgreement,
    agreement,
    agreement_document,
    fleiss_kappa,
)
from peerjudge.analysis.findings import Findings, findings
from peerjudge.analysis.intervals import bootstrap_mean, proportion

__all__ = [
    "Accuracy",
    "Findings",
    "GoldAgreement",
    "accuracy",
    "agreement",
    "agreement_document",
    "bootstrap_mean",
    "findings",
    "fleiss_kappa",
    "proportion",
]
