"""Ratchet of sizes: lines by room, modules, pages, words, complexity and parameters, beside their limits.

Usage: `python tools/sizes.py [--all] [--write [--raise]]`. Prints one line of totals, or every number with
`--all`. Exits with 1 where a number passes its limit in `[tool.peerjudge.sizes]` of pyproject.toml, where a
room has no limit, or where a limit has no room; with 2 where there is no checkout.

A room is a folder of `peerjudge/`, the modules of its root, or a feature; the shelves and the other folders
of code are counted beside them. Lines are those of `wc -l`. Code lines have no limit; they leave out blanks,
comments, docstrings, imports and `__all__`, and show whether lines were packed. Complexity counts branches,
boolean terms, comprehensions and assertions of a function with the functions inside it, so it lies above
that of ruff's C901, whose limit holds as well. Parameters are counted without `self` and `cls`.
"""

from __future__ import annotations

import argparse
import ast
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import tomlkit
from tomlkit.items import Table

PACKAGE = "peerjudge"
FEATURES = f"{PACKAGE}/features"
SHELVES = ("agents", "protocols", "experiments")
"""Folders of content, whose cards and packs count as modules."""
BESIDE = (("tests",), ("studies", "tools", "benchmarks"))
"""Folders outside the package; those of one entry are counted together."""
STEPS: Mapping[str, int] = {"lines": 50, "modules": 5, "pages": 1, "words": 500, "greatest": 1}
"""Limits are written as the next multiple, by kind: merges at the same time need some room."""
TOTALS = ("core", "features", "tests")
TOTAL_STEP = 500
"""The same for the lines of the totals, each of which holds many rooms."""
AIMS: Mapping[tuple[str, str], int] = {
    ("lines", "core"): 42_000,
    ("lines", "features"): 22_500,
    ("lines", "tests"): 42_000,
    ("lines", "studies+tools+benchmarks"): 12_000,
    ("modules", "core"): 190,
    ("modules", "features"): 125,
    ("pages", "docs"): 20,
    ("words", "docs"): 30_000,
    ("greatest", "complexity"): 15,
    ("greatest", "parameters"): 12,
}
"""Numbers to which the limits are lowered in time."""

_BRANCHES = (
    ast.Assert,
    ast.AsyncFor,
    ast.ExceptHandler,
    ast.For,
    ast.If,
    ast.IfExp,
    ast.While,
    ast.match_case,
)


