"""Judgements of other tools as records, and discussions in the formats of other tools."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Judgements of other tools as records, and discussions in the formats of other tools.",
    commands={
        "import": Command(
            heading="People and other programs",
            about="Read judgements of other tools as records that every command reads.",
            place="import_command:import_command",
        ),
        "export": Command(
            heading="People and other programs",
            about="Write the discussions of a run in formats of other tools.",
            place="export_command:export_command",
        ),
    },
    hooks={
        "dataset": {
            "alpaca_eval": "sources.alpaca_eval:SOURCE",
            "arena": "sources.arena:SOURCE",
            "arena_hard": "sources.arena_hard:SOURCE",
            "argilla": "sources.argilla:SOURCE",
            "fastchat": "sources.fastchat:SOURCE",
            "inspect": "sources.inspect:SOURCE",
            "judge_bench": "sources.judge_bench:SOURCE",
            "label_studio": "sources.label_studio:SOURCE",
            "outputs": "sources.outputs:SOURCE",
            "promptfoo": "sources.promptfoo:SOURCE",
            "reward_bench": "sources.reward_bench:SOURCE",
            "votes": "sources.votes:SOURCE",
        }
    },
)
