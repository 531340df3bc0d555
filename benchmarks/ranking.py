"""What peer ranking costs, as ratios of one interleaved run on one machine.

    python benchmarks/ranking.py [--json]

* peer_rank_vs_bincount: peer rank of 1,000,000 reviews of 50 contestants by 50 reviewers, against
  one bare integer bincount of the same rows (their cell computed in one expression).
* loops_vs_peer_rank: Algorithm 2 in plain Python loops, as many passes, against peer rank.
* naive_vs_bootstrap: 1000 resamples, each drawing battles by question and ranking them again
  (extrapolated from a few), against the bootstrap.
* bytes_vs_input: the memory that peer rank allocates at its peak, against the columns it reads.
"""

from __future__ import annotations

import argparse
import json
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from statistics import median

import numpy as np

from peerjudge.data import Scheme, Scoring, Tournament
from peerjudge.ranking import bootstrap, peer_rank

REVIEWS, PEERS, QUESTIONS = 1_000_000, 50, 80
ROUNDS, NAIVE_ROUNDS, SAMPLES = 9, 5, 1000
COLUMNS = ("question", "reviewer", "first", "second", "score", "readable")


def random_tournament(seed: int = 0) -> Tournament:
    """Peers of different strength judge one another on random questions."""
    random = np.random.default_rng(seed)
    names = tuple(f"peer-{k:02}" for k in range(PEERS))
    strength = random.normal(size=PEERS)
    first = random.integers(0, PEERS, REVIEWS, dtype=np.int32)
    second = (first + random.integers(1, PEERS, REVIEWS, dtype=np.int32)) % PEERS
    margin = strength[second] - strength[first] + random.normal(size=REVIEWS)
    return Tournament(
        questions=tuple(f"question-{k:02}" for k in range(QUESTIONS)),
        reviewers=names,
        contestants=names,
        question=random.integers(0, QUESTIONS, REVIEWS, dtype=np.int32),
        reviewer=random.integers(0, PEERS, REVIEWS, dtype=np.int32),
        first=first,
        second=second.astype(np.int32),
        score=(np.sign(margin) * (np.abs(margin) > 0.2)).astype(np.int8),
        readable=np.ones(REVIEWS, dtype=np.bool_),
    )


def one_bincount(played: Tournament) -> None:
    """The floor: how often each reviewer gave each score to each ordered pair."""
    pair = (played.reviewer * PEERS + played.first) * PEERS + played.second
    np.bincount(pair * 3 + (played.score + 1), minlength=PEERS**3 * 3)


def loops(rows: list[tuple[int, int, int, int]], passes: int) -> None:
    """Algorithm 2 as a reader would type it in."""
    weights = [1 / PEERS] * PEERS
    for _ in range(passes):
        battles, points = [0] * PEERS, [0.0] * PEERS
        for first, second, reviewer, score in rows:
            battles[first] += 1
            battles[second] += 1
            points[first] += weights[reviewer] * (1 - score) / 2
            points[second] += weights[reviewer] * (1 + score) / 2
        scores = [won / fought for won, fought in zip(points, battles, strict=True)]
        low, high = min(scores), max(scores)
        scaled = [(score - low) / (high - low) for score in scores]
        weights = [value / sum(scaled) for value in scaled]


def naive_sample(
    played: Tournament, battles: list[np.ndarray], random: np.random.Generator
) -> None:
    """One resample: draw questions, gather their battles, rank them."""
    drawn = np.concatenate([battles[k] for k in random.integers(0, QUESTIONS, QUESTIONS)])
    peer_rank(replace(played, **{name: getattr(played, name)[drawn] for name in COLUMNS}))


def seconds(action: Callable[[], object]) -> float:
    """The wall time of one call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def measure() -> dict[str, float]:
    """All ratios, and the times in seconds behind them."""
    played = random_tournament()
    passes = peer_rank(played).iterations
    names = (played.first, played.second, played.reviewer, played.score)
    rows = list(zip(*(column.tolist() for column in names), strict=True))
    random = np.random.default_rng(1)
    battles = [np.flatnonzero(played.question == k) for k in range(QUESTIONS)]
    times: dict[str, list[float]] = {"bincount": [], "peer_rank": [], "bootstrap": [], "naive": []}
    for turn in range(ROUNDS):
        times["bincount"].append(seconds(lambda: one_bincount(played)))
        times["peer_rank"].append(seconds(lambda: peer_rank(played)))
        if turn < NAIVE_ROUNDS:
            times["naive"].append(seconds(lambda: naive_sample(played, battles, random)) * SAMPLES)
            times["bootstrap"].append(
                seconds(
                    lambda: bootstrap(
                        played,
                        scoring=Scoring.WIN_RATE,
                        weights=None,
                        scheme=Scheme.PRD,
                        samples=SAMPLES,
                    )
                )
            )
    looped = seconds(lambda: loops(rows, passes))
    tracemalloc.start()
    peer_rank(played)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    taken = {name: median(values) for name, values in times.items()}
    return {
        "peer_rank_vs_bincount": taken["peer_rank"] / taken["bincount"],
        "loops_vs_peer_rank": looped / taken["peer_rank"],
        "naive_vs_bootstrap": taken["naive"] / taken["bootstrap"],
        "bytes_vs_input": peak / sum(getattr(played, name).nbytes for name in COLUMNS),
        "reviews": REVIEWS,
        "contestants": PEERS,
        "passes": passes,
        "bincount_s": taken["bincount"],
        "peer_rank_s": taken["peer_rank"],
        "loops_s": looped,
        "bootstrap_s": taken["bootstrap"],
        "naive_s": taken["naive"],
    }


def main() -> None:
    """Print the ratios, as a table or as one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    as_json = bool(parser.parse_args().json)
    found = measure()
    if as_json:
        print(json.dumps(found))
    else:
        print("\n".join(f"{name:24} {value:.4g}" for name, value in found.items()))


if __name__ == "__main__":
    main()
