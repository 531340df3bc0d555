"""Every message on the page of troubleshooting is one that PeerJudge prints."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
ROW = re.compile(r"^\| `([^`]+)` \| .+ \|$", re.MULTILINE)
FIELD = "\0"
"""Stands for a value in a message of the source, as `…` does on the page."""
SHORTEST = 12
"""Fixed characters that name a message."""


def list_templates() -> list[str]:
    """Return all texts of the package, with its values as `FIELD`, and its pages for browsers."""
    package = ROOT / "peerjudge"
    templates = [path.read_text("utf-8") for path in package.rglob("*.j2")]
    for path in package.rglob("*.py"):
        templates += find_texts(ast.parse(path.read_text("utf-8")))
    return templates


def find_texts(tree: ast.Module) -> Iterator[str]:
    """Yield the texts of a module that are no docstrings."""
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in documented:
            continue
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.JoinedStr(values=values):
                yield "".join(
                    str(value.value) if isinstance(value, ast.Constant) else FIELD
                    for value in values
                )
            case _:
                pass


def find_message(quoted: str, templates: list[str]) -> str | None:
    """Return the template of a quoted message; its first and last words may be left out."""
    fixed = [re.escape(part) for part in quoted.split("…")]
    pattern = re.compile(
        f"{FIELD}+".join(fixed).removeprefix(f"{FIELD}+").removesuffix(f"{FIELD}+")
    )
    return next((text for text in templates if pattern.search(text)), None)


@pytest.fixture(scope="module")
def templates():
    """All texts of the package."""
    return list_templates()


@pytest.mark.parametrize("quoted", ROW.findall(PAGE))
def test_a_quoted_message_is_in_the_source(quoted, templates):
    """A reader who meets a message finds it with the words that the page has."""
    assert len(quoted.replace("…", "").strip()) >= SHORTEST
    assert find_message(quoted, templates), f"PeerJudge prints no such message: {quoted}"


def test_every_row_of_the_page_quotes_one_message():
    """A row that the pattern does not read would escape the test."""
    rows = [line for line in PAGE.splitlines() if line.startswith("|")]
    heads = sum(line.startswith(("| message", "|---")) for line in rows)
    assert len(rows) - heads == len(ROW.findall(PAGE)) > 40


def test_a_stale_message_is_noticed(templates):
    """Other words, a value where the source has none, and words in place of a value are found."""
    assert find_message("needs its key in the environment variable …, which is not set", templates)
    for stale in (
        "needs a key in the environment variable …, which is not set",
        "needs its key in the … variable …, which is not set",
        "needs its key in the environment variable KEY, which is not set",
    ):
        assert find_message(stale, templates) is None
