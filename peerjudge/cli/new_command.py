"""`peerjudge new`: a new shelf file, made from one that is there."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from peerjudge.cli.console import print_status
from peerjudge.cli.tables import say
from peerjudge.shelf import Kind

__all__ = ["new_command"]


def new_command(
    kind: Kind, name: str, /, *, source: Annotated[str, Parameter(name="--from")] = ""
) -> int:
    """Write a new card, protocol, prompt pack or experiment into the working directory.

    A prompt pack extends the one that it is made from; anything else is a copy to edit.

    Parameters
    ----------
    kind
        The shelf.
    name
        Name of the new item.
    source
        Item that it is made from; by default gpt_4o, pairwise, long_form or quickstart.
    """
    from peerjudge.shelf.scaffold import write_item

    path = write_item(kind, name, source=source)
    say(str(path))
    print_status(f"edit it, then: peerjudge check; peerjudge show {kind} {name}")
    return 0
