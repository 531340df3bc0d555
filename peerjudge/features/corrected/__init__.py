"""Win rates by judges, corrected by people who labelled some of the questions."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Win rates by judges, corrected by people who labelled some of the questions.",
    commands={
        "corrected": Command(
            heading="Measure",
            about="Correct the judges' win rates by people who voted on some of the questions.",
            place="command:CORRECTED",
        )
    },
    functions={"corrected": "results:corrected"},
)
