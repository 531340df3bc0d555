"""Time of a run in shards beside the same run in one process, by the command line.

Usage: python benchmarks/shards.py [--json] [--rounds N] [--questions N] [--repetitions N] [--scratch DIR]

Simulated reviewers play, so that the time is that of processors. In each round every run follows directly on
the others, and a ratio is the median of the ratios by round:

* `one_shard`: `--shard 1/1` over none, wanted at most 1.02;
* `two_shards`: none over `--shards 2`, wanted at least 1.7 on two cores that nothing else uses. It has the
  start of three processes, the merge and the report. `two_shards_playing` is the same up to the end of the
  last discussion. `--ray` adds `two_shards_ray`, with the start of a cluster on this machine.
  `cpu` are ratios of processor time, which other load affects less: each over none.

The questions are copies of the sample with other ids, as many in each of two shards.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from statistics import median

from peerjudge.data import replace
from peerjudge.datasets import load
from peerjudge.runs.shards import Shard

PEERJUDGE = str(Path(sys.executable).parent / "peerjudge")
_MODES: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "one_shard": ("--shard", "1/1"),
    "two_shards": ("--shards", "2"),
}
_ON_RAY: Mapping[str, tuple[str, ...]] = {"two_shards_ray": ("--shards", "2", "--ray", "local")}


def write_data(file: Path, questions: int) -> None:
    """Write questions with two answers, half of them in each of two shards."""
    comparisons = load("sample").comparisons
    room = {1: questions // 2, 2: questions - questions // 2}
    halves = {number: Shard(number=number, of=2, together=2) for number in room}
    with file.open("w", encoding="utf-8") as lines:
        for number in count():
            one = comparisons[number % len(comparisons)]
            name = f"q{number}"
            asked = replace(one, id=name, question=replace(one.question, id=name))
            half = next(each for each in halves if halves[each].choose((asked,)))
            if not any(room.values()):
                return
            if room[half]:
                room[half] -= 1
                row = {
                    "id": name,
                    "question_id": name,
                    "question": f"{one.question.text} ({number})",
                    "answer_a": one.answers[0].text,
                    "answer_b": one.answers[1].text,
                }
                lines.write(json.dumps(row) + "\n")


def run(data: Path, out: Path, repetitions: int, words: tuple[str, ...]) -> dict[str, float]:
    """Play the quickstart; return its time, that until the last discussion, and that of processors [s]."""
    start, before = time.perf_counter(), _read_cpu()
    line = [PEERJUDGE, "run", "quickstart", "--data", f"jsonl:{data}", "--out", str(out)]
    line += ["-S", f"repetitions={repetitions}", "--display", "plain", *words]
    with subprocess.Popen(  # noqa: S603  our own command
        line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        played = start
        for said in process.stderr:
            if " discussions" in said and " of " in said:
                played = time.perf_counter()
    if process.returncode:
        sys.exit(f"{' '.join(line)} ended with {process.returncode}")
    whole = time.perf_counter() - start
    return {"whole": whole, "playing": played - start, "cpu": _read_cpu() - before}


def _read_cpu() -> float:
    """Return the processor time of all processes that have ended below this one [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(options: argparse.Namespace, scratch: Path) -> dict[str, object]:
    """Return the times of all rounds and their ratios."""
    data = scratch / "questions.jsonl"
    write_data(data, options.questions)
    modes = {**_MODES, **(_ON_RAY if options.ray else {})}
    times: dict[str, list[dict[str, float]]] = {mode: [] for mode in modes}
    for number in range(options.rounds):
        for mode, words in modes.items():
            out = scratch / f"{mode}-{number}"
            times[mode].append(run(data, out, options.repetitions, words))

    def ratio(over: str, under: str, key: str) -> float:
        pairs = zip(times[over], times[under], strict=True)
        return round(median(one[key] / other[key] for one, other in pairs), 3)

    return {
        "questions": options.questions,
        "repetitions": options.repetitions,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "one_shard": ratio("one_shard", "none", "whole"),
        **{mode: ratio("none", mode, "whole") for mode in modes if mode.startswith("two")},
        "two_shards_playing": ratio("none", "two_shards", "playing"),
        "cpu": {mode: ratio(mode, "none", "cpu") for mode in modes if mode != "none"},
        "seconds": {
            mode: {key: [round(one[key], 2) for one in each] for key in ("whole", "playing", "cpu")}
            for mode, each in times.items()
        },
    }


def main() -> None:
    """Print the ratios, or with --json one JSON document."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--ray", action="store_true", help="also two shards on a cluster here")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each kind")
    parser.add_argument("--questions", type=int, default=200, help="questions of two answers")
    parser.add_argument("--repetitions", type=int, default=1, help="repetitions of each discussion")
    parser.add_argument(
        "--scratch", type=Path, help="folder of the runs; by default a temporary one"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        found = measure(options, Path(scratch))
    if options.json:
        print(json.dumps(found))
        return
    print(f"{options.questions} questions, {found['cores']} cores, load {found['load']}")
    print(f"one shard over none         {found['one_shard']:>7} (at most 1.02)")
    print(f"none over two shards        {found['two_shards']:>7} (at least 1.7)")
    if "two_shards_ray" in found:
        print(f"none over two on Ray        {found['two_shards_ray']:>7}")
    print(f"the same, playing alone     {found['two_shards_playing']:>7}")


if __name__ == "__main__":
    main()
