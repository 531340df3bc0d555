"""`peerjudge init`: a project folder with a card, a prompt pack, an experiment and data."""

from __future__ import annotations

from pathlib import Path

from peerjudge.cli.console import print_status
from peerjudge.cli.tables import say

__all__ = ["init_command"]


def init_command(folder: Path, /) -> int:
    """Write a project to begin with: a card, a prompt pack, an experiment and a table of pairs.

    Parameters
    ----------
    folder
        The new folder.
    """
    from peerjudge.shelf.scaffold import write_project

    for path in write_project(folder.expanduser()):
        say(str(path))
    print_status(f"next: cd {folder}; peerjudge check; peerjudge run my_study --data pairs.csv")
    return 0
