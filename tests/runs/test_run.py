"""Playing an experiment, stopping it, and going on with it."""

import asyncio
import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peerjudge.data import Condition, StopReason, replace, to_json
from peerjudge.errors import ExperimentError
from peerjudge.runs import hide_password, load, open_run, read_source, run
from peerjudge.shelf import Shelf


class Watch:
    """Counts what it is told, and pulls the plug after so many discussions."""

    def __init__(self, stop_after=None):
        self.ended_ids, self.skips, self.stop_after = [], 0, stop_after

    def planned(self, prepared):
        self.total = len(prepared.plan)

    def ended(self, transcript):
        self.ended_ids.append(transcript.id)
        if len(self.ended_ids) == self.stop_after:
            asyncio.current_task().cancel()

    def began(self, transcript):
        """Nothing."""

    def skipped(self, count):
        self.skips += count


async def test_a_finished_run_is_not_played_again(small, tmp_path):
    """The same run again finds everything done and makes no call."""
    first = await run(small, out=tmp_path, limit=2)
    again = await run(small, out=tmp_path, limit=2)
    assert (first.discussions.done, first.discussions.skipped) == (12, 0)
    assert (again.discussions.done, again.discussions.skipped) == (0, 12)
    assert again.calls.simulated == again.tokens == 0


async def test_a_larger_limit_extends_a_run(small, tmp_path):
    """Playing more comparisons plays only those that are new."""
    await run(small, out=tmp_path, limit=2)
    more = await run(small, out=tmp_path, limit=3)
    assert (more.discussions.done, more.discussions.skipped) == (6, 12)
    assert len(await load(tmp_path)) == 18


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(stop_after=st.integers(1, 11), connections=st.integers(1, 7))
async def test_an_interrupted_run_ends_as_if_nothing_had_happened(
    small, tmp_path_factory, stop_after, connections
):
    """Resuming after a cancellation, at any concurrency, gives the transcripts of one go."""
    whole, broken = tmp_path_factory.mktemp("whole"), tmp_path_factory.mktemp("broken")
    await run(small, out=whole, limit=2)
    watch = Watch(stop_after)
    playing = asyncio.ensure_future(
        run(small, out=broken, limit=2, max_connections=connections, observer=watch)
    )
    await asyncio.wait([playing])
    resumed = await run(small, out=broken, limit=2, max_connections=connections)
    assert resumed.discussions.skipped >= stop_after - 1
    assert [to_json(one) for one in await load(broken)] == [
        to_json(one) for one in await load(whole)
    ]


async def test_the_manifest_says_what_was_played(small, tmp_path):
    """A result names its experiment, seeds, versions, and the digests of every file it rests on."""
    await run(small, out=tmp_path, limit=1, seed=7)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["experiment"]["seed"] == 7
    assert set(manifest["files"]) == {
        "agents/sim_plain",
        "agents/sim_strong",
        "agents/sim_weak",
        "protocols/leader_follower",
        "protocols/pairwise",
        "prompts/long_form",
    }
    assert manifest["versions"]["numpy"]


async def test_runs_at_the_same_time_keep_apart(small, tmp_path):
    """Several runs in one event loop, as in a notebook, make their stores and do not meet."""
    places = [tmp_path / name for name in ("one", "two", "three")]
    await asyncio.gather(*(run(small, out=place, limit=1) for place in places))
    one, two, three = [[to_json(each) for each in await load(place)] for place in places]
    assert len(one) == 6
    assert one == two == three


async def test_a_store_may_hold_several_runs(small, tmp_path):
    """A database that serves several experiments gives back each one's own discussions."""
    url = f"sqlite:///{tmp_path / 'all.db'}"
    one = await run(small, store=url, limit=1)
    other = await run(replace(small, name="other", seed=3), store=url, limit=1)
    assert len(await load(f"{url}#{one.run[:8]}")) == 6
    async with open_run(f"{url}#{other.run}") as opened:
        assert opened.manifest["experiment"]["name"] == "other"


async def test_a_run_goes_to_one_place(small, tmp_path):
    """A folder and a store at once is a mistake."""
    with pytest.raises(ExperimentError, match="not into both"):
        await run(small, out=tmp_path, store="sqlite:///x.db")


def test_the_password_of_a_store_is_not_shown():
    """Wherever a run says where it is, the URL of a database server has lost its password."""
    assert hide_password("postgresql://joe:hunter2@db/runs") == "postgresql://joe:***@db/runs"
    assert hide_password("runs/one") == "runs/one"


async def test_private_and_final_stances_of_a_run_are_reviews(small, tmp_path):
    """A run is a source of reviews like a dataset: one per seat and discussion."""
    await run(small, out=tmp_path, limit=2)
    reviews = (await read_source(str(tmp_path), stance="final")).reviews
    assert Counter(one.reviewer for one in reviews) == {
        "sim_strong": 8,
        "sim_weak": 8,
        "sim_plain": 4,
    }


FLAKY = '''
"""Fails until a file called `mended` exists."""

from pathlib import Path


async def judge(request):
    if not Path(__file__).with_name("mended").exists():
        raise ConnectionError("nobody answers")
    return "1"


def reviewer():
    return judge
'''


async def test_only_failures_are_played_again(small, tmp_path):
    """A reviewer that fails for good fails its discussions with a cause; mended, only those rerun."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "flaky.py").write_text(FLAKY)
    alone = Condition(name="flaky", protocol="pairwise", seats=("flaky",))
    mixed = replace(small, conditions=(small.conditions[1], alone))
    shelf, out = Shelf(tmp_path), tmp_path / "out"
    broken = await run(mixed, out=out, limit=2, shelf=shelf)
    assert (broken.discussions.done, broken.discussions.failed) == (4, 4)
    failures = [one.failure for one in await load(out) if one.stop is StopReason.FAILED]
    assert {failure.kind for failure in failures} == {"ConnectionError"}
    (tmp_path / "agents" / "mended").touch()
    mended = await run(mixed, out=out, limit=2, shelf=shelf)
    assert (mended.discussions.done, mended.discussions.skipped) == (4, 4)
    assert all(one.stop is StopReason.COMPLETE for one in await load(out))
