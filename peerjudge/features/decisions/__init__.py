"""What other decision rules and fewer rounds would have decided, from the stored verdicts."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="What other decision rules and fewer rounds would have decided, from the stored verdicts.",
    commands={
        "decide": Command(
            heading="Measure",
            about="Say what other decision rules and fewer rounds would have decided; no call is made.",
            place="command:DECIDE",
        )
    },
    functions={"decide": "results:decide"},
)
