"""Search for better prompts: play candidates, choose on unseen questions, and test once."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Search for better prompts: play candidates, choose on unseen questions, and test once.",
    commands={
        "optimize": Command(
            heading="Play",
            about="Search for better prompts, and test what was found once.",
            place="command:OPTIMIZE",
        )
    },
    functions={"optimize": "optimizing:optimize", "optimize_sync": "optimizing:optimize_sync"},
)
