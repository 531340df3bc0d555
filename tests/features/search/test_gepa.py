"""GEPA plays, asks and resumes like every other method."""

from __future__ import annotations

import pytest

from tests.features.search.conftest import write_project

pytest.importorskip("gepa", reason="the extra peerjudge[gepa] is not installed")

SEARCH = ("optimize", "rules", "--out", "found", "--display", "none", "--method", "gepa")
SEARCH += ("--proposer", "proposer", "--steps", "4", "--json")


@pytest.mark.slow
def test_gepa_resumes_and_repeats_for_nothing(commands, tmp_path):
    """Killed, interrupted or repeated, a search by GEPA makes the same proposals from kept replies."""
    whole, stopped = (write_project(tmp_path / name) for name in ("whole", "stopped"))
    found = commands.run(whole.folder, *SEARCH)
    assert found.code == 0, found.err
    made = [one for one in found.document["candidates"] if one["origin"] == "gepa"]
    assert any(one["valid"] and one["n"] for one in made)
    assert all(one["parent"] for one in made)
    for name, share, code in (("SIGKILL", 0.3, -9), ("SIGINT", 0.7, 130)):
        (stopped.folder / name).write_text(str(int(share * whole.calls)))
        assert commands.run(stopped.folder, *SEARCH).code == code
    assert commands.run(stopped.folder, *SEARCH).code == 0
    search = "found/search.json"
    assert (stopped.folder / search).read_bytes() == (whole.folder / search).read_bytes()
    calls = whole.calls
    assert commands.run(whole.folder, *SEARCH).code == 0
    assert whole.calls == calls
