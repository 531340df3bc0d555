"""Forks on the pages of the viewer."""

from __future__ import annotations

import asyncio
import shlex

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'peerjudge[web]'")
import httpx

import peerjudge as pj
from peerjudge.data import Condition, Experiment
from peerjudge.features.view.app import build_app
from peerjudge.shelf import Shelf
from peerjudge.web.library import open_library
from peerjudge.web.safety import SignIn

SMALL = Experiment(
    name="small",
    data="sample",
    conditions=(
        Condition(
            name="talk",
            protocol="leader_follower",
            seats=("sim_strong", "sim_weak"),
            options={"turns": 2},
        ),
    ),
)


async def visit(sources, cache, *paths):
    """Return the pages at these paths of a viewer of several runs."""
    keys: list[str] = []
    sign_in = SignIn(keys.append)
    sign_in.renew()
    async with open_library([str(one) for one in sources], cache=cache) as library:
        transport = httpx.ASGITransport(app=build_app(library, sign_in, cookie="c", shelf=Shelf()))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            await client.get(f"/open?key={keys[-1]}")
            for run in library.runs.values():
                assert run.follower.whole.wait(20)
            return [(await client.get(path)).text for path in paths]


@pytest.fixture
def forked(tmp_path, monkeypatch):
    """Play a run and fork it with edited words."""
    monkeypatch.setenv("PEERJUDGE_CACHE_DIR", str(tmp_path / "cache"))
    run = pj.run_sync(SMALL, limit=1, out=tmp_path / "study")
    return run, pj.fork_sync(run, at=3, changes=["turn.2=<b>{text}"], draws=1)


def test_a_fork_names_its_parent_and_its_parent_its_forks(forked, tmp_path):
    """Both pages lead to each other where the viewer shows both runs; edited turns are marked."""
    run, found = forked
    fork = next(one for one in pj.load_sync(found.folder) if one.fork.change)
    ours, theirs = run.run[:12], found.summary.run[:12]
    paths = (
        f"/r/{theirs}/d/{fork.id}",
        f"/r/{ours}/d/{fork.fork.parent}",
        f"/r/{theirs}/d/{fork.id}/t/2",
        f"/r/{theirs}/d/{fork.id}/t/3",
    )
    page, parent, edited, spoken = asyncio.run(
        visit([run.folder, found.folder], tmp_path / "cache", *paths)
    )
    assert f'href="/r/{ours}/d/{fork.fork.parent}"' in page
    assert "turn.2=&lt;b&gt;{text}" in page
    assert page.count(">inherited") == 2
    assert page.count(">edited") == 1
    assert f'href="/r/{theirs}/d/{fork.id}"' in parent
    assert "Its words were edited" in edited
    assert 'class="message system"' not in edited
    assert 'class="message system"' in spoken
    assert "peerjudge fork" not in spoken


def test_a_page_shows_the_command_that_forks_there(forked, tmp_path, monkeypatch):
    """The command on the page of a turn works as it is shown."""
    run, found = forked
    parent = pj.load_sync(run.folder)[0]
    base = f"/r/{run.run[:12]}/d/{parent.id}"
    turn, whole = asyncio.run(visit([run.folder], tmp_path / "cache", f"{base}/t/2", base))
    assert f"peerjudge view {run.folder} {found.folder}" in whole
    command = next(line for line in turn.split("<pre") if "peerjudge fork" in line)
    words = shlex.split(command.partition(">")[2].partition("<")[0].replace("&#39;", "'"))
    assert words[:2] == ["peerjudge", "fork"]
    given = dict(zip(words[3::2], words[4::2], strict=True))
    again = pj.fork_sync(words[2], at=int(given["--at"]), where=given["--where"], draws=0)
    assert [one.fork.parent for one in pj.load_sync(again.folder)] == [parent.id]
