"""The shelf folders of a project: their files by name, and what these say as text.

Nothing here executes a file.
"""

from __future__ import annotations

import ast
import inspect
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from peerjudge.errors import ShelfError
from peerjudge.registry import offers

Kind = Literal["agents", "protocols", "prompts", "experiments"]

PLACES: Mapping[Kind, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "agents": ("agents", (".toml", ".py")),
        "protocols": ("protocols", (".py",)),
        "prompts": ("protocols/prompts", (".toml",)),
        "experiments": ("experiments", (".py",)),
    }
)
"""The folder of each shelf below a project, and the suffixes of its files."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A file on a shelf; `builtin` is one of ours or of a feature.

    `shadows` is the built-in file of the same name that a user's file hides.
    """

    kind: Kind
    name: str
    path: Path
    builtin: bool
    shadows: Path | None = None

    @property
    def description(self) -> str:
        """The file's own description, read without executing it; empty if it has none."""
        try:
            text = self.path.read_text(encoding="utf-8")
            if self.path.suffix == ".py":
                return first_paragraph(ast.get_docstring(ast.parse(text)))
            return str(tomllib.loads(text).get("description", ""))
        except (OSError, ValueError, SyntaxError, RecursionError):
            # One bad file must not break a list; loading the file by name reports the error.
            return ""


def builtin_root() -> Path | None:
    """Return the root of the built-in shelves: in the installed package, else in the checkout."""
    package = Path(__file__).resolve().parents[1]
    if (package / "builtin").is_dir():
        return package / "builtin"
    return package.parent if (package.parent / "protocols").is_dir() else None


def list_feature_roots() -> list[Path]:
    """Return the folders with shelves that features offer, ours first (the hook `shelf`)."""
    return [root.resolve() for root in offers("shelf").values()]


def is_foreign(path: Path) -> bool:
    """Return whether a file of the built-in shelf comes with a feature of another package."""
    root = builtin_root()
    ours = [Path(__file__).resolve().parents[1], *([] if root is None else [root])]
    return not any(path.is_relative_to(folder) for folder in ours)


def list_files(root: Path | None, kind: Kind) -> Mapping[str, Path]:
    """Return the files of one shelf folder by stem, without those that start with `_` or `.`.

    Raises `ShelfError` for two files of the same stem.
    """
    place, suffixes = PLACES[kind]
    paths: dict[str, Path] = {}
    if root is None or not (folder := root / place).is_dir():
        return paths
    with os.scandir(folder) as found:
        names = sorted(
            file.name
            for file in found
            if file.name.endswith(suffixes) and file.name[0] not in "_." and file.is_file()
        )
    for name in names:
        stem, path = name.rpartition(".")[0], folder / name
        if stem in paths:
            msg = f"{paths[stem]} and {path} share the name {stem!r}; rename one of them"
            raise ShelfError(msg)
        paths[stem] = path
    return paths


def read_text(path: Path) -> str:
    """Return the text of a file; raises `ShelfError` if it cannot be read or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as cause:
        msg = f"{path} cannot be read as UTF-8 text: {cause}"
        raise ShelfError(msg) from cause


def first_paragraph(docstring: str | None) -> str:
    """Return the first paragraph of a docstring on one line."""
    return " ".join(inspect.cleandoc(docstring or "").split("\n\n")[0].split())


def strip_words(source: str) -> str:
    """Return Python source without comments, docstrings and layout."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                if ast.get_docstring(node, clean=False) is not None:
                    del node.body[0]
            case _:
                pass
    return ast.unparse(tree)
