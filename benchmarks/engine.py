"""What the engine costs: CPU per turn, makespan and memory, beside a plain loop and other tools.

    python benchmarks/engine.py [--json] [--rounds N] [--stream N] [--scratch DIR]

* CPU: microseconds of process time per turn, 64 discussions open, a model that answers at once; two
  reviewers, six calls, the shipped protocol `leader_follower` and its pack. Everybody takes a turn
  in every round, and a ratio is the median of the rounds' ratios.
* makespan: how long it takes with a model that answers after a second, over the shortest time
  possible (calls x latency / connections), every turn durable.
* stream: how much more memory the process has ever needed at the end of a long run than after a
  tenth of it.

`plain` is asyncio and nothing else: it keeps both histories and reads verdicts by one regex. It
writes shorter prompts, keeps nothing, and survives nothing; see benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import platform
import resource
import tempfile
import time
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import median

from engine_rivals import AT_A_TIME, CALLS, Play, comparisons, model, plain, rivals

from peerjudge.data import Comparison, Request, Role, Seat, Transcript, Utterance
from peerjudge.prompts import pack_identity
from peerjudge.shelf import Shelf
from peerjudge.stage import Journal, Staging, identify, play_all
from peerjudge.store import Store

LATENCY = 1.0
ROOT = Path(__file__).resolve().parents[1]
SHELF = Shelf(project=ROOT)
PROTOCOL = SHELF.protocol("leader_follower", {})
PACK = SHELF.prompts("long_form")
PROMPTS = pack_identity(PACK)
SEATS = (
    Seat(id="reviewer_1", reviewer="ann", role=Role.LEADER),
    Seat(id="reviewer_2", reviewer="bob", role=Role.FOLLOWER),
)
ROLES = {"reviewer_1": "You are a strict physicist.", "reviewer_2": "You are a kind teacher."}

DISCUSSIONS = {"plain": 2_000, "peerjudge": 600, "peerjudge, durable": 600, "AssistantAgent": 100}
"""How many each of them plays in a round; all others play few."""
FEW = 24


class Scripted:
    """A reviewer that reads its prompt and says what comes next in the script."""

    name = "scripted"

    def __init__(self, latency: float) -> None:
        self._call = model(latency)

    async def speak(self, request: Request) -> Utterance:
        """The next reply."""
        return Utterance(text=await self._call(request.messages), simulated=True)

    async def close(self) -> None:
        """Nothing is held open."""


def planned(plan: Iterable[Comparison]) -> Iterator[Transcript]:
    """A discussion of every comparison."""
    for comparison in plan:
        head = Transcript(
            id="-",
            comparison=comparison,
            protocol=PROTOCOL.name,
            seats=SEATS,
            condition="talk",
            options=PROTOCOL.settings(),
            prompts=PACK.name,
        )
        yield replace(head, id=identify(head, prompts=PROMPTS))


async def play(
    plan: Iterable[Transcript],
    latency: float,
    at_a_time: int,
    journal: Journal | None = None,
    on_end: Callable[[Transcript], None] | None = None,
) -> None:
    """PeerJudge's engine."""
    reviewers = dict.fromkeys(ROLES, Scripted(latency))
    stagings = (
        Staging(transcript=each, protocol=PROTOCOL, reviewers=reviewers, pack=PACK, roles=ROLES)
        for each in plan
    )
    await play_all(stagings, max_connections=at_a_time, journal=journal, on_end=on_end)


