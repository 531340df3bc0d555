"""People in the seats of a run, and studies of several people who judge the same comparisons."""

from peerjudge.registry import Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="People in the seats of a run, and studies of several people who judge the same comparisons.",
    hooks={
        "export": {"people": "offering:ANSWERS"},
        "open requests": {"people": "viewing:count_requests"},
        "reviewer": {"human": "offering:DESK"},
        "viewer": {"studies": "viewing:STUDIES"},
    },
)
