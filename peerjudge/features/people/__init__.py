"""People in the seats of a run, and studies of several people who judge the same comparisons."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="People in the seats of a run, and studies of several people who judge the same comparisons.",
    commands={
        "annotate": Command(
            heading="People and other programs",
            about="Answer for the people seated in a run, or judge with others in a study.",
            place="annotate_command:annotate_command",
        )
    },
    hooks={
        "export": {"people": "offering:ANSWERS"},
        "open requests": {"people": "viewing:count_requests"},
        "reviewer": {"human": "offering:DESK"},
        "viewer": {"studies": "viewing:STUDIES"},
    },
)
