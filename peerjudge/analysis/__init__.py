"""What the data say, with intervals: accuracy, agreement, bias, stances, and a run's findings."""

from peerjudge.analysis.accuracy import Accuracy, accuracy
from peerjudge.analysis.agreement import (
    GoldAgreement,
    agreement,
    agreement_document,
    fleiss_kappa,
)
from peerjudge.analysis.bias import Bias, Discussed, bias, discussed
from peerjudge.analysis.comparing import Compared, Contender, accuracy_of, compare, reviewers_of
from peerjudge.analysis.findings import Findings, findings
from peerjudge.analysis.inference import (
    CorrelationTest,
    McNemar,
    PairedDifference,
    benjamini_hochberg,
    correlations_with_gold,
    holm,
    mcnemar,
    paired_bootstrap,
    williams,
)
from peerjudge.analysis.intervals import bootstrap_mean, proportion
from peerjudge.analysis.judged import Judged, judged
from peerjudge.analysis.panel import Panel, PanelPair, panel
from peerjudge.analysis.position import OrderConsistency, Position, order_consistency, position
from peerjudge.analysis.self_enhancement import SelfEnhancement, self_enhancement
from peerjudge.analysis.verbosity import Verbosity, verbosity

__all__ = [
    "Accuracy",
    "Bias",
    "Compared",
    "Contender",
    "CorrelationTest",
    "Discussed",
    "Findings",
    "GoldAgreement",
    "Judged",
    "McNemar",
    "OrderConsistency",
    "PairedDifference",
    "Panel",
    "PanelPair",
    "Position",
    "SelfEnhancement",
    "Verbosity",
    "accuracy",
    "accuracy_of",
    "agreement",
    "agreement_document",
    "benjamini_hochberg",
    "bias",
    "bootstrap_mean",
    "compare",
    "correlations_with_gold",
    "discussed",
    "findings",
    "fleiss_kappa",
    "holm",
    "judged",
    "mcnemar",
    "order_consistency",
    "paired_bootstrap",
    "panel",
    "position",
    "proportion",
    "reviewers_of",
    "self_enhancement",
    "verbosity",
    "williams",
]
