"""`peerjudge check`: load everything on the shelves without calling a model."""

from __future__ import annotations

from pathlib import Path

from peerjudge.cli.console import print_json, results

__all__ = ["check_command"]


def check_command(path: Path | None = None, /, *, json: bool = False) -> int:
    """Load every card, protocol, prompt pack and experiment, and say what is wrong.

    No model is called, but Python files on the shelves are executed.

    Parameters
    ----------
    path
        The project folder; the working directory when left out.
    json
        Print one JSON document instead of lines.
    """
    from peerjudge.data import to_plain
    from peerjudge.errors import ShelfError
    from peerjudge.runs import check_shelves
    from peerjudge.shelf import Shelf

    if path is not None and not path.is_dir():
        msg = f"there is no project folder {path}"
        raise ShelfError(msg)
    checked = list(check_shelves(Shelf(path)))
    problems = [item for item in checked if item.problem]
    if json:
        print_json([to_plain(item) for item in checked])
        return 2 if problems else 0
    console = results()
    for item in checked:
        if item.shadows:
            console.print(f"note: {item.path} shadows the built-in {item.shadows}", soft_wrap=True)
    for item in problems:
        console.print(f"[red]wrong[/red] {item.kind}/{item.name}: ", end="")
        console.print(item.problem, soft_wrap=True, markup=False)
    console.print(f"{len(checked)} items, {len(problems)} with problems")
    return 2 if problems else 0
