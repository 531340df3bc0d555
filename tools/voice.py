"""Measure of plain English: rare pronouns per 10,000 words, and docstrings that open like riddles.

Usage: `python tools/voice.py [--by-file] [PATH ...]`. Prints both measures and the worst files. Exits
with 1 above the limits, with 2 where a path does not exist.

The words are those of comments, docstrings and strings in code, and of documents. A rare pronoun in an
identifier (split at underscores and capitals) counts as well; the identifier's other words do not, so
that long code does not hide its prose. Left out are prompt packs, golden files and corpora, which quote
others or must not change.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

RARE_LIMIT = 8.0
"""Rare pronouns per 10,000 words."""
OPENING_LIMIT = 3.0
"""Percent of docstrings."""
PATHS = (
    "peerjudge",
    "agents",
    "protocols",
    "experiments",
    "studies",
    "tests",
    "benchmarks",
    "docs",
    ".github",
    "README.md",
    "CHANGELOG.md",
)

_SUFFIXES = {".py", ".md", ".toml", ".yml", ".yaml", ".j2", ".js", ".css", ".html"}
_LEFT_OUT = re.compile(r"^protocols/prompts/|/golden/|/corpus/|/corpora/|(^|/)test_voice\.py$")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_RARE = re.compile(r"(?i:whoever|whomever|whom|nobody|anybody|somebody|everybody|whatever)")
_OPENING = re.compile(r"\W*(What|Who|Whom|Whether|Of|That|How)\b")


class Count(NamedTuple):
    """Words and docstrings of one file, or of several together."""

    words: int = 0
    rare: int = 0
    docstrings: int = 0
    odd: int = 0

    @property
    def rate(self) -> float:
        """Rare pronouns per 10,000 words."""
        return 10_000 * self.rare / max(self.words, 1)

    @property
    def share(self) -> float:
        """Percent of docstrings with an odd opening."""
        return 100 * self.odd / max(self.docstrings, 1)


def count_python(source: str) -> Count:
    """Count the prose of Python source, the rare pronouns in its identifiers, and its docstrings."""
    tree = ast.parse(source)
    names, comments = _names_and_comments(source)
    strings = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    docstrings = list(_docstrings(tree))
    odd = sum(1 for docstring in docstrings if _OPENING.match(docstring))
    prose = count_text("\n".join(comments + strings))
    rare = prose.rare + count_text(" ".join(names)).rare
    return Count(prose.words, rare, len(docstrings), odd)


def count_text(text: str) -> Count:
    """Count the words of a document."""
    words = _WORD.findall(text)
    return Count(words=len(words), rare=sum(1 for word in words if _RARE.fullmatch(word)))


def count_files(root: Path, paths: Sequence[str] = PATHS) -> dict[str, Count]:
    """Count every file below the paths, by its name relative to the root."""
    counts: dict[str, Count] = {}
    for file in _files(root, paths):
        name = file.relative_to(root).as_posix()
        if not _LEFT_OUT.search(name):
            text = file.read_text(encoding="utf-8")
            counts[name] = count_python(text) if file.suffix == ".py" else count_text(text)
    return counts


def add_counts(counts: Sequence[Count]) -> Count:
    """Add counts column by column."""
    return Count(*(sum(column) for column in zip(*counts, strict=True))) if counts else Count()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both measures and return the exit code."""
    parser = argparse.ArgumentParser(description="Measure plain English.")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="default: the whole project")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: here)")
    parser.add_argument("--by-file", action="store_true", help="list every file with a finding")
    given = parser.parse_args(arguments)
    root = given.root.resolve()
    if missing := [path for path in given.paths if not (root / path).exists()]:
        print(f"No such file or folder: {', '.join(missing)}.", file=sys.stderr)
        return 2
    counts = count_files(root, given.paths or PATHS)
    total = add_counts(list(counts.values()))
    _print_worst(counts, None if given.by_file else 10)
    print(
        f"rare pronouns: {total.rate:.1f} per 10,000 words ({total.rare} of {total.words}), "
        f"limit {RARE_LIMIT:g}\n"
        f"odd docstring openings: {total.share:.1f} % ({total.odd} of {total.docstrings}), "
        f"limit {OPENING_LIMIT:g} %"
    )
    return 1 if total.rate > RARE_LIMIT or total.share > OPENING_LIMIT else 0


def _print_worst(counts: dict[str, Count], limit: int | None) -> None:
    found = [(name, count) for name, count in counts.items() if count.rare or count.odd]
    found.sort(key=lambda item: (-item[1].rare - item[1].odd, item[0]))
    if found:
        print("pronouns  openings  file")
    for name, count in found[:limit]:
        print(f"{count.rare:8d}  {count.odd:8d}  {name}")


def _files(root: Path, paths: Sequence[str]) -> Iterator[Path]:
    for path in map(root.joinpath, paths):
        if path.is_file():
            yield path
        for file in sorted(path.rglob("*")):
            if file.suffix in _SUFFIXES and file.is_file():
                yield file


def _names_and_comments(source: str) -> tuple[list[str], list[str]]:
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    names = [token.string for token in tokens if token.type == tokenize.NAME]
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return names, comments


def _docstrings(tree: ast.Module) -> Iterator[str]:
    # Strings below constants and fields document them, so they count as well.
    bodies = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        for statement in node.body if isinstance(node, bodies) else ():
            match statement:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield text
                case _:
                    pass


if __name__ == "__main__":
    sys.exit(main())