class Key(NamedTuple):
    """Name of a number: lines, modules, pages, words or greatest, and the room."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} of {self.name}" if self.kind != "greatest" else f"greatest {self.name}"


class Measured(NamedTuple):
    """Number of the tree; `code` are code lines, `modules` those of the room, `at` the function."""

    number: int
    code: int = 0
    modules: int = 0
    at: str = ""


def measure_tree(root: Path, *, code: bool = False) -> dict[Key, Measured]:
    """Measure everything that has a limit, and code lines if asked, which takes as long again."""
    found = sorted(_find_rooms(root).items())
    rooms = {name: _measure_room(files, code=code) for name, files in found}
    features = [room for name, room in rooms.items() if name.startswith(FEATURES)]
    core = [
        room
        for name, room in rooms.items()
        if name.split("/")[0] == PACKAGE and not name.startswith(FEATURES)
    ]
    totals = {"core": _add_rooms(core), "features": _add_rooms(features)}
    pages = list((root / "docs").rglob("*.md"))
    apart = [page for page in pages if page.is_relative_to(root / "docs" / "features")]
    chapters = {"docs": [page for page in pages if page not in apart], "docs/features": apart}
    return {
        **{Key("lines", name): room for name, room in (rooms | totals).items()},
        **{Key("modules", name): Measured(room.modules) for name, room in totals.items()},
        **{Key("pages", name): Measured(len(files)) for name, files in chapters.items()},
        **{Key("words", name): Measured(_count_words(files)) for name, files in chapters.items()},
        **{Key("greatest", name): most for name, most in _measure_functions(root).items()},
    }


def count_code_lines(source: str, *, python: bool = True) -> int:
    """Count lines without blanks and comments, and in Python without docstrings, imports, `__all__`."""
    statements = _left_out(ast.parse(source)) if python else ()
    left_out = {number for statement in statements for number in _lines_of(statement)}
    return sum(
        1
        for number, line in enumerate(source.splitlines(), 1)
        if number not in left_out and line.strip() and not line.lstrip().startswith("#")
    )


def count_branches(function: ast.AST) -> int:
    """Return the complexity of a function: one, and one for each further way through it."""
    count = 1
    for node in ast.walk(function):
        if isinstance(node, _BRANCHES):
            count += 1
        elif isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
    return count


def find_faults(numbers: Mapping[Key, Measured], limits: Mapping[Key, int]) -> list[str]:
    """Return one sentence for each number above its limit, and for each without the other."""
    faults: list[str] = []
    for key, found in numbers.items():
        limit = limits.get(key)
        if limit is None:
            faults.append(
                f"{key}: {found.number:,}, and no limit in pyproject.toml. "
                "Add it with `python tools/sizes.py --write`."
            )
        elif found.number > limit:
            at = f" ({found.at})" if found.at else ""
            faults.append(
                f"{key}: {found.number:,}{at}, {found.number - limit:,} above the limit of {limit:,}. "
                "Delete as much, or raise the limit in the open: "
                "`python tools/sizes.py --write --raise`, with the reason in the commit."
            )
    faults += [
        f"{key}: a limit in pyproject.toml of what is not there. "
        "Remove it with `python tools/sizes.py --write`."
        for key in limits
        if key not in numbers
    ]
    return faults


def lower_limits(
    numbers: Mapping[Key, Measured], limits: Mapping[Key, int], *, may_raise: bool = False
) -> dict[Key, int]:
    """Return the limits of the tree: none above the earlier one, except of passed ones if allowed."""
    lowered: dict[Key, int] = {}
    for key, found in numbers.items():
        is_total = key.kind == "lines" and key.name in TOTALS
        step = TOTAL_STEP if is_total else STEPS[key.kind]
        rounded = -(-found.number // step) * step
        earlier = limits.get(key, rounded)
        is_raised = may_raise and found.number > earlier
        lowered[key] = rounded if is_raised else min(earlier, rounded)
    return lowered


def read_limits(text: str) -> dict[Key, int]:
    """Return the limits in the text of a pyproject.toml."""
    tools: dict[str, dict[str, Any]] = tomllib.loads(text).get("tool", {})
    table: Mapping[str, Mapping[str, int]] = tools.get(PACKAGE, {}).get("sizes", {})
    return {Key(kind, name): limit for kind, rows in table.items() for name, limit in rows.items()}


def write_limits(text: str, limits: Mapping[Key, int]) -> str:
    """Return the text of a pyproject.toml with these limits; comments of rows that stay are kept."""
    earlier = read_limits(text)
    document = tomlkit.parse(text)
    table: Table | tomlkit.TOMLDocument = document
    for name in ("tool", PACKAGE, "sizes"):
        table = cast("Table", table.setdefault(name, tomlkit.table(is_super_table=True)))
    for kind in STEPS:
        rows = cast("Table", table.setdefault(kind, tomlkit.table()))
        for name in [name for name in rows if Key(kind, name) not in limits]:
            del rows[name]
        for key, limit in limits.items():
            if key.kind == kind and earlier.get(key) != limit:
                rows[key.name] = limit
    return tomlkit.dumps(document)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the numbers, or write their limits, and return the exit code."""
    parser = argparse.ArgumentParser(description="Compare sizes with their limits.")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: here)")
    parser.add_argument("--all", action="store_true", help="print every number")
    parser.add_argument("--write", action="store_true", help="lower the limits to the tree")
    parser.add_argument(
        "--raise", action="store_true", dest="may_raise", help="raise passed limits"
    )
    given = parser.parse_args(arguments)
    root: Path = given.root.resolve()
    project = root / "pyproject.toml"
    if not project.is_file() or not (root / PACKAGE).is_dir():
        print(f"No checkout of {PACKAGE}: {root}.", file=sys.stderr)
        return 2
    numbers = measure_tree(root, code=given.all)
    text = project.read_text("utf-8")
    limits = read_limits(text)
    if given.write:
        limits = lower_limits(numbers, limits, may_raise=given.may_raise)
        project.write_text(write_limits(text, limits), "utf-8")
    if given.all:
        _print_table(numbers, limits)
    faults = find_faults(numbers, limits)
    for fault in faults:
        print(fault, file=sys.stderr)
    _print_totals(numbers, limits)
    return 1 if faults else 0


