"""`peerjudge show`: one item of a shelf, as written, resolved, or compared with what it builds on."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from peerjudge.cli.tables import say
from peerjudge.errors import ShelfError
from peerjudge.shelf import Kind

if TYPE_CHECKING:
    from peerjudge.shelf import Entry, Shelf

__all__ = ["show_command"]


def show_command(
    kind: Kind,
    name: str,
    /,
    *,
    resolved: bool = False,
    diff: bool = False,
) -> int:
    """Print a card, protocol, prompt pack or experiment. Nothing is executed.

    Parameters
    ----------
    kind
        The shelf.
    name
        Name of the item, as `peerjudge list` shows it.
    resolved
        Print a prompt pack with all that it takes from the packs that it extends.
    diff
        Print how it differs from the pack that it extends, or from the built-in file that it shadows.
    """
    from peerjudge.shelf import Shelf
    from peerjudge.shelf.folders import read_text

    if resolved and diff:
        msg = "--resolved and --diff cannot be combined; give one of them"
        raise ShelfError(msg)
    shelf = Shelf()
    entry = shelf.find(kind, name)
    make = _resolve if resolved else _compare
    text = make(shelf, entry) if resolved or diff else read_text(entry.path)
    say(*text.splitlines())
    return 0


def _resolve(shelf: Shelf, entry: Entry) -> str:
    if entry.kind != "prompts":
        msg = f"--resolved is for prompt packs; {entry.kind} take nothing from others"
        raise ShelfError(msg)
    from peerjudge.prompts import write_pack

    return write_pack(shelf.prompts(entry.name))


def _compare(shelf: Shelf, entry: Entry) -> str:
    """Return a unified diff; empty where nothing differs."""
    from peerjudge.prompts import name_base, write_pack
    from peerjudge.shelf import Shelf
    from peerjudge.shelf.folders import read_text

    own = read_text(entry.path)
    base = name_base(own) if entry.kind == "prompts" else ""
    if base:
        above = Shelf(project=shelf.builtin) if base == entry.name else shelf
        texts = (write_pack(above.prompts(base)), write_pack(shelf.prompts(entry.name)))
        names = (base, entry.name)
    elif entry.shadows is not None:
        texts, names = (read_text(entry.shadows), own), (str(entry.shadows), str(entry.path))
    else:
        msg = f"{entry.name!r} extends no pack and shadows no built-in file; there is nothing to compare"
        raise ShelfError(msg)
    lines = difflib.unified_diff(
        texts[0].splitlines(), texts[1].splitlines(), *names, lineterm="", n=1
    )
    return "\n".join(lines)
