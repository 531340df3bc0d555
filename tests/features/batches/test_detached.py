"""Runs that leave their batches at the provider and go on when the same command runs again."""

from __future__ import annotations

import json

import pytest

from peerjudge.errors import ExperimentError
from peerjudge.runs import run
from tests.features.batches.batch_kit import COST, RUN, TURNS, WAVES, prepare
from tests.features.batches.test_anthropic_batches import MessageBatchServer
from tests.features.batches.test_batches import BatchServer


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_a_detached_run_advances_one_batch_at_a_time(
    kit, start, tmp_path, monkeypatch, provider
):
    """Each run collects what has ended and sends what is ready; no request is sent or billed twice."""
    server = start(BatchServer(looks=2) if provider == "openai" else MessageBatchServer(looks=2))
    prepare(kit, tmp_path, server, provider=provider)
    monkeypatch.chdir(tmp_path)
    stops, paid = [], 0.0
    while not stops or stops[-1] is not None:
        summary = await run("study", out="out", limit=1, batch=True, detach=True)
        stops.append(summary.stopped)
        paid += summary.cost_usd
        assert summary.discussions.failed == 0
        # Each run but the last leaves a wave under way: at first both seats review, a batch each.
        assert len(server.batches) == min(len(stops) + 1, TURNS)
    assert stops == ["waiting for batches"] * WAVES + [None]
    assert len(server.billed) == 2 * TURNS
    assert set(server.billed.values()) == {1}
    assert paid == pytest.approx(COST / 4)


async def test_a_run_whose_batches_have_ended_does_not_detach(kit, start, tmp_path, monkeypatch):
    """Where the provider answers at the first look, there is nothing to wait for."""
    server = start(BatchServer())
    prepare(kit, tmp_path, server)
    monkeypatch.chdir(tmp_path)
    summary = await run("study", out="out", limit=1, batch=True, detach=True)
    assert (summary.stopped, summary.discussions.done) == (None, 2)
    with pytest.raises(ExperimentError, match="add --batch"):
        await run("study", out="new", limit=1, detach=True)
    with pytest.raises(ExperimentError, match="--wait does not"):
        await run("study", out="new", limit=1, batch=True, detach=True, wait=True)


def test_the_command_exits_with_3_and_says_what_to_do(kit, start, tmp_path, commands):
    """The exit code is the one of runs that wait; the summary names the reason."""
    server = start(BatchServer(looks=1000))
    prepare(kit, tmp_path, server)
    commands.start(tmp_path, *RUN, "--detach")
    assert commands.code() == 3
    assert json.loads((tmp_path / "stdout").read_text())["stopped"] == "waiting for batches"
    assert "run the same command later" in (tmp_path / "stderr").read_text()
