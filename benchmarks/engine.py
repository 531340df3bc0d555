"""Cost of the engine: CPU per turn, makespan and memory, compared with a plain loop and other tools.

    python benchmarks/engine.py [--json] [--rounds N] [--makespans N] [--stream N]
                                [--inspect-python PYTHON] [--scratch DIR] [--against PYTHON]
                                [--waves-only]

benchmarks/README.md describes the measurements.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import platform
import resource
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from engine_inspect import cpu_of_inspect, python_with_inspect
from engine_ours import Scripted, head, play, scratch_store
from engine_rivals import RIVALS, Play, fake_client, plain
from engine_waves import compare_cpu, measure_paths
from study import AT_A_TIME, CALLS, Pair, pairs

from peerjudge.data import Card, Transcript
from peerjudge.engine import Reviewer
from peerjudge.reviewers import ModelReviewer

LATENCY = 1.0

DISCUSSIONS = {
    "plain": 2_000,
    "peerjudge": 600,
    "peerjudge, durable": 600,
    "peerjudge, AutoGen client": 200,
    "AssistantAgent": 100,
}
"""Discussions per round; engines without an entry play `FEW`."""
FEW = 24

Measure = Callable[[Sequence[Pair]], Awaitable[float]]
"""Plays a discussion of each pair and returns the process time of all threads. [s]"""


def engines(scratch: Path | None) -> dict[str, Measure]:
    """Return the engines in this process, by name; setup before the first turn is not measured."""

    def ours(reviewer: Callable[[], Reviewer]) -> Measure:
        async def measure(plan: Sequence[Pair]) -> float:
            heads, speaks = [head(pair) for pair in plan], reviewer()
            start = time.process_time()
            await play(heads, speaks)
            return time.process_time() - start

        return measure

    def theirs(engine: Play) -> Measure:
        async def measure(plan: Sequence[Pair]) -> float:
            start = time.process_time()
            await engine(plan, 0.0, AT_A_TIME)
            return time.process_time() - start

        return measure

    async def durable(plan: Sequence[Pair]) -> float:
        heads = [head(pair) for pair in plan]
        async with scratch_store(scratch) as store:
            start = time.process_time()
            await play(heads, Scripted(), journal=store)
            return time.process_time() - start

    return {
        "peerjudge": ours(Scripted),
        "peerjudge, durable": durable,
        "peerjudge, AutoGen client": ours(
            lambda: ModelReviewer(Card(name="ann"), fake_client(0.0))
        ),
        **{name: theirs(engine) for name, engine in RIVALS.items()},
    }


def cpu_per_turn(measure: Measure, plan: Sequence[Pair]) -> float:
    """Return the process time per turn in microseconds."""

    async def measured() -> float:
        return await measure(plan)

    gc.collect()
    return asyncio.run(measured()) / (len(plan) * CALLS) * 1e6


def cpu(scratch: Path | None, rounds: int, inspect: str | None) -> dict[str, list[float]]:
    """Return the CPU per turn of each engine in each round; rounds alternate between engines."""
    measures = engines(scratch)
    pool = pairs(max(DISCUSSIONS.values()))
    for engine in measures.values():
        cpu_per_turn(engine, pool[:FEW])
    spent: dict[str, list[float]] = {name: [] for name in measures}
    if inspect is not None:
        spent["Inspect AI"] = []
    for _ in range(rounds):
        for name, engine in measures.items():
            spent[name].append(cpu_per_turn(engine, pool[: DISCUSSIONS.get(name, FEW)]))
        if inspect is not None:
            spent["Inspect AI"].append(cpu_of_inspect(inspect, FEW))
    return spent


def ratio(spent: Mapping[str, Sequence[float]], one: str, other: str) -> float:
    """Return the median of the ratios per round: other load on the machine affects both."""
    return round(median(map(float.__truediv__, spent[one], spent[other])), 2)


async def plain_span(plan: Sequence[Pair], at_a_time: int, _: Path | None) -> float:
    """Return the duration of the plain loop in seconds."""
    start = time.perf_counter()
    await plain(plan, LATENCY, at_a_time)
    return time.perf_counter() - start


async def durable_span(plan: Sequence[Pair], at_a_time: int, scratch: Path | None) -> float:
    """Return the duration of PeerJudge in seconds, from the open store to the last stored end."""
    heads = [head(pair) for pair in plan]
    async with scratch_store(scratch) as store:
        start = time.perf_counter()
        await play(heads, Scripted(LATENCY), at_a_time, store)
        return time.perf_counter() - start


def makespans(scratch: Path | None, rounds: int) -> dict[str, dict[str, float]]:
    """Return median makespans at 256 and 2,000 connections, relative to the shortest possible."""
    engines = {"plain": plain_span, "peerjudge, durable": durable_span}
    found: dict[str, dict[str, float]] = {name: {} for name in engines}
    for discussions, at_a_time in ((512, 256), (2_000, 2_000)):
        ideal = discussions * CALLS * LATENCY / at_a_time
        plan = pairs(discussions)
        spans: dict[str, list[float]] = {name: [] for name in engines}
        for _ in range(rounds):
            for name, span in engines.items():
                gc.collect()
                spans[name].append(asyncio.run(span(plan, at_a_time, scratch)) / ideal)
        for name, each in spans.items():
            found[name][str(at_a_time)] = round(median(each), 3)
    return found


async def stream(discussions: int, scratch: Path | None) -> dict[str, float]:
    """Return the memory after a tenth of a durable run, at its end, and its peak. [MiB]."""
    ended, early, late = 0, 0.0, 0.0
    shapes = pairs(200)

    def plan() -> Iterator[Transcript]:
        # More comparisons than any cache holds, each created when it is needed.
        for number in range(discussions):
            shape = shapes[number % len(shapes)]
            yield head(shape._replace(question=f"{number}: {shape.question}"))

    def count(_: Transcript) -> None:
        nonlocal ended, early, late
        ended += 1
        if ended == discussions // 10:
            early = _resident()
        elif ended == discussions:
            late = _resident()

    async with scratch_store(scratch) as store:
        await play(plan(), Scripted(), journal=store, on_end=count)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = {"mib_at_a_tenth": early, "mib_at_the_end": late, "mib_peak": peak}
    return {"discussions": ended, **{name: round(mib, 1) for name, mib in found.items()}}


def _resident() -> float:
    """Return the memory in use in MiB, or its peak if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * resource.getpagesize() / 2**20


