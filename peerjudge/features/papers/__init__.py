"""The tables and figures of papers beside those of a run or of recorded reviews."""

from peerjudge.registry import Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="The tables and figures of papers beside those of a run or of recorded reviews.",
    hooks={
        "list": {"papers": "offering:list_names"},
        "published tables": {"papers": "offering:find_tables"},
        "report of reviews": {"papers": "offering:add_sections"},
    },
)
