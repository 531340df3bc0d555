"""Running an experiment, stopping it, and resuming it."""

import asyncio
import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from peerjudge.data import Condition, StopReason, replace, to_json
from peerjudge.errors import ExperimentError, StoreError
from peerjudge.runs import hide_password, load, open_run, read_ballots, run
from peerjudge.shelf import Shelf

from .observers import Killer


async def test_a_complete_run_is_not_repeated(small, tmp_path):
    """The same run again skips all discussions and makes no call."""
    first = await run(small, out=tmp_path, limit=2)
    again = await run(small, out=tmp_path, limit=2)
    assert (first.discussions.done, first.discussions.skipped) == (12, 0)
    assert (again.discussions.done, again.discussions.skipped) == (0, 12)
    assert again.calls.simulated == again.tokens == 0


async def test_a_larger_limit_extends_a_run(small, tmp_path):
    """A run of more comparisons runs only the new ones."""
    await run(small, out=tmp_path, limit=2)
    more = await run(small, out=tmp_path, limit=3)
    assert (more.discussions.done, more.discussions.skipped) == (6, 12)
    assert len(await load(tmp_path)) == 18


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(stop_after=st.integers(1, 11), connections=st.integers(1, 7))
async def test_a_resumed_run_equals_an_uninterrupted_one(
    small, kept, tmp_path_factory, stop_after, connections
):
    """Resuming after a cancellation gives the same transcripts at any concurrency."""
    broken = tmp_path_factory.mktemp("broken")
    killer = Killer(stop_after)
    playing = asyncio.ensure_future(
        run(small, out=broken, limit=2, max_connections=connections, observer=killer)
    )
    await asyncio.wait([playing])
    resumed = await run(small, out=broken, limit=2, max_connections=connections)
    assert resumed.discussions.skipped >= stop_after - 1
    assert [to_json(one) for one in await load(broken)] == [
        to_json(one) for one in await load(kept.folder)
    ]


async def test_the_manifest_documents_the_run(small, tmp_path):
    """The manifest has experiment, seed, versions and the digest of each file."""
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


async def test_parallel_runs_are_independent(small, tmp_path):
    """Several runs in one event loop, as in a notebook, write separate stores."""
    places = [tmp_path / name for name in ("one", "two", "three")]
    await asyncio.gather(*(run(small, out=place, limit=1) for place in places))
    one, two, three = [[to_json(each) for each in await load(place)] for place in places]
    assert len(one) == 6
    assert one == two == three


async def test_a_store_may_hold_several_runs(small, tmp_path):
    """A database with several experiments returns the discussions of each."""
    url = f"sqlite:///{tmp_path / 'all.db'}"
    one = await run(small, store=url, limit=1)
    other = await run(replace(small, name="other", seed=3), store=url, limit=1)
    assert len(await load(f"{url}#{one.run[:8]}")) == 6
    async with open_run(f"{url}#{other.run}") as opened:
        assert opened.manifest["experiment"]["name"] == "other"


async def test_a_run_has_one_place(small, tmp_path):
    """A folder together with a store is refused."""
    with pytest.raises(ExperimentError, match="not into both"):
        await run(small, out=tmp_path, store="sqlite:///x.db")


def test_the_password_of_a_store_is_not_shown():
    """The displayed URL of a database server has no password."""
    assert hide_password("postgresql://joe:hunter2@db/runs") == "postgresql://joe:***@db/runs"
    assert hide_password("runs/one") == "runs/one"
    shown = hide_password("postgresql://db/runs?user=u&password=hunter2&sslpassword=hunter2")
    assert shown == "postgresql://db/runs?password=***&sslpassword=***&user=u"


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("postgresql://127.0.0.1:1/db?user=u&password=hunter2", "127.0.0.1"),
        ("postgresql://u:hunter2@127.0.0.1:1/db?sslpassword=hunter2", "argument 'sslpassword'"),
        ("postgresql://u:hunter2@127.0.0.1:x/db", "a port that is no number"),
    ],
)
async def test_an_unreachable_store_is_an_error_without_its_password(url: str, problem: str):
    """What the driver says is a sentence, in which no password stands."""
    with pytest.raises(StoreError, match=problem) as caught:
        await load(url)
    assert "hunter2" not in str(caught.value)


def test_private_and_final_stances_of_a_run_are_ballots(kept):
    """A run has one stance per seat and discussion, like the reviews of a dataset."""
    ballots = read_ballots(kept.folder).of_stance("final")
    assert Counter(ballots.reviewers[code] for code in ballots.reviewer.tolist()) == {
        "sim_strong": 8,
        "sim_weak": 8,
        "sim_plain": 4,
    }


FLAKY = '''
"""Fails until a file called `mended` exists."""

from pathlib import Path


async def judge(request):
    if not Path(__file__).with_name("mended").exists():
        raise ConnectionError("no answer")
    return "1"


def reviewer():
    return judge
'''


async def test_only_failures_are_repeated(small, tmp_path):
    """Failed discussions have a cause; after the fix only those are repeated."""
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


async def test_runs_in_one_database_share_common_discussions(small, tmp_path):
    """An overlapping experiment plays only what is new; another seed plays all; each run is complete."""
    place = f"sqlite:///{tmp_path}/all.db"
    first = await run(small, store=place, limit=2)
    total = first.discussions.done
    (talk, *_) = small.conditions
    renamed = replace(
        small,
        conditions=(replace(talk, name="again"), replace(talk, name="new", options={"turns": 4})),
    )
    second = await run(renamed, store=place, limit=2)
    assert second.discussions.skipped > 0
    assert second.discussions.done > 0
    other = await run(small, store=place, limit=2, seed=9)
    assert (other.discussions.done, other.discussions.skipped) == (total, 0)
    for summary in (first, second, other):
        played = await load(f"{place}#{summary.run[:8]}")
        assert len(played) == summary.discussions.done + summary.discussions.skipped
        assert {one.stop for one in played} == {StopReason.COMPLETE}