def _find_rooms(root: Path) -> dict[str, list[Path]]:
    package, features = root / PACKAGE, root / FEATURES
    inside = {
        PACKAGE: list(package.glob("*.py")),
        FEATURES: list(features.glob("*.py")),
        **{
            folder.relative_to(root).as_posix(): list(folder.rglob("*.py"))
            for folder in [*package.iterdir(), *features.glob("*")]
            if folder.is_dir() and folder != features
        },
    }
    beside = {
        **{
            name: [file for suffix in ("py", "toml") for file in (root / name).rglob(f"*.{suffix}")]
            for name in SHELVES
        },
        **{
            "+".join(names): [file for name in names for file in (root / name).rglob("*.py")]
            for names in BESIDE
        },
    }
    return {name: files for name, files in (inside | beside).items() if files}


def _measure_room(files: Sequence[Path], *, code: bool) -> Measured:
    sources = {file: file.read_text("utf-8") for file in files}
    lines = sum(source.count("\n") for source in sources.values())
    counted = sources.items() if code else ()
    return Measured(
        lines,
        sum(count_code_lines(source, python=file.suffix == ".py") for file, source in counted),
        len(files),
    )


def _add_rooms(rooms: Sequence[Measured]) -> Measured:
    return Measured(
        sum(room.number for room in rooms),
        sum(room.code for room in rooms),
        sum(room.modules for room in rooms),
    )


def _measure_functions(root: Path) -> dict[str, Measured]:
    complexity = parameters = Measured(0)
    for file in sorted((root / PACKAGE).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                at = f"{node.name} in {file.relative_to(root).as_posix()}"
                complexity = max(complexity, Measured(count_branches(node), at=at))
                parameters = max(parameters, Measured(_count_parameters(node.args), at=at))
    return {"complexity": complexity, "parameters": parameters}


def _count_parameters(arguments: ast.arguments) -> int:
    given = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return sum(1 for argument in given if argument.arg not in ("self", "cls"))


def _count_words(files: Iterable[Path]) -> int:
    return sum(len(file.read_text("utf-8").split()) for file in files)


def _left_out(tree: ast.Module) -> Iterator[ast.stmt]:
    for node in ast.walk(tree):
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
                yield node
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                yield node
            case _:
                pass


def _lines_of(statement: ast.stmt) -> range:
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def _print_table(numbers: Mapping[Key, Measured], limits: Mapping[Key, int]) -> None:
    print(f"{'':9}{'':36}{'now':>8}{'limit':>8}{'aim':>8}{'modules':>9}{'code':>8}")
    for key, found in numbers.items():
        columns = (found.number, limits.get(key), AIMS.get(key), found.modules, found.code)
        texts = [f"{number:,}" if number else "" for number in columns]
        now, limit, aim, modules, code = texts
        print(
            f"{key.kind:9}{key.name:36}{now:>8}{limit:>8}{aim:>8}{modules:>9}{code:>8}  {found.at}".rstrip()
        )


def _print_totals(numbers: Mapping[Key, Measured], limits: Mapping[Key, int]) -> None:
    def show(kind: str, name: str) -> str:
        key = Key(kind, name)
        return f"{numbers[key].number:,} (limit {limits.get(key, 0):,}, aim {AIMS[key]:,})"

    print(
        "; ".join(
            f"{name}: lines {show('lines', name)}, modules {show('modules', name)}"
            for name in ("core", "features")
        )
        + f"; complexity {show('greatest', 'complexity')}"
        + f"; parameters {show('greatest', 'parameters')}"
    )


if __name__ == "__main__":
    sys.exit(main())
