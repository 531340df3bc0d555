"""A process killed at any moment loses at most the calls in flight."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from peerjudge.store import Archive

# Plays 40 discussions of five turns and prints every call as it is made.
RUN, ROOT = "tests.store.killed_run", Path(__file__).parents[2]

TURNS = 40 * 5
AT_A_TIME = 16


async def run(place, *, last=0):
    """Return the calls of a run until it ends, or is killed at its call number `last`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", RUN, str(place), str(last), cwd=ROOT, stdout=subprocess.PIPE
    )
    said, _ = await process.communicate()
    assert process.returncode == (-signal.SIGKILL if last else 0)
    return [tuple(line.split()) for line in said.decode().splitlines()]


async def stored(place):
    """Return every stored transcript."""
    async with Archive.open(place) as archive:
        return [transcript async for transcript in archive.transcripts()]


async def turns_in(place):
    """Return the stored turns of each discussion; assert that there are no gaps."""
    transcripts = await stored(place)
    for transcript in transcripts:
        assert [turn.index for turn in transcript.turns] == list(range(len(transcript.turns)))
    return {(each.id, str(turn.index)) for each in transcripts for turn in each.turns}


@pytest.mark.slow
async def test_a_run_killed_repeatedly_ends_like_an_undisturbed_one(tmp_path):
    """No stored call is repeated, no turn is half-written, and the results are equal."""
    choose = random.Random(20260101)
    assert len(await run(tmp_path / "whole")) == TURNS
    place = tmp_path / "killed"
    kept = set()
    for _ in range(3):
        calls = await run(place, last=choose.randrange(1, 36))
        assert kept.isdisjoint(calls)
        now = await turns_in(place)
        assert kept <= now <= kept | set(calls)
        assert len(calls) - len(now - kept) <= AT_A_TIME
        kept = now
    calls = await run(place)
    assert kept.isdisjoint(calls)
    assert len(calls) == TURNS - len(kept)
    assert await stored(place) == await stored(tmp_path / "whole")
