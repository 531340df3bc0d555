"""Measures of a user's own: files `measures/NAME.py`, measured and shown like ours."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Measures of your own: a file measures/NAME.py, with intervals and a section in the report.",
    commands={
        "measure": Command(
            heading="Measure",
            about="Measure what your file measures/NAME.py says, with intervals by question.",
            place="command:measure_command",
        )
    },
    functions={"measure": "measuring:measure"},
    hooks={
        "list": {"measures": "files:list_rows"},
        "own measure": {"measures": "measuring:add_section"},
    },
)
