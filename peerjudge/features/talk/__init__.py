"""Whether talking helps: what discussions do to the stances of their seats."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Whether talking helps: what discussions do to the stances of their seats.",
    commands={
        "talk": Command(
            heading="Measure",
            about="Say whether talking helps: drift by round, discussions lost and won, who follows whom.",
            place="command:TALK",
        )
    },
    functions={"talk": "results:talk"},
    hooks={"report of a run": {"talk": "results:add_section"}},
)
