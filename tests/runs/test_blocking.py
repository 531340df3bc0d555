"""`run` and `load` without `await`."""

import asyncio

import pytest

import peerjudge as pj
from peerjudge.errors import StoreError


def test_a_run_needs_no_await(kept):
    """A script runs and loads in two lines, and gets what `run` and `load` return."""
    assert isinstance(kept, pj.RunSummary)
    assert pj.load_sync(kept.folder) == asyncio.run(pj.load(kept.folder))
    assert pj.rank(kept, bootstrap=0).document() == pj.rank(kept.folder, bootstrap=0).document()


async def test_a_run_needs_no_await_in_a_notebook(small, tmp_path):
    """Where an event loop runs already, the same call works, and its errors arrive."""
    summary = pj.run_sync(small, out=tmp_path / "study", limit=1)
    assert summary.discussions.done == len(pj.load_sync(tmp_path / "study"))
    with pytest.raises(StoreError, match="elsewhere"):
        pj.load_sync(tmp_path / "elsewhere")
