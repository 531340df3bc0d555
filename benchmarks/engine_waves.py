"""Time of one discussion over its critical path, and CPU per turn beside another checkout.

    python benchmarks/engine_waves.py     # CPU per turn of this Python's PeerJudge, as JSON

`engine.py` imports the rest.
"""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

from engine_ours import PACK, SHELF, head, play, scratch_store
from study import CALLS, pairs

from peerjudge.data import Answer, Comparison, Question, Request, Scalar, Transcript, Utterance
from peerjudge.engine import Reviewer, discuss
from peerjudge.protocol.scripted import seats_of

LATENCY = 0.5
"""Time of a call. [s]"""

SETTINGS: Mapping[str, tuple[str, int, dict[str, Scalar], int]] = {
    # Name: protocol, seats, options, and the waves that its hearing takes.
    "vote of 8": ("vote", 8, {}, 1),
    "vote of 4, criteria and PRePair": (
        "vote",
        4,
        {"opening": "prepair", "self_metrics": True},
        3,
    ),
    "prepair": ("prepair", 1, {}, 2),
    "pointwise": ("pointwise", 1, {}, 1),
    "leader_follower": ("leader_follower", 2, {}, 5),
    "panel of 3": ("panel", 3, {}, 7),
}
_DISCUSSIONS = 400


class Steady:
    """Reviewer whose every call takes the same time; its verdict is read by the first rule."""

    name = "steady"

    def __init__(self, latency: float = 0.0) -> None:
        self._latency = latency

    async def speak(self, request: Request) -> Utterance:
        """Return the same reply."""
        await asyncio.sleep(self._latency)
        return Utterance(text="Both were read with care.\n\nChoice: Answer (a)", simulated=True)

    async def close(self) -> None:
        """Do nothing."""


def measure_paths(rounds: int) -> dict[str, dict[str, float]]:
    """Return the median time of one discussion of each setting [s], its calls, and its time over its path."""
    found: dict[str, dict[str, float]] = {}
    for setting, (protocol, seats, options, waves) in SETTINGS.items():
        spans: list[float] = []
        calls = 0
        for number in range(rounds):
            span, calls = asyncio.run(_play_one(protocol, seats, options, number))
            spans.append(span)
        found[setting] = {
            "calls": calls,
            "waves": waves,
            "seconds": round(median(spans), 3),
            "over_path": round(median(spans) / (waves * LATENCY), 3),
        }
    return found


async def _play_one(
    name: str, seats: int, options: Mapping[str, Scalar], number: int
) -> tuple[float, int]:
    protocol, seated, reviewer = SHELF.protocol(name, options), seats_of(seats), Steady(LATENCY)
    answers = tuple(Answer(id=each, text=f"Because of {each}.") for each in "ab")
    question = Question(id=f"q{number}", text="Why is the sky blue?")
    opened = Transcript(
        id=f"d{number}",
        comparison=Comparison(id=f"c{number}", question=question, answers=answers),
        protocol=name,
        seats=seated,
    )
    reviewers = dict.fromkeys((seat.id for seat in seated), reviewer)
    start = time.perf_counter()
    ended = await discuss(opened, protocol=protocol, reviewers=reviewers, pack=PACK, roles={})
    return time.perf_counter() - start, len(ended.turns)


def measure_cpu() -> dict[str, float]:
    """Return the CPU per turn of this PeerJudge in microseconds: plain, durable, and with bounded calls."""
    plan = pairs(_DISCUSSIONS)

    async def plain(reviewer: Reviewer) -> float:
        heads = [head(pair) for pair in plan]
        start = time.process_time()
        await play(heads, reviewer)
        return time.process_time() - start

    async def durable() -> float:
        heads = [head(pair) for pair in plan]
        async with scratch_store(None) as store:
            start = time.process_time()
            await play(heads, Steady(), journal=store)
            return time.process_time() - start

    def per_turn(measure: Callable[[], float]) -> float:
        gc.collect()
        return measure() / (len(plan) * CALLS) * 1e6

    reviewers: dict[str, Reviewer] = {"plain": Steady()}
    try:
        from peerjudge.engine import Connections
    except ImportError:  # An earlier version.
        reviewers["bounded"] = Steady()
    else:
        reviewers["bounded"] = Connections(10_000).bind(Steady())
    asyncio.run(plain(Steady()))
    found = {
        name: per_turn(lambda each=each: asyncio.run(plain(each)))
        for name, each in reviewers.items()
    }
    return found | {"durable": per_turn(lambda: asyncio.run(durable()))}


def compare_cpu(python: str, rounds: int) -> dict[str, dict[str, float]]:
    """Return the CPU per turn here and with another Python [us], and the median ratio of the rounds."""
    spent: dict[str, list[tuple[float, float]]] = {}
    for _ in range(rounds):
        here, there = _measure_apart(sys.executable), _measure_apart(python)
        for name, value in here.items():
            spent.setdefault(name, []).append((value, there[name]))
    return {
        name: {
            "here": round(median(here for here, _ in each), 1),
            "there": round(median(there for _, there in each), 1),
            "ratio": round(median(here / there for here, there in each), 3),
        }
        for name, each in spent.items()
    }


def _measure_apart(python: str) -> dict[str, float]:
    file = Path(__file__).resolve()
    # Outside of any project, so that each version finds its own protocols.
    told = subprocess.run(  # noqa: S603  this file
        [python, str(file)], check=True, capture_output=True, text=True, cwd=file.anchor
    ).stdout
    return json.loads(told)


if __name__ == "__main__":
    print(json.dumps(measure_cpu()))
