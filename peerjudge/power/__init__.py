"""Study planning: power by number of comparisons, needed size and cost, by simulation."""

from peerjudge.power.effects import BEST, EFFECT_KINDS, GAIN, LEADER, METHOD, VOTE, Effect
from peerjudge.power.planning import (
    SIZES,
    EffectForecast,
    Expense,
    StudyPlan,
    plan_study,
)
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
    "SizeResult",
    "StopForecast",
    "StudyPlan",
    "plan_study",
]
