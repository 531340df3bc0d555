"""Test files of what differs from main: `python -m tools.changed_tests [BASE]` prints their paths.

A changed test file is one of them. For a changed module they are the files that import it, or all of its
room's folder under `tests/` if no file does. Fixtures, shelves and settings reach too far to be followed:
`make test` runs what depends on them.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

TESTS = Path("tests")


def main() -> None:
    """Print the test files of what differs from the base, one a line."""
    base = sys.argv[1] if len(sys.argv) > 1 else "main"
    for path in find_tests(list_changed(base)):
        print(path)


def list_changed(base: str) -> list[Path]:
    """Return the files that differ from where this branch left `base`, uncommitted ones included."""
    start = _ask_git("merge-base", base, "HEAD")[0]
    names = _ask_git("diff", "--name-only", start)
    names += _ask_git("ls-files", "--others", "--exclude-standard")
    return [path for path in map(Path, names) if path.is_file() and path.suffix == ".py"]


def find_tests(changed: list[Path]) -> list[Path]:
    """Return the test files of these Python files, sorted."""
    importers: dict[str, set[Path]] = {}
    for path in TESTS.rglob("test_*.py"):
        for module in list_imports(path):
            importers.setdefault(module, set()).add(path)
    found: set[Path] = set()
    for path in changed:
        if path.parts[0] == TESTS.name:
            found |= {path} if path.name.startswith("test_") else set()
            continue
        module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        room = TESTS.joinpath(*path.parts[1:2]).with_suffix("")
        found |= importers.get(module) or set(room.rglob("test_*.py"))
    return sorted(found)


def list_imports(path: Path) -> Iterator[str]:
    """Yield the modules, and names that may be modules, that a file imports."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _ask_git(*words: str) -> list[str]:
    command = ["git", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  constants
    return done.stdout.splitlines()


if __name__ == "__main__":
    main()
