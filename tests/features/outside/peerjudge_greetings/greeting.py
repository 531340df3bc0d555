"""What the commands and the function of the feature do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from peerjudge.cli.commands import AddedOption, Call, Code, FunctionCommand


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


def run_greeted(
    call: Call[Any], value: str, go_on: Callable[[Call[Any]], Code], own: Mapping[str, Any]
) -> Code:
    """Print a greeting, and run the command as it is without the option."""
    print(value, call.sources[0], *sorted(own))
    return go_on(call)


GREETING = AddedOption(type=str, about="Greeting that is printed first.", run=run_greeted)
