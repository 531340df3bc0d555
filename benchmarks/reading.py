"""Benchmark of the verdict reader: accuracy and speed on replies of real models.

    python benchmarks/reading.py [--json] [--data PATH]

* vicuna80: reviews by reviewer compared with the labels of the authors; reviews by vicuna that start
  with a mark pair also separately.
* llmbar: recorded calls by model compared with the recorded winners. These are parser output
  themselves, so a difference is not necessarily an error of this reader.
* speed: texts per second over all of Vicuna80, compared with one regex for a digit at the end of the
  text, in alternating rounds. `ratio` is the speed of the regex over that of the reader.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

from peerjudge.data import Outcome
from peerjudge.verdicts import Reading, read_verdict

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
MARK_PAIR = re.compile(r"\s*\d+(\.\d+)? \d+(\.\d+)?\s*")
LAST_DIGIT = re.compile(r"([1-3])\W*$")
ROUNDS = 5

Row = dict[str, str]
Table = dict[str, dict[str, int]]


def read_rows(path: Path) -> list[Row]:
    """Read a gzipped JSON Lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def label(reading: Reading) -> str | None:
    """Return Vicuna80's label (1 first, 2 second, 3 tie); `None` if there is no verdict."""
    if reading.position is not None:
        return str(reading.position + 1)
    return "3" if reading.outcome is Outcome.TIE else None


def count_readings(rows: Iterable[Row]) -> dict[str, int]:
    """Count one row of the Vicuna80 table."""
    counts = Counter(
        {"texts": 0, "non_empty": 0, "right": 0, "wrong": 0, "unreadable": 0, "refused": 0}
    )
    for row in rows:
        reading = read_verdict(row["text"])
        counts["texts"] += 1
        if not row["text"].strip():
            continue
        counts["non_empty"] += 1
        read = label(reading)
        equal = "right" if read == str(row["label"]) else "wrong"
        counts[reading.outcome.value if read is None else equal] += 1
    return dict(counts)


def vicuna80_table(rows: list[Row]) -> Table:
    """Count by reviewer, and for vicuna's mark pairs."""
    table = {
        reviewer: count_readings(row for row in rows if row["reviewer"] == reviewer)
        for reviewer in sorted({row["reviewer"] for row in rows})
    }
    marked = (row for row in rows if MARK_PAIR.fullmatch(row["text"].partition("\n")[0]))
    table["vicuna, mark pairs"] = count_readings(
        row for row in marked if row["reviewer"] == "vicuna"
    )
    return table


def llmbar_table(rows: list[Row]) -> Table:
    """Per model: does the reading, in the instance's numbering, equal the recorded winner?"""
    table: dict[str, Counter[str]] = {}
    for row in rows:
        if "text" not in row:
            continue
        position = read_verdict(row["text"], ties=False).position
        if position is None:
            said = "unreadable"
        else:
            winner = position + 1 if row["order"] == "original" else 2 - position
            said = "agree" if str(winner) == row["winner"] else "differ"
        empty = Counter({"texts": 0, "agree": 0, "differ": 0, "unreadable": 0})
        table.setdefault(row["model"], empty).update(["texts", said])
    return {model: dict(table[model]) for model in sorted(table)}


def time_reading(read: Callable[[str], object], texts: list[str]) -> float:
    """Return the time to read all texts once, in seconds."""
    start = time.perf_counter()
    for text in texts:
        read(text)
    return time.perf_counter() - start


def measure_speed(texts: list[str]) -> dict[str, float]:
    """Return the median texts per second of both, and the median ratio, in alternating rounds."""
    rounds = [
        (time_reading(read_verdict, texts), time_reading(LAST_DIGIT.search, texts))
        for _ in range(ROUNDS)
    ]
    return {
        "reader": round(len(texts) / median(ours for ours, _ in rounds)),
        "last_digit_regex": round(len(texts) / median(rival for _, rival in rounds)),
        "ratio": round(median(ours / rival for ours, rival in rounds), 2),
    }


def print_table(title: str, table: Table) -> None:
    """Print a table with aligned columns."""
    columns = list(next(iter(table.values())))
    width = max(map(len, (title, *table)))
    print(f"\n{title:{width}}", *(f"{column:>11}" for column in columns))
    for name, counts in table.items():
        print(f"{name:{width}}", *(f"{counts[column]:>11}" for column in columns))


def main() -> None:
    """Print the tables, or with --json one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the data pack")
    options = parser.parse_args()
    reviews = read_rows(options.data / "vicuna80" / "reviews.jsonl.gz")
    vicuna80 = vicuna80_table(reviews)
    llmbar = llmbar_table(read_rows(options.data / "llmbar" / "recorded.jsonl.gz"))
    speed = {name: measure_speed(texts) for name, texts in by_reviewer(reviews).items()}
    if options.json:
        print(json.dumps({"vicuna80": vicuna80, "llmbar": llmbar, "speed": speed}))
        return
    print_table("Vicuna80", vicuna80)
    print_table("LLMBar", llmbar)
    print(f"\n{'texts per second':18} {'reader':>11} {'bare regex':>11} {'ratio':>11}")
    for name, per_second in speed.items():
        print(f"{name:18}", *(f"{value:>11}" for value in per_second.values()))


def by_reviewer(rows: list[Row]) -> dict[str, list[str]]:
    """Group the texts by reviewer, and all under `all`."""
    names = sorted({row["reviewer"] for row in rows})
    texts = {name: [row["text"] for row in rows if row["reviewer"] == name] for name in names}
    return {"all": [row["text"] for row in rows], **texts}


if __name__ == "__main__":
    main()
