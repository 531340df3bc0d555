"""Contestants answer questions, and their answers become the data of a tournament."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Contestants answer questions, and their answers become the data of a tournament.",
    commands={
        "answers": Command(
            heading="Play",
            about="Let contestants answer questions, as data for a tournament.",
            place="command:ANSWERS",
        )
    },
    functions={"answers": "answering:answers", "answers_sync": "answering:answers_sync"},
    hooks={
        "dataset": {"questions": "questions:SOURCE"},
        "data of a run": {"questions": "running:plan_run_answers"},
        "shelf": {"tournaments": "shelf:FOLDER"},
    },
)
