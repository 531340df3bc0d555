"""The folders that are shelves: which files are items, and what they say they are.

Nothing here executes a file.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from peerjudge.errors import ShelfError
from peerjudge.shelf.source import first_paragraph

__all__ = ["PLACES", "Entry", "Kind", "builtin_root", "files_on"]

Kind = Literal["agents", "protocols", "prompts", "experiments"]

PLACES: Mapping[Kind, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "agents": ("agents", (".toml", ".py")),
        "protocols": ("protocols", (".py",)),
        "prompts": ("protocols/prompts", (".toml",)),
        "experiments": ("experiments", (".py",)),
    }
)
"""Where each shelf is below a project, and the endings its files have."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An item on a shelf. `shadows` is the built-in file that a user's file of this name hides."""

    kind: Kind
    name: str
    path: Path
    builtin: bool
    shadows: Path | None = None

    @property
    def description(self) -> str:
        """What the file says it is, read without executing it; empty where it says nothing."""
        try:
            text = self.path.read_text(encoding="utf-8")
            if self.path.suffix == ".py":
                return first_paragraph(ast.get_docstring(ast.parse(text)))
            return str(tomllib.loads(text).get("description", ""))
        except (OSError, ValueError, SyntaxError):
            # A list must not fail over one bad file; loading it by name says what is wrong.
            return ""


def builtin_root() -> Path | None:
    """Where the built-in shelf is: inside the installed package, else the checkout it runs from."""
    package = Path(__file__).resolve().parents[1]
    if (package / "builtin").is_dir():
        return package / "builtin"
    return package.parent if (package.parent / "protocols").is_dir() else None


def files_on(root: Path | None, kind: Kind) -> Mapping[str, Path]:
    """The files of one shelf folder by stem; those that start with `_` or `.` are not on it."""
    place, endings = PLACES[kind]
    found: dict[str, Path] = {}
    if root is None or not (root / place).is_dir():
        return found
    for path in sorted((root / place).iterdir()):
        if path.suffix not in endings or path.name.startswith(("_", ".")) or not path.is_file():
            continue
        if path.stem in found:
            msg = f"{found[path.stem]} and {path} share the name {path.stem!r}; rename one of them"
            raise ShelfError(msg)
        found[path.stem] = path
    return found
