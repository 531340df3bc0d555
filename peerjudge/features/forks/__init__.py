"""Play discussions again from a turn on, with a change and without."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Play discussions again from a turn on, with a change and without.",
    commands={
        "fork": Command(
            heading="Play",
            about="Play discussions again from one turn on, with a change and without.",
            place="command:FORK",
        )
    },
    functions={"fork": "forking:fork", "fork_sync": "forking:fork_sync"},
    hooks={
        "discussion page": {"forks": "pages:show_forks"},
        "turn page": {"forks": "pages:write_command"},
    },
)
