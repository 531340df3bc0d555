"""Plan a study by simulation: power by number of comparisons, needed size, cost."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Plan a study by simulation: power by number of comparisons, needed size, cost.",
    commands={
        "plan": Command(
            heading="Play",
            about="Simulate an experiment before paying for it: power, size and cost.",
            place="command:PLAN",
        )
    },
    functions={"plan": "planning:plan"},
)
