"""The tables and figures of papers beside those of a run or of recorded reviews."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="The tables and figures of papers beside those of a run or of recorded reviews.",
    commands={
        "reproduce": Command(
            heading="Measure",
            about="Put the tables and figures of a paper beside those of a run or of recorded reviews.",
            place="command:REPRODUCE",
        )
    },
    functions={"reproduce": "reproductions:reproduce"},
    hooks={
        "list": {"papers": "offering:list_names"},
        "published tables": {"papers": "offering:find_tables"},
        "report of reviews": {"papers": "offering:add_sections"},
    },
)
