"""Calls per second of a run by number of workers, against a stub server on the loopback.

    python benchmarks/workers.py [--json] [--rounds N] [--repetitions N] [--workers 1,2,3]

The run is a real one: leader and follower discuss the comparisons of the shipped sample, four turns
after their private reviews, with store and cache, at 256 connections. The stub answers at once, from
two processes, so the processors are the only bound. Rates count from the first discussion that ends
to the last, without the start of the processes. Every round runs all numbers of workers one after
the other; the output are medians over the rounds.

* calls per second: of the whole run.
* player CPU: microseconds of processor time per call of the run's own process. Its inverse bounds
  the rate with any number of workers.
* speedup: the rate over that of one worker in the same round.

The gain needs processors: the run, its workers and the stubs share those of the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
import warnings
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from http_clients import stub_server

from peerjudge.data import Condition, Experiment, Leader, Transcript
from peerjudge.runs import Prepared, RunCounts, run
from peerjudge.shelf import Shelf

CONNECTIONS = 256
STUBS = 2


class Clock:
    """Observer that notes the end of each discussion and the processor time until then."""

    def __init__(self) -> None:
        self.ends: list[tuple[float, float, int]] = []

    def planned(self, prepared: Prepared, counts: RunCounts) -> None:
        """Do nothing."""

    def began(self, transcript: Transcript) -> None:
        """Do nothing."""

    def skipped(self, count: int) -> None:
        """Do nothing: every run is a new one."""

    def ended(self, transcript: Transcript) -> None:
        """Note the end of a discussion."""
        self.ends.append((time.perf_counter(), time.process_time(), len(transcript.turns)))

    @property
    def rate(self) -> float:
        """Return the calls per second."""
        return self._calls / (self.ends[-1][0] - self.ends[0][0])

    @property
    def cpu(self) -> float:
        """Return the microseconds of processor time of this process per call."""
        return (self.ends[-1][1] - self.ends[0][1]) / self._calls * 1e6

    @property
    def _calls(self) -> int:
        return sum(turns for _, _, turns in self.ends[1:])


def project(folder: Path, urls: list[str]) -> Shelf:
    """Write a project with two reviewers, each the model of another stub."""
    (folder / "agents").mkdir()
    for name, url in zip(("ann", "bob"), urls, strict=True):
        (folder / "agents" / f"{name}.toml").write_text(
            f'[model]\nprovider = "vllm"\nname = "{name}"\nbase_url = "{url}"\n'
            "[limits]\ntimeout = 120\n"
        )
    return Shelf(folder)


def study(repetitions: int) -> Experiment:
    """Return an experiment: Ann and Bob discuss under both leaders, repeatedly."""
    talk = Condition(
        name="talk",
        protocol="leader_follower",
        seats=("ann", "bob"),
        leader=Leader.BOTH,
        options={"turns": 4},
    )
    return Experiment(name="study", data="sample", conditions=(talk,), repetitions=repetitions)


def play(shelf: Shelf, *, workers: int, repetitions: int) -> Clock:
    """Run the study once."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        playing = run(
            study(repetitions),
            out=Path(folder),
            shelf=shelf,
            max_connections=CONNECTIONS,
            workers=workers,
            observer=clock,
            environ={},
        )
        summary = asyncio.run(playing)
    assert summary.discussions.failed == 0
    return clock


def compare(
    shelf: Shelf, *, rounds: int, repetitions: int, numbers: list[int]
) -> dict[str, object]:
    """Return the medians over the rounds by number of workers."""
    clocks: dict[int, list[Clock]] = {number: [] for number in numbers}
    for _ in range(rounds):
        for number in numbers:
            clocks[number].append(play(shelf, workers=number, repetitions=repetitions))
    base = clocks[numbers[0]]
    return {
        "speedup": {
            number: round(median(a.rate / b.rate for a, b in zip(each, base, strict=True)), 2)
            for number, each in clocks.items()
        },
        "calls_per_second": {
            number: round(median(clock.rate for clock in each)) for number, each in clocks.items()
        },
        "player_cpu_us": {
            number: round(median(clock.cpu for clock in each)) for number, each in clocks.items()
        },
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "rounds": rounds,
    }


def main() -> None:
    """Print the table, or with --json one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repetitions", type=int, default=8)
    parser.add_argument("--workers", default="1,2,3", help="numbers of workers, the base first")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", category=UserWarning)
    with ExitStack() as stack:
        urls = [stack.enter_context(stub_server()) for _ in range(STUBS)]
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        found = compare(
            project(folder, urls),
            rounds=options.rounds,
            repetitions=options.repetitions,
            numbers=[int(number) for number in options.workers.split(",")],
        )
    if options.json:
        print(json.dumps(found))
        return
    print(f"{'workers':20}", *(f"{number:>8}" for number in found["speedup"]))
    for name in ("speedup", "calls_per_second", "player_cpu_us"):
        print(f"{name:20}", *(f"{value:8}" for value in found[name].values()))
    print(f"on {found['cpus']} processors, with a load of {found['load']} at the end")


if __name__ == "__main__":
    main()
