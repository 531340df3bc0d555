"""What the README and the pages of `docs/` show works, as it is written there."""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELF = re.compile(r"# ((?:agents|protocols|experiments)/(?:prompts/)?\w+\.\w+)\n")
TITLE = re.compile(r'title="([\w.]+)"')
READ = {
    "agents": ("check",),
    "experiments": ("run", "{}", "--dry-run"),
    "prompts": ("show", "prompts", "{}", "--resolved"),
}
"""Commands that read a file of a shelf, on pages without `peerjudge check`."""
ELSEWHERE = {
    "docs/python.md": "tests/readme/test_python_page.py",
    "docs/features/search.md": "tests/features/search/test_search_page.py",
    "docs/features/shards.md": "tests/features/shards/test_shards_page.py",
    "docs/recipes.md": "tests/features/judge/test_recipes.py",
    "docs/datasets.md": "tests/datasets/test_own_readers.py",
}
"""Pages whose programs other tests execute."""
DAILY = {"README.md", "docs/index.md", "docs/first-discussion.md"}
"""Pages that `make test` executes; `make all-tests` executes all."""


class Block(NamedTuple):
    """Fenced block of a page: language, what follows it on its line, and its text."""

    language: str
    info: str
    body: str


class Step(NamedTuple):
    """Command or program of a page, and the lines of its output that the page shows."""

    words: list[str]
    program: str | None = None
    shown: Sequence[str] = ()


def list_blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    return [Block(*found) for found in BLOCK.findall((ROOT / page).read_text("utf-8"))]


def list_pages() -> list[str]:
    """Return the pages with fenced blocks."""
    docs = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    return [page for page in ("README.md", *docs) if list_blocks(page)]


def mark_page(page: str) -> object:
    """Return a page as a parameter, marked where its commands take many seconds."""
    return pytest.param(page, marks=() if page in DAILY else pytest.mark.slow)


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "page", [mark_page(page) for page in list_pages() if page not in ELSEWHERE]
)
def test_every_block_of_a_page_works(page, commands, tmp_path):
    """A reader who types the files, programs and commands of a page, top to bottom, meets no error."""
    shelved = write_files(list_blocks(page), tmp_path)
    steps: list[Step] = []
    if "$ peerjudge check" not in (ROOT / page).read_text("utf-8"):
        steps = [
            Step([word.format(path.stem) for word in READ[path.parent.name]]) for path in shelved
        ]
    for block in list_blocks(page):
        if block.language == "console":
            steps += list_commands(block.body)
        elif block.language == "python" and not SHELF.match(block.body):
            steps.append(Step([], block.body))
    env = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    for words, program, shown in steps:
        done = commands.run(tmp_path, *words, program=program, env={**env, "COLUMNS": "100"})
        assert done.code == 0, f"{words or program}\n{done.out}\n{done.err}"
        printed = {line.rstrip() for line in done.out.splitlines()}
        assert set(shown) <= printed, f"{words} does not print {set(shown) - printed}\n{done.out}"


def list_commands(body: str) -> list[Step]:
    """Return the commands of a block; below each stand lines of its output, `...` for those left out."""
    steps: list[Step] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            program, *words = shlex.split(line[2:])
            assert program == "peerjudge", body
            steps.append(Step(words))
        elif line != "...":
            steps[-1] = steps[-1]._replace(shown=(*steps[-1].shown, line))
    return steps


def write_files(blocks: list[Block], folder: Path) -> list[Path]:
    """Write the blocks that are files; return those of a shelf."""
    shelved = []
    for block in blocks:
        named = SHELF.match(block.body) or TITLE.search(block.info)
        if named:
            path = folder / named[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, "utf-8")
            shelved += [path] if SHELF.match(block.body) else []
    return shelved


def test_data_in_blocks_is_well_formed():
    """Each block of TOML or JSON is a document of that language."""
    readers = {"toml": tomllib.loads, "json": json.loads}
    for page in list_pages():
        for block in list_blocks(page):
            if block.language in readers:
                assert readers[block.language](block.body), f"{page}\n{block.body}"


def test_no_page_has_a_program_that_no_test_executes():
    """A page that another test executes is named in it, and every language has its reader."""
    for page, test in ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text("utf-8")
        assert page in list_pages()
    languages = {
        block.language
        for page in list_pages()
        if page not in ELSEWHERE
        for block in list_blocks(page)
    }
    assert languages <= {"console", "python", "toml", "json", "csv"}
