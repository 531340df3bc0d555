"""A feature of another package: two commands, a function, and names that PeerJudge has itself."""

from peerjudge.registry import Command, Feature

FEATURE = Feature(
    about="Greet reviewers.",
    commands={
        "greet": Command(heading="Measure", about="Greet a reviewer.", place="greeting:GREET"),
        "wave": Command(heading="Greetings", about="Wave.", place="greeting:wave"),
        "score": Command(heading="Measure", about="Not the score.", place="greeting:wave"),
        "plan": Command(heading="Play", about="Not the plan.", place="greeting:wave"),
    },
    functions={"greet": "greeting:greet", "run": "greeting:greet", "fork": "greeting:greet"},
    hooks={
        "dance": {"waltz": "greeting:wave"},
        "option of run": {"greeting": "greeting:GREETING", "limit": "greeting:GREETING"},
        "list": {"greetings": "broken:list_greetings"},
        "shelf": {"greetings": "asking:SHELF"},
        "dataset": {"greetings": "asking:SOURCE", "sample": "asking:SOURCE"},
    },
)
