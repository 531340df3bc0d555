"""Measures of ballots with intervals: accuracy, agreement, bias, opinion change, and findings."""

from peerjudge.analysis.accuracy import Accuracy, measure_accuracy
from peerjudge.analysis.agreement import (
    GoldAgreement,
    NoGoldError,
    OwnVotesError,
    measure_agreement,
)
from peerjudge.analysis.assembling import collect_reviews
from peerjudge.analysis.ballots import Ballots
from peerjudge.analysis.bias import Bias, measure_bias
from peerjudge.analysis.collecting import BallotCollector, collect_transcripts
from peerjudge.analysis.compare import (
    AccuracyByComparison,
    Compared,
    compare_all,
    measure_mean_accuracy,
    measure_mean_margin,
    tabulate_by_condition,
    tabulate_by_reviewer,
)
from peerjudge.analysis.contrasts import ConditionContrasts, build_contrasts
from peerjudge.analysis.findings import (
    Findings,
    FindingsCollector,
    Stances,
    build_findings,
    build_stances,
)
from peerjudge.analysis.influence import build_persuasion_graph, count_moves
from peerjudge.analysis.outcomes import count_holdings, measure_ordering
from peerjudge.analysis.pairs import PanelPair
from peerjudge.analysis.panel import Panel, measure_panel
from peerjudge.analysis.position import OrderConsistency, Position, measure_position
from peerjudge.analysis.selecting import select_judges
from peerjudge.analysis.self_enhancement import SelfEnhancement, measure_self_enhancement
from peerjudge.analysis.tournaments import build_tournament
from peerjudge.analysis.verbosity import Verbosity

__all__ = [
    "Accuracy",
    "AccuracyByComparison",
    "BallotCollector",
    "Ballots",
    "Bias",
    "Compared",
    "ConditionContrasts",
    "Findings",
    "FindingsCollector",
    "GoldAgreement",
    "NoGoldError",
    "OrderConsistency",
    "OwnVotesError",
    "Panel",
    "PanelPair",
    "Position",
    "SelfEnhancement",
    "Stances",
    "Verbosity",
    "build_contrasts",
    "build_findings",
    "build_persuasion_graph",
    "build_stances",
    "build_tournament",
    "collect_reviews",
    "collect_transcripts",
    "compare_all",
    "count_holdings",
    "count_moves",
    "measure_accuracy",
    "measure_agreement",
    "measure_bias",
    "measure_mean_accuracy",
    "measure_mean_margin",
    "measure_ordering",
    "measure_panel",
    "measure_position",
    "measure_self_enhancement",
    "select_judges",
    "tabulate_by_condition",
    "tabulate_by_reviewer",
]
