"""Study planning: power by number of comparisons, needed size and cost, by simulation."""

from peerjudge.power.effects import BEST, EFFECT_KINDS, GAIN, LEADER, METHOD, VOTE, Effect
from peerjudge.power.forecasts import EffectForecast, Expense, StudyPlan
from peerjudge.power.planning import SIZES, PlanResult, plan
from peerjudge.power.sizes import Forecast, SizeResult
from peerjudge.power.stopping import StopForecast

__all__ = [
    "BEST",
    "EFFECT_KINDS",
    "GAIN",
    "LEADER",
    "METHOD",
    "SIZES",
    "VOTE",
    "Effect",
    "EffectForecast",
    "Expense",
    "Forecast",
    "PlanResult",
    "SizeResult",
    "StopForecast",
    "StudyPlan",
    "plan",
]
