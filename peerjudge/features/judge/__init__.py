"""A discussion as a judge for other programs: from Python, over HTTP, as a scorer of Inspect."""

from peerjudge.registry import Command, Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="A discussion as a judge for other programs: from Python, over HTTP, as a scorer of Inspect.",
    commands={
        "serve": Command(
            heading="People and other programs",
            about="Judge answers for other programs over HTTP, by a discussion.",
            place="command:serve_command",
        )
    },
    functions={
        "Judge": "opened:Judge",
        "Judgement": "judgements:Judgement",
        "judge": "judging:judge",
        "judge_sync": "judging:judge_sync",
    },
    hooks={"trial": {"judge": "trying:try_cards"}},
)
