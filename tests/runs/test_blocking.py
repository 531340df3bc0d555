"""`run` and `load` without `await`."""

import asyncio

import pytest

import peerjudge as pj
from peerjudge.errors import StoreError


def test_a_run_needs_no_await(small, tmp_path):
    """A script runs and loads in two lines, and gets what `run` and `load` return."""
    summary = pj.run_sync(small, out=tmp_path / "study", limit=2)
    assert isinstance(summary, pj.RunSummary)
    assert pj.load_sync(tmp_path / "study") == asyncio.run(pj.load(tmp_path / "study"))
    assert pj.rank(summary, bootstrap=0).document() == (
        pj.rank(tmp_path / "study", bootstrap=0).document()
    )


async def test_a_run_needs_no_await_in_a_notebook(small, tmp_path):
    """Where an event loop runs already, the same call works, and its errors arrive."""
    summary = pj.run_sync(small, out=tmp_path / "study", limit=2)
    assert summary.discussions.done == len(pj.load_sync(tmp_path / "study"))
    with pytest.raises(StoreError, match="elsewhere"):
        pj.load_sync(tmp_path / "elsewhere")
