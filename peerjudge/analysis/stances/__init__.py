"""What happens to stances: who alters, who holds, who persuades whom, and what that is worth."""

from peerjudge.analysis.stances.conditions import ConditionPair, compare_conditions
from peerjudge.analysis.stances.controls import Controlled, compare_controls
from peerjudge.analysis.stances.counts import (
    Persuasion,
    StanceCounts,
    persuasion,
    persuasion_graph,
    stance_counts,
)
from peerjudge.analysis.stances.outcomes import (
    Change,
    Ordering,
    Settling,
    changes,
    ordering,
    settling,
)
from peerjudge.analysis.stances.records import Discussion, Move, SeatStances, discussion_of
from peerjudge.analysis.stances.summary import Stances, stances, stances_of

__all__ = [
    "Change",
    "ConditionPair",
    "Controlled",
    "Discussion",
    "Move",
    "Ordering",
    "Persuasion",
    "SeatStances",
    "Settling",
    "StanceCounts",
    "Stances",
    "changes",
    "compare_conditions",
    "compare_controls",
    "discussion_of",
    "ordering",
    "persuasion",
    "persuasion_graph",
    "settling",
    "stance_counts",
    "stances",
    "stances_of",
]
