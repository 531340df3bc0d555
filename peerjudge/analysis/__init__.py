"""What the data say, with intervals: accuracy, agreement, bias, stances, and a run's findings."""

from peerjudge.analysis.accuracy import Accuracy, accuracy
from peerjudge.analysis.agreement import (
    GoldAgreement,
    agreement,
    agreement_document,
    fleiss_kappa,
)
from peerjudge.analysis.bias import Bias, build_bias_document, measure_bias
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
from peerjudge.analysis.pairs import PanelPair
from peerjudge.analysis.panel import Panel, measure_panel
from peerjudge.analysis.position import (
    OrderConsistency,
    Position,
    measure_consistency,
    measure_position,
)
from peerjudge.analysis.selecting import select_judges
from peerjudge.analysis.self_enhancement import SelfEnhancement, measure_self_enhancement
from peerjudge.analysis.verbosity import Verbosity, measure_verbosity

__all__ = [
    "Accuracy",
    "Bias",
    "Compared",
    "Contender",
    "CorrelationTest",
    "Findings",
    "GoldAgreement",
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
    "bootstrap_mean",
    "build_bias_document",
    "compare",
    "correlations_with_gold",
    "findings",
    "fleiss_kappa",
    "holm",
    "mcnemar",
    "measure_bias",
    "measure_consistency",
    "measure_panel",
    "measure_position",
    "measure_self_enhancement",
    "measure_verbosity",
    "paired_bootstrap",
    "proportion",
    "reviewers_of",
    "select_judges",
    "williams",
]
