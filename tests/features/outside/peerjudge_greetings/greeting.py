"""What the commands and the function of the feature do."""

from __future__ import annotations

from peerjudge.cli.commands import Call, FunctionCommand


def greet(reviewer: str, /, *, times: int = 1) -> str:
    """Return a greeting.

    Args:
        reviewer: The reviewer.
        times: How often to greet.
    """
    return " ".join(["hello", *[reviewer] * times])


def wave() -> int:
    """Wave."""
    print("waves")
    return 0


def print_greeting(call: Call[str]) -> int:
    """Print it."""
    print(call.compute())
    return 0


GREET = FunctionCommand(function="peerjudge_greetings.greeting:greet", run=print_greeting)