def print_table(found: Mapping[str, object], table: Mapping[str, Mapping[str, float]]) -> None:
    """Print the measurements as a table."""
    print(f"{'CPU, us per turn':26} {'median':>9} {'least':>9} {'most':>9} {'x plain':>9}")
    for name, row in table.items():
        print(f"{name:26}", *(f"{value:>9}" for value in row.values()))
    for key, value in found.items():
        print(f"{key}: {value}")


def main() -> None:
    """Measure and print; with --json one JSON document."""
    parser = argparse.ArgumentParser(description="cost of the engine, compared with other tools")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of the CPU measurement")
    parser.add_argument("--makespans", type=int, default=3, help="runs per makespan")
    parser.add_argument("--stream", type=int, default=5_000, help="discussions of the long run")
    parser.add_argument("--inspect-python", help="a Python with inspect_ai")
    parser.add_argument("--scratch", type=Path, default=None, help="folder for temporary stores")
    parser.add_argument("--against", help="a Python with another version, to compare CPU with")
    parser.add_argument(
        "--waves-only", action="store_true", help="only the critical paths, and --against"
    )
    options = parser.parse_args()
    paths: dict[str, object] = {"critical_paths": measure_paths(options.makespans)}
    if options.against:
        paths["against"] = compare_cpu(options.against, options.rounds)
    if options.waves_only:
        print(json.dumps(paths, indent=None if options.json else 2))
        return
    # First, because the peak includes everything before it.
    memory = asyncio.run(stream(options.stream, options.scratch))
    inspect = python_with_inspect(options.inspect_python)
    spent = cpu(options.scratch, options.rounds, inspect)
    waits = makespans(options.scratch, options.makespans)
    found: dict[str, object] = {
        "makespan_256": waits["peerjudge, durable"]["256"],
        "makespan_2000": waits["peerjudge, durable"]["2000"],
        "cpu_vs_asyncio": ratio(spent, "peerjudge", "plain"),
        "cpu_vs_asyncio_durable": ratio(spent, "peerjudge, durable", "plain"),
        "roundrobin_vs_cpu": ratio(spent, "RoundRobinGroupChat", "peerjudge"),
        "assistantagent_vs_cpu": ratio(spent, "AssistantAgent", "peerjudge"),
    }
    if inspect is not None:
        found["inspect_vs_cpu"] = ratio(spent, "Inspect AI", "peerjudge")
    found |= {"stream": memory, "makespans": waits, **paths}
    found["machine"] = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    table = {
        name: {
            "us_per_turn": round(median(each), 1),
            "least": round(min(each), 1),
            "most": round(max(each), 1),
            "x_plain": ratio(spent, name, "plain"),
        }
        for name, each in spent.items()
    }
    if options.json:
        print(json.dumps({**found, "cpu": table}))
        return
    print_table(found, table)
    if inspect is None:
        print("Inspect AI is not measured; name a Python that has it with --inspect-python.")


if __name__ == "__main__":
    main()