@asynccontextmanager
async def scratch_store(scratch: Path | None) -> AsyncGenerator[Store]:
    """A store that is thrown away."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        async with Store.open(folder) as store:
            yield store


Measure = Callable[[Sequence[Comparison]], Awaitable[float]]
"""Plays these comparisons and returns the process time of all threads [s]."""


def engines(scratch: Path | None) -> dict[str, Measure | None]:
    """Everybody, by name; what comes before the first turn, such as a plan, is not counted."""

    async def bare(plan: Sequence[Comparison]) -> float:
        heads = _heads(plan)
        start = time.process_time()
        await play(heads, 0.0, AT_A_TIME)
        return time.process_time() - start

    async def durable(plan: Sequence[Comparison]) -> float:
        heads = _heads(plan)
        async with scratch_store(scratch) as store:
            start = time.process_time()
            await play(heads, 0.0, AT_A_TIME, store)
            return time.process_time() - start

    others = {"plain": plain, **rivals()}
    measures = {name: None if each is None else _timed(each) for name, each in others.items()}
    base = measures.pop("plain")
    return {"plain": base, "peerjudge": bare, "peerjudge, durable": durable, **measures}


def _timed(engine: Play) -> Measure:
    async def measure(plan: Sequence[Comparison]) -> float:
        start = time.process_time()
        await engine(plan, 0.0, AT_A_TIME)
        return time.process_time() - start

    return measure


@cache
def _head(comparison: Comparison) -> Transcript:
    (head,) = planned([comparison])
    return head


def _heads(plan: Iterable[Comparison]) -> list[Transcript]:
    return [_head(comparison) for comparison in plan]


def cpu_per_turn(measure: Measure, plan: Sequence[Comparison]) -> float:
    """Process time per turn [microseconds]."""

    async def measured() -> float:
        return await measure(plan)

    gc.collect()
    return asyncio.run(measured()) / (len(plan) * CALLS) * 1e6


def cpu(everybody: Mapping[str, Measure | None], rounds: int) -> dict[str, dict[str, float | str]]:
    """Per engine the median CPU per turn, its range, and the median ratio to the plain loop."""
    pool = comparisons(max(DISCUSSIONS.values()))
    present = {name: engine for name, engine in everybody.items() if engine is not None}
    spent: dict[str, list[float]] = {name: [] for name in present}
    for engine in present.values():
        cpu_per_turn(engine, pool[:FEW])
    for _ in range(rounds):
        for name, engine in present.items():
            spent[name].append(cpu_per_turn(engine, pool[: DISCUSSIONS.get(name, FEW)]))
    table: dict[str, dict[str, float | str]] = {
        name: {"note": "not installed"} for name in everybody
    }
    for name, found in spent.items():
        ratios = [ours / base for ours, base in zip(found, spent["plain"], strict=True)]
        table[name] = {
            "us_per_turn": round(median(found), 1),
            "least": round(min(found), 1),
            "most": round(max(found), 1),
            "x_plain": round(median(ratios), 2),
        }
    ratios = [
        theirs / ours
        for theirs, ours in zip(spent["RoundRobinGroupChat"], spent["peerjudge"], strict=True)
    ]
    table["RoundRobinGroupChat"]["x_peerjudge"] = round(median(ratios), 1)
    return table


async def plain_span(plan: Sequence[Comparison], at_a_time: int, scratch: Path | None) -> float:
    """How long the plain loop takes [s]."""
    start = time.perf_counter()
    await plain(plan, LATENCY, at_a_time)
    return time.perf_counter() - start


async def durable_span(plan: Sequence[Comparison], at_a_time: int, scratch: Path | None) -> float:
    """How long PeerJudge takes, from a store that is open to the last discussion kept [s]."""
    heads = _heads(plan)
    async with scratch_store(scratch) as store:
        start = time.perf_counter()
        await play(heads, LATENCY, at_a_time, store)
        return time.perf_counter() - start


def makespans(scratch: Path | None, rounds: int) -> dict[str, dict[str, float]]:
    """Median makespans at 256 and 2,000 connections, over the shortest possible."""
    found: dict[str, dict[str, float]] = {"plain": {}, "peerjudge, durable": {}}
    for discussions, at_a_time in ((512, 256), (2_000, 2_000)):
        ideal = discussions * CALLS * LATENCY / at_a_time
        plan = comparisons(discussions)
        spans: dict[str, list[float]] = {name: [] for name in found}
        for _ in range(rounds):
            for name, span in (("plain", plain_span), ("peerjudge, durable", durable_span)):
                gc.collect()
                spans[name].append(asyncio.run(span(plan, at_a_time, scratch)) / ideal)
        for name, each in spans.items():
            found[name][str(at_a_time)] = round(median(each), 3)
    return found


async def stream(discussions: int, scratch: Path | None) -> dict[str, float]:
    """Peak memory after a tenth of a durable run and at its end [MiB]."""
    ended, early = 0, 0.0

    def count(_: Transcript) -> None:
        nonlocal ended, early
        ended += 1
        if ended == discussions // 10:
            early = _peak()

    # More comparisons than are ever remembered, and none of them made before it is needed.
    plan = (comparison for number in range(discussions) for comparison in _renamed(number))
    async with scratch_store(scratch) as store:
        await play(planned(plan), 0.0, AT_A_TIME, store, count)
    return {
        "discussions": ended,
        "peak_mib_at_a_tenth": round(early, 1),
        "peak_mib_at_the_end": round(_peak(), 1),
    }


_SHAPES = comparisons(200)


def _renamed(number: int) -> Iterator[Comparison]:
    shape = _SHAPES[number % len(_SHAPES)]
    question = replace(shape.question, id=f"q{number}", text=f"{number}: {shape.question.text}")
    yield replace(shape, id=f"c{number}", question=question)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def print_table(found: Mapping[str, object], table: Mapping[str, Mapping[str, object]]) -> None:
    """What was found, for people."""
    print(f"{'CPU, us per turn':22} {'median':>9} {'least':>9} {'most':>9} {'x plain':>9}")
    for name, row in table.items():
        columns = ("us_per_turn", "least", "most", "x_plain")
        print(
            f"{name:22}", *(f"{row.get(column, ''):>9}" for column in columns), row.get("note", "")
        )
    for key, value in found.items():
        print(f"{key}: {value}")


def main() -> None:
    """Measure and print; with --json one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of the CPU measurement")
    parser.add_argument("--makespans", type=int, default=3, help="runs per makespan")
    parser.add_argument("--stream", type=int, default=5_000, help="discussions of the long run")
    parser.add_argument("--scratch", type=Path, default=None, help="where stores are made")
    options = parser.parse_args()
    # First of all, because a peak is that of everything before it.
    memory = asyncio.run(stream(options.stream, options.scratch))
    everybody = engines(options.scratch)
    table = cpu(everybody, options.rounds)
    waits = makespans(options.scratch, options.makespans)
    found = {
        "makespan_256": waits["peerjudge, durable"]["256"],
        "makespan_2000": waits["peerjudge, durable"]["2000"],
        "cpu_vs_asyncio": table["peerjudge"]["x_plain"],
        "cpu_vs_asyncio_durable": table["peerjudge, durable"]["x_plain"],
        "roundrobin_vs_cpu": table["RoundRobinGroupChat"]["x_peerjudge"],
        "stream": memory,
        "makespans": waits,
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
    }
    if options.json:
        print(json.dumps({**found, "cpu": table}))
    else:
        print_table(found, table)


if __name__ == "__main__":
    main()
