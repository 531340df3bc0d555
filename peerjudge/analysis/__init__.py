"""Measures of ballots with intervals: accuracy, agreement, bias, opinion change, and findings."""

from peerjudge.analysis.accuracy import Accuracy, measure_accuracy
from peerjudge.analysis.agreement import (
    GoldAgreement,
    OwnVotesError,
    measure_agreement,
)
from peerjudge.analysis.assembling import collect_reviews
from peerjudge.analysis.ballots import Ballots, Stage
from peerjudge.analysis.bias import Bias, measure_bias
from peerjudge.analysis.by_comparison import (
    AccuracyByComparison,
    measure_counted,
    measure_mean_accuracy,
    measure_mean_margin,
    tabulate_by_condition,
    tabulate_by_reviewer,
)
from peerjudge.analysis.collecting import BallotCollector, collect_transcripts
from peerjudge.analysis.compare import Compared, compare_all
from peerjudge.analysis.contrasts import ConditionContrasts, Contrast, build_contrasts
from peerjudge.analysis.findings import Findings, FindingsCollector, build_findings
from peerjudge.analysis.inference import (
    McNemar,
    Sampler,
    adjust_benjamini_hochberg,
    adjust_holm,
    compare_correlations,
    run_mcnemar,
    run_williams,
)
from peerjudge.analysis.influence import (
    build_persuasion_graph,
    count_moves,
    count_persuasion,
)
from peerjudge.analysis.intervals import measure_mean, measure_proportion
from peerjudge.analysis.kappa import fleiss_kappa
from peerjudge.analysis.outcomes import (
    count_holdings,
    measure_changes,
    measure_ordering,
    measure_settling,
)
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
from peerjudge.analysis.signflips import PairedDifference, measure_difference
from peerjudge.analysis.stances import Stances, build_stances
from peerjudge.analysis.style_control import (
    ControlledRanking,
    StyleCoefficient,
    control_styles,
)
from peerjudge.analysis.tournaments import build_tournament
from peerjudge.analysis.verbosity import Verbosity, measure_verbosity
from peerjudge.analysis.verdict_model import (
    Effect,
    VerdictModel,
    fit_verdict_model,
)

__all__ = [
    "Accuracy",
    "AccuracyByComparison",
    "BallotCollector",
    "Ballots",
    "Bias",
    "Compared",
    "ConditionContrasts",
    "Contrast",
    "ControlledRanking",
    "Effect",
    "Findings",
    "FindingsCollector",
    "GoldAgreement",
    "McNemar",
    "OrderConsistency",
    "OwnVotesError",
    "PairedDifference",
    "Panel",
    "PanelPair",
    "Position",
    "Sampler",
    "SelfEnhancement",
    "Stage",
    "Stances",
    "StyleCoefficient",
    "Verbosity",
    "VerdictModel",
    "adjust_benjamini_hochberg",
    "adjust_holm",
    "build_contrasts",
    "build_findings",
    "build_persuasion_graph",
    "build_stances",
    "build_tournament",
    "collect_reviews",
    "collect_transcripts",
    "compare_all",
    "compare_correlations",
    "control_styles",
    "count_holdings",
    "count_moves",
    "count_persuasion",
    "fit_verdict_model",
    "fleiss_kappa",
    "measure_accuracy",
    "measure_agreement",
    "measure_bias",
    "measure_changes",
    "measure_consistency",
    "measure_counted",
    "measure_difference",
    "measure_mean",
    "measure_mean_accuracy",
    "measure_mean_margin",
    "measure_ordering",
    "measure_panel",
    "measure_position",
    "measure_proportion",
    "measure_self_enhancement",
    "measure_settling",
    "measure_verbosity",
    "run_mcnemar",
    "run_williams",
    "select_judges",
    "tabulate_by_condition",
    "tabulate_by_reviewer",
]
