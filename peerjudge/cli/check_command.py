"""`peerjudge check`: load every shelf file and check it against its contract, without a model."""

from __future__ import annotations

from pathlib import Path

from peerjudge.cli.console import print_json, results
from peerjudge.cli.tables import say


def check_command(path: Path | None = None, /, *, json: bool = False) -> int:
    """Check every card, protocol, prompt pack and experiment against its contract.

    This loads, and so executes, the Python files in agents/, protocols/ and experiments/ of the
    project. No model is called. Each clause that fails is printed with what happened and what to do.

    Parameters
    ----------
    path
        The project folder; the working directory when left out.
    json
        Print one JSON document instead of lines.
    """
    from peerjudge.data import to_plain
    from peerjudge.errors import ShelfError
    from peerjudge.shelf import Shelf
    from peerjudge.testing import check_project

    if path is not None and not path.is_dir():
        msg = f"No such project folder: {path}."
        raise ShelfError(msg)
    checked = list(check_project(Shelf(path)))
    failed = [file for file in checked if file.broken]
    if json:
        print_json([to_plain(file) for file in checked])
        return 2 if failed else 0
    console = results()
    for file in checked:
        if file.shadows:
            say(f"note: {file.path} shadows the built-in {file.shadows}")
        if not file.builtin:
            for note in file.notes:
                say(f"note: {file.kind}/{file.name} {note}")
    for file in failed:
        for clause in file.broken:
            console.print("wrong", style="red", end=" ")
            console.print(f"{file.kind}/{file.name}: {clause}", soft_wrap=True)
    say(f"{len(checked)} items, {len(failed)} with problems")
    return 2 if failed else 0
