"""Study planning: power by number of comparisons, needed size and cost, by simulation."""

from peerjudge.power.planning import PlanResult, plan

__all__ = ["PlanResult", "plan"]
