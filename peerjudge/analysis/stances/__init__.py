"""What happens to stances: who alters, who holds, who persuades whom, and what that is worth."""

from peerjudge.analysis.stances.conditions import conditions_of
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
    "compare_controls",
    "conditions_of",
    "discussion_of",
    "ordering",
    "persuasion",
    "persuasion_graph",
    "settling",
    "stance_counts",
    "stances",
    "stances_of",
]
