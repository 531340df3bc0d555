"""Time and memory to load the turns of a run as a frame, to aggregate them, and to score the run.

    python benchmarks/frames.py [--turns N] [--json]

A store of 1,000,000 turns (two reviewers, two private reviews and four turns, replies of 600
characters, in all 64 patterns of choices) is written to a temporary folder.

* naive_vs_frame: time to read discussions as objects and put them into a pandas frame row by row,
  relative to `turns_df`, on a store of 60,000 turns in alternating rounds; medians.
* load_s, events_s, aggregate_s: in a separate process, seconds for `turns_df`, for `events_df`, and
  for accuracy and share of the first position by reviewer, role and task.
* memory_vs_texts: growth of that process relative to the bytes of the texts, which it does not load.
* objects_vs_score: time to read the small store as objects and to score these, relative to `score` of
  its folder; medians.
* score_s, score_vs_texts: `score` of the large store in a process of its own, and the growth of that.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from statistics import median

import peerjudge as pj
from peerjudge.data import Role, Seat, Transcript, content_hash, replace
from peerjudge.engine import comparison_key
from peerjudge.store import Store
from peerjudge.store.rows import comparison_row, head_row, turn_row
from peerjudge.testing import comparison_of, transcript_of

TURNS, FEW, ROUNDS, CHARACTERS = 1_000_000, 60_000, 3, 600
# Both reviews, then four turns, in all the ways in which they can choose between two answers.
MOVES = tuple(f"{a}|{b} {c} {d} {e} {f}" for a, b, c, d, e, f in product("12", repeat=6))
PER_DISCUSSION = 6
QUESTIONS = 800


def discussions(turns: int) -> Iterator[Transcript]:
    """Yield discussions with this number of turns in total, each with its own id."""
    seats = (
        Seat(id="seat-1", reviewer="ann", role=Role.LEADER),
        Seat(id="seat-2", reviewer="bob", role=Role.FOLLOWER),
    )
    said = "It scatters short wavelengths more than long ones. " * (CHARACTERS // 51 + 1)
    told: list[Transcript] = []
    for k in range(QUESTIONS):
        comparison = comparison_of(2, gold=1 + k % 2, name=f"c{k:03}")
        one = transcript_of(MOVES[k % len(MOVES)], comparison=comparison, seats=seats)
        spoken = (
            replace(turn, utterance=replace(turn.utterance, text=said[:CHARACTERS], simulated=True))
            for turn in one.turns
        )
        told.append(replace(one, condition="talk", turns=tuple(spoken)))
    for k in range(turns // PER_DISCUSSION):
        yield replace(told[k % QUESTIONS], id=content_hash(k), repetition=k // QUESTIONS)


def write_store(folder: Path, turns: int) -> int:
    """Write a run folder with this number of turns; return the bytes of its texts."""

    async def make() -> None:
        async with Store.open(folder) as store:
            await store.record_run("run", {})

    asyncio.run(make())
    (folder / "manifest.json").write_text(json.dumps({"run": "run"}), "utf-8")
    bodies: dict[str, list[str]] = {}
    heads: list[tuple[object, ...]] = []
    rows: list[tuple[object, ...]] = []
    with closing(sqlite3.connect(folder / "store.db")) as database:
        database.execute("PRAGMA synchronous=OFF")
        for number, one in enumerate(discussions(turns)):
            name = one.comparison.id
            if name not in bodies:
                # What differs from discussion to discussion is the id only.
                bodies[name] = [str(turn_row("", turn)["body"]) for turn in one.turns]
                row = comparison_row(one.comparison, key=comparison_key(one.comparison))
                database.execute("INSERT INTO comparisons VALUES (:key, :body)", row)
            head = head_row(one, comparison=comparison_key(one.comparison))
            heads.append((number, *head.values()))
            rows += [(number, index, body) for index, body in enumerate(bodies[name])]
            if len(rows) > 50_000:
                _insert(database, heads, rows)
        _insert(database, heads, rows)
    return turns * CHARACTERS


def _insert(
    database: sqlite3.Connection, heads: list[tuple[object, ...]], rows: list[tuple[object, ...]]
) -> None:
    database.executemany("INSERT INTO discussions VALUES (?, ?, ?, ?, ?, ?, ?, ?)", heads)
    members = [("run", head[2], head[3], head[1]) for head in heads]
    database.executemany("INSERT INTO members VALUES (?, ?, ?, ?)", members)
    database.executemany("INSERT INTO turns VALUES (?, ?, ?)", rows)
    database.commit()
    heads.clear()
    rows.clear()


def naive(folder: Path) -> int:
    """Return a frame built from discussions as objects and turns as dicts."""
    import pandas as pd

    rows: list[dict[str, object]] = []
    for one in asyncio.run(pj.load(folder)):
        for turn in one.turns:
            verdict = turn.review.verdict
            rows.append(
                {
                    "discussion": one.id,
                    "reviewer": one.seat(turn.cue.seat).reviewer,
                    "role": one.seat(turn.cue.seat).role,
                    "turn": turn.index,
                    "task": turn.cue.task,
                    "choice": None if verdict is None else verdict.choice,
                    "correct": verdict == one.comparison.gold,
                }
            )
    return len(pd.DataFrame(rows))


def measured(folder: Path) -> dict[str, float]:
    """Measure loading and aggregating in this process, and its growth."""
    import pandas as pd

    del pd
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    turns = pj.turns_df(folder)
    loaded = time.perf_counter()
    groups = turns.groupby(["reviewer", "role", "task"], observed=True)
    groups[["correct", "chose_first"]].mean()
    summed = time.perf_counter()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - grown
    rows = len(turns)
    del turns, groups
    begun = time.perf_counter()
    events = len(pj.events_df(folder))
    return {
        "rows": rows,
        "events": events,
        "load_s": loaded - start,
        "aggregate_s": summed - loaded,
        "events_s": time.perf_counter() - begun,
        "grown_bytes": grown * 1024,
    }


def measured_score(folder: Path) -> dict[str, float]:
    """Measure scoring in this process, and its growth."""
    import scipy.stats

    del scipy
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    pj.score(folder)
    spent = time.perf_counter() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - grown
    return {"score_s": spent, "score_grown_bytes": grown * 1024}


MEASURES = {"frames": measured, "score": measured_score}


def score_objects(folder: Path) -> int:
    """Read all discussions as objects, and score these."""
    told = list(asyncio.run(pj.load(folder)))
    pj.score(told)
    return sum(len(one.turns) for one in told)


def score_folder(folder: Path) -> int:
    """Score the run in this folder; return the number of turns that it is known to have."""
    pj.score(folder)
    return FEW


WAYS: dict[str, Callable[[Path], int]] = {
    "naive": naive,
    "frame": lambda path: len(pj.turns_df(path)),
    "objects": score_objects,
    "score": score_folder,
}


def against_naive() -> dict[str, float]:
    """Measure both ways to a frame, and to the scores, of the same turns, in turn."""
    times: dict[str, list[float]] = {name: [] for name in WAYS}
    with tempfile.TemporaryDirectory() as place:
        write_store(Path(place), FEW)
        for _ in range(ROUNDS):
            for name, way in WAYS.items():
                start = time.perf_counter()
                rows = way(Path(place))
                times[name].append(time.perf_counter() - start)
                assert rows == FEW

    def compare(slow: str, quick: str) -> float:
        return median(a / b for a, b in zip(times[slow], times[quick], strict=True))

    return {
        "naive_vs_frame": compare("naive", "frame"),
        "objects_vs_score": compare("objects", "score"),
        **{f"few_{name}_s": median(spent) for name, spent in times.items()},
    }


def measure(turns: int) -> dict[str, float]:
    """Return all measurements."""
    found = against_naive()
    with tempfile.TemporaryDirectory() as place:
        texts = write_store(Path(place), turns)
        for name in MEASURES:
            words = [sys.executable, __file__, "--measure", name, "--store", place]
            done = subprocess.run(words, capture_output=True, text=True, check=True)  # noqa: S603  our own file
            found |= json.loads(done.stdout)
    found["memory_vs_texts"] = found["grown_bytes"] / texts
    found["score_vs_texts"] = found["score_grown_bytes"] / texts
    return found


def main() -> None:
    """Print the measurements as a table or as one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--turns", type=int, default=TURNS, help="how many turns the store has")
    parser.add_argument("--measure", choices=MEASURES, help=argparse.SUPPRESS)
    parser.add_argument("--store", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    found = MEASURES[given.measure](given.store) if given.measure else measure(given.turns)
    if given.json or given.measure:
        print(json.dumps(found))
    else:
        print("\n".join(f"{name:16} {value:.4g}" for name, value in found.items()))


if __name__ == "__main__":
    main()
