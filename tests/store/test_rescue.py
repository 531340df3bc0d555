"""Rescue of a store whose file holds damaged pages."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import peerjudge as pj
from peerjudge.errors import StoreError
from peerjudge.store import examine_store
from peerjudge.store.rescue import rescue_store

PAGE = 4096
GARBAGE = b"\xf3" * PAGE
LEAF = 13
"""First byte of a page that holds rows of a table."""


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    """A complete run of 4 comparisons, which has 800 turns."""
    folder = tmp_path_factory.mktemp("played") / "run"
    pj.run_sync("quickstart", limit=4, out=folder)
    return folder


def count_rows(folder: Path) -> dict[str, int]:
    """Count the rows of a store by table."""
    with closing(sqlite3.connect(folder / "store.db")) as store:
        names = [
            name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        return {
            name: store.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names
        }


def find_leaves(played: Path) -> list[int]:
    """Return the pages of a store that hold turns: which ones these are differs from run to run."""
    content = (played / "store.db").read_bytes()
    pages = [content[at : at + PAGE] for at in range(0, len(content), PAGE)]
    return [
        number for number, page in enumerate(pages) if page[0] == LEAF and b'"utterance"' in page
    ]


def damage(played: Path, folder: Path, *shares: float) -> Path:
    """Copy a run, with garbage in place of pages of turns at these shares of all such pages."""
    shutil.copytree(played, folder)
    leaves = find_leaves(played)
    pages = [leaves[int(share * len(leaves))] for share in shares]
    with (folder / "store.db").open("r+b") as file:
        for page in pages:
            file.seek(page * PAGE)
            file.write(GARBAGE)
    return folder


@pytest.mark.parametrize(
    "share", [0.2, *(pytest.param(share, marks=pytest.mark.slow) for share in (0.5, 0.8)), 0.99]
)
async def test_a_damaged_page_costs_its_own_rows_only(played, tmp_path, share):
    """The same run with the rescued store plays what was lost, and nothing of the rest."""
    broken = damage(played, tmp_path / "broken", share)
    found = await rescue_store(broken, tmp_path / "new")
    whole = count_rows(played)
    assert found.damaged == ("turns",)
    assert 0 < whole["turns"] - found.rows["turns"] < 0.05 * whole["turns"]
    await examine_store(tmp_path / "new", repair=True)
    summary = await pj.run("quickstart", limit=4, out=tmp_path / "new")
    counts = summary.discussions
    assert (counts.failed, counts.done + counts.skipped) == (0, whole["discussions"])
    assert summary.calls.simulated < 0.05 * whole["turns"]
    before, after = pj.score(played), pj.score(tmp_path / "new")
    assert str(before) == str(after)


async def test_rows_between_two_damaged_pages_are_found(played, tmp_path):
    """Each table is read from both ends, and from the middle of what is left."""
    broken = damage(played, tmp_path / "broken", 0.3, 0.5, 0.7)
    found = await rescue_store(broken, tmp_path / "new")
    whole = count_rows(played)
    assert found.rows["turns"] > 0.9 * whole["turns"]


async def test_a_whole_store_is_copied_whole(played, tmp_path):
    """Nothing is lost where nothing is damaged, and a second rescue does not overwrite the first."""
    found = await rescue_store(played, tmp_path / "new")
    assert found.damaged == ()
    assert count_rows(tmp_path / "new") == count_rows(played)
    with pytest.raises(StoreError, match="already"):
        await rescue_store(played, tmp_path / "new")
