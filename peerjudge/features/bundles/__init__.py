"""Write a run with every number computed from it into one archive, and recompute it."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Write a run with every number computed from it into one archive, and recompute it.",
    commands={
        "bundle": Command(
            heading="Keep",
            about="Write a run with every number computed from it into one archive.",
            place="command:BUNDLE",
        ),
        "verify": Command(
            heading="Keep",
            about="Recompute every number of a bundle.",
            place="command:VERIFY",
        ),
    },
)
