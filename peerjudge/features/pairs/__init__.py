"""Make pairs of a better and a worse answer, by rule or by a writer; verify and audit them."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Make pairs of a better and a worse answer, by rule or by a writer; verify and audit them.",
    commands={
        "pairs": Command(
            heading="Play",
            about="Make pairs of a better and a worse answer, by rule or by a writer.",
            place="command:PAIRS",
        )
    },
    functions={"pairs": "making:pairs", "pairs_sync": "making:pairs_sync"},
)
