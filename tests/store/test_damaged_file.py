"""A store whose file holds damaged pages, and the recipe of docs/running.md that copies the rest."""

from __future__ import annotations

import asyncio
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.store import examine_store

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = 4096
LEAF = 13
"""First byte of a page that holds rows of a table."""


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    """A complete run."""
    folder = tmp_path_factory.mktemp("played") / "run"
    pj.run_sync("quickstart", limit=2, out=folder)
    return folder


def find_recipe() -> list[str]:
    """Return the commands of the recipe."""
    text = (DOCS / "running.md").read_text("utf-8")
    block = re.search(r"^    mkdir NEW\n((?:    .+\n)+)", text, re.MULTILINE)[0]
    return [line.strip() for line in block.splitlines()]


def damage(played: Path, folder: Path) -> Path:
    """Copy a run, with garbage in place of a page of turns."""
    shutil.copytree(played, folder)
    content = bytearray((played / "store.db").read_bytes())
    starts = range(0, len(content), PAGE)
    leaves = [
        at for at in starts if content[at] == LEAF and b'"utterance"' in content[at : at + PAGE]
    ]
    at = leaves[len(leaves) // 2]
    content[at : at + PAGE] = b"\xf3" * PAGE
    (folder / "store.db").write_bytes(content)
    return folder


async def resume(folder: Path, played: Path) -> int:
    """Repair and resume a run; return the calls of that, once its results are those of the whole run."""
    await examine_store(folder, repair=True)
    summary = await pj.run("quickstart", limit=2, out=folder)
    assert summary.discussions.failed == 0
    assert str(pj.score(folder)) == str(pj.score(played))
    return summary.calls.simulated


async def test_the_update_of_the_recipe_reopens_discussions_without_their_last_turns(
    played, tmp_path
):
    """The next run plays the lost turns, and nothing of the rest."""
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    (update,) = [line for line in find_recipe() if "UPDATE" in line]
    with closing(sqlite3.connect(folder / "store.db")) as store:
        longest = "SELECT discussion FROM turns GROUP BY discussion ORDER BY count(*) DESC LIMIT 1"
        cut = f'DELETE FROM turns WHERE discussion = ({longest}) AND "index" >= 4'
        lost = store.execute(cut).rowcount
        store.execute(re.search(r'"(.+)"', update)[1].replace("\\$", "$"))
        store.commit()
    assert await resume(folder, played) == lost > 0


def test_the_recipe_costs_the_rows_of_the_damaged_page_only(played, tmp_path):
    """The commands of the page copy the rest, and the same run plays what was lost."""
    shell = shutil.which("sqlite3")
    if shell is None:
        pytest.skip("needs the shell of SQLite: https://sqlite.org/download.html")
    probe = subprocess.run(
        [shell, played / "store.db", ".recover"], capture_output=True, text=True, check=False
    )
    if "CREATE TABLE" not in probe.stdout:
        pytest.skip(f"needs a shell of SQLite with .recover; {shell} is built without")
    damage(played, tmp_path / "RUN")
    for line in find_recipe():
        if not line.startswith("peerjudge"):
            subprocess.run(line, shell=True, cwd=tmp_path, check=True)
    assert 0 < asyncio.run(resume(tmp_path / "NEW", played)) < 40


def test_the_doctor_names_the_recipe(played, tmp_path, commands):
    """A file that no repair can mend ends in one sentence that says where the recipe is."""
    damage(played, tmp_path / "run")
    done = commands.run(tmp_path, "doctor", "run")
    assert (done.code, done.out) == (2, "")
    said = "restore it from a copy, or copy what can be read with `.recover` of sqlite3"
    assert said in done.err
    assert done.err.count("\n") == 1
