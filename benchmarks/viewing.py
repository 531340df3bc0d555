"""The viewer at 100,000 discussions: first page, filters, search, memory, and what it costs a run.

Usage: python benchmarks/viewing.py [--json] [--discussions N] [--rounds N] [--alternations N] [--scratch DIR]

The store is a played quickstart whose rows are copied under new ids until there are enough. The server
is the command `peerjudge view`; every time is that of a whole request. Rivals, in the same session:

* `store`: the same filter without the index: read the turns by columns, as the report does, and track them;
* `LIKE`: the same search without the index: SQL `LIKE` over the bodies of the turns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import cast

import httpx

PEERJUDGE = str(Path(sys.executable).parent / "peerjudge")
WARM_UP = 120.0
"""Time in which an index of this size must be whole, in units of 10,000 discussions, in seconds."""

REQUESTS = {
    "first page": "",
    "second page": "?after=100_100_2",
    "one filter": "?event=altered",
    "three filters": "?gold=wrong&move=away&reviewer=sim_weak",
    "nothing matches": "?event=shifted&gold=undecided",
    "most tokens first": "?sort=tokens",
    "search, rare word": "?q=photosynthesis",
    "search, common word": "?q=the",
    "search, no match": "?q=zzyzx",
    "search and filter": "?q=the&event=altered",
}


def play(folder: Path) -> Path:
    """Play the quickstart."""
    subprocess.run(  # noqa: S603  our own command
        [PEERJUDGE, "run", "quickstart", "--out", str(folder), "--display", "none"],
        check=True,
        capture_output=True,
    )
    return folder


def multiply(folder: Path, discussions: int) -> None:
    """Copy the discussions of a store under new ids until there are this many."""
    with closing(sqlite3.connect(folder / "store.db")) as db:
        db.execute("PRAGMA synchronous=OFF")
        (size,) = db.execute("SELECT max(number) FROM discussions").fetchone()
        for copy in range(1, -(-discussions // size)):
            mark, offset = f"{copy:08x}", copy * size
            db.execute(
                'INSERT INTO discussions SELECT number + ?, ? || substr(id, 9), "condition", '
                "comparison_id, comparison, protocol, stop, head FROM discussions WHERE number <= ?",
                (offset, mark, size),
            )
            db.execute(
                'INSERT INTO turns SELECT discussion + ?, "index", body FROM turns WHERE discussion <= ?',
                (offset, size),
            )
            db.execute(
                'INSERT INTO members SELECT m.run, m."condition", m.comparison_id, ? || substr(d.id, 9) '
                "FROM members m JOIN discussions d ON d.id = m.discussion WHERE d.number <= ?",
                (mark, size),
            )
        db.commit()


@contextmanager
def viewing(folder: Path, cache: Path) -> Generator[tuple[httpx.Client, int, str, float]]:
    """Start the viewer; yield a signed-in client, its process, the run's address and the start time."""
    viewer = subprocess.Popen(  # noqa: S603  our own command
        [PEERJUDGE, "view", str(folder), "--port", "0"],
        env={**os.environ, "PEERJUDGE_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert viewer.stdout is not None
        link = viewer.stdout.readline().strip()
        with httpx.Client(base_url=link.partition("/open")[0], timeout=600) as client:
            client.get(link)
            started = time.perf_counter()
            run = client.get("/").headers["location"]
            yield client, viewer.pid, run, started
    finally:
        viewer.send_signal(signal.SIGINT)
        viewer.wait(timeout=60)


def memory(pid: int) -> float:
    """Return the highest resident memory of a process so far, in MiB."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text("ascii"))
    return int(found[1]) / 1024 if found else float("nan")


def timed(action: Callable[[], object]) -> float:
    """Return the time of an action, in seconds."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def wait_for_index(client: httpx.Client, run: str, limit: float) -> float:
    """Return the time until the index is whole, in seconds."""
    start = time.perf_counter()
    while time.perf_counter() - start < limit:
        if "Indexing" not in client.get(f"{run}/live").text:
            return time.perf_counter() - start
        time.sleep(0.5)
    return float("nan")


def filter_store(folder: Path) -> int:
    """Return the number of discussions with an altered opinion, read without the index."""
    from peerjudge.data import EventKind
    from peerjudge.runs import open_run
    from peerjudge.store import Columns
    from peerjudge.tracker import opinion_events

    async def count() -> int:
        async with open_run(folder) as opened, Columns.open(folder) as store:
            heads, _ = await store.heads(opened.id)
            found = 0
            async for one in store.transcripts_without_texts(heads):
                found += any(event.kind is EventKind.ALTERED for event in opinion_events(one))
            return found

    return asyncio.run(count())


def search_store(folder: Path, word: str) -> int:
    """Return the number of discussions with a word in a turn, by SQL `LIKE` over the store."""
    with closing(sqlite3.connect(folder / "store.db")) as db:
        query = "SELECT count(DISTINCT discussion) FROM turns WHERE body LIKE ?"
        return db.execute(query, (f"%{word}%",)).fetchone()[0]


def measure_run(scratch: Path, *, watched: bool, number: int) -> float:
    """Return the processor time of one quickstart, with or without an open page, in seconds."""
    folder = scratch / f"run-{number}-{watched}"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(  # noqa: S603  our own command
        [PEERJUDGE, "run", "quickstart", "--out", str(folder), "--display", "none"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if not watched:
        process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    while not (folder / "manifest.json").exists() or not (folder / "store.db").exists():
        time.sleep(0.05)
    with viewing(folder, scratch / "cache") as (client, _, run, _):
        while process.poll() is None:
            client.get(f"{run}/live")
            client.get(f"{run}/new")
            time.sleep(1.0)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--discussions", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--alternations", type=int, default=5)
    parser.add_argument("--scratch", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.scratch) as name:
        print_results(measure(Path(name), given), as_json=given.json)


def measure(scratch: Path, given: argparse.Namespace) -> dict[str, object]:
    """Return all measurements."""
    found: dict[str, object] = {"discussions": given.discussions}
    folder = play(scratch / "study")
    multiply(folder, given.discussions)
    limit = WARM_UP * max(1, given.discussions / 10_000)
    with viewing(folder, scratch / "cache") as (client, pid, run, started):
        first = client.get(f"{run}/d")
        assert first.status_code == 200
        found["first page without index [s]"] = time.perf_counter() - started
        found["index whole after [s]"] = wait_for_index(client, run, limit)
        found["memory while indexing [MiB]"] = memory(pid)
    with viewing(folder, scratch / "cache") as (client, pid, run, started):
        client.get(f"{run}/d")
        found["first page with index [s]"] = time.perf_counter() - started
        times: dict[str, float] = {}
        for title, query in REQUESTS.items():
            # A new bound each time, so that no count of an earlier request is reused.
            mark = "&" if query else "?"
            times[title] = median(
                timed(lambda n=n, q=query, m=mark: client.get(f"{run}/d{q}{m}tokens_min={n}"))
                for n in range(1, given.rounds + 1)
            )
        found["requests [s]"] = times
        page = client.get(f"{run}/d").text
        one = re.findall(rf"{run}/d/[0-9a-f]+", page)[0]
        found["one discussion [s]"] = median(
            timed(lambda: client.get(one)) for _ in range(given.rounds)
        )
        found["live part [s]"] = median(
            timed(lambda: client.get(f"{run}/live")) for _ in range(given.rounds)
        )
        found["memory [MiB]"] = memory(pid)
    store = timed(lambda: filter_store(folder))
    like = timed(lambda: search_store(folder, "zzyzx"))
    found["filter: store over index"] = store / times["one filter"]
    found["search: LIKE over index"] = like / times["search, no match"]
    runs = [
        (
            measure_run(scratch, watched=False, number=n),
            measure_run(scratch, watched=True, number=n),
        )
        for n in range(given.alternations)
    ]
    if runs:
        found["run: CPU watched over alone"] = median(watched / alone for alone, watched in runs)
    return found


def print_results(found: dict[str, object], *, as_json: bool) -> None:
    """Print the measurements as a list or as one document."""
    if as_json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        if isinstance(value, dict):
            for title, seconds in cast("Mapping[str, float]", value).items():
                print(f"{title:32} {1000 * seconds:8.0f} ms")
        elif isinstance(value, float):
            print(f"{name:32} {value:8.3g}")
        else:
            print(f"{name:32} {value:8,}")


if __name__ == "__main__":
    main()
