"""Runs in the browser: discussions, prompts, live progress. Read-only."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Runs in the browser: discussions, prompts, live progress. Read-only.",
    commands={
        "view": Command(
            heading="Look",
            about="Show runs in the browser: discussions, prompts, live progress. Read-only.",
            place="command:view_command",
        )
    },
)
