"""Commands of features, under the names by which cyclopts imports a command: `NAME_command`."""

from __future__ import annotations

from peerjudge.cli.commands import FunctionCommand
from peerjudge.registry import find_command, import_place


def __getattr__(name: str) -> object:
    found = find_command(name.removesuffix("_command"))
    if found is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    command, feature = found
    made = import_place(command.place, feature)
    return made.build() if isinstance(made, FunctionCommand) else made
