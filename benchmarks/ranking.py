"""Benchmark of peer ranking: ratios from interleaved rounds on one machine.

    python benchmarks/ranking.py [--json]

* peer_rank_vs_bincount: time of peer rank for 1,000,000 reviews of 50 contestants by 50 reviewers,
  relative to one integer bincount of the same rows. The bincount includes the computation of cells
  (reviewer, first, second, score) from the four columns, by the faster of two ways: in one
  expression, or in blocks that fit the CPU cache. It includes no check for unreadable verdicts, no
  win rates and no weights.
* loops_vs_peer_rank: Algorithm 2 in plain Python loops, with the same number of passes.
* naive_vs_bootstrap: 1000 resamples, each drawing battles by question and ranking them again
  (extrapolated from a few).
* evalica_vs_bradley_terry, evalica_vs_win_rates: evalica's estimates of the same scores, which must
  agree. evalica gets integers and a prepared index.
* bytes_vs_input: peak memory allocated by peer rank, relative to the columns it reads.
  `large_bytes_vs_input` is the same for 10,000,000 reviews.

Ratios are medians over rounds in which both sides run one after the other, so that other load on
the machine affects both.
"""

from __future__ import annotations

import argparse
import json
import time
import tracemalloc
from collections.abc import Callable
from statistics import median

import numpy as np

from peerjudge.data import Scheme, Scoring, Tournament, replace
from peerjudge.ranking import bootstrap, bradley_terry, elo, peer_rank, win_rates

REVIEWS, PEERS, QUESTIONS = 1_000_000, 50, 80
LARGE, MANY, ELO_REVIEWS, ELO_ORDERS = 10_000_000, 2000, 8000, 1000
ROUNDS, NAIVE_ROUNDS, RIVAL_ROUNDS, SAMPLES, BLOCK = 15, 7, 3, 1000, 1 << 15
COLUMNS = ("question", "reviewer", "first", "second", "score", "readable")


def random_tournament(reviews: int = REVIEWS, peers: int = PEERS, seed: int = 0) -> Tournament:
    """Draw a tournament of peers of different strength on random questions."""
    random = np.random.default_rng(seed)
    names = tuple(f"peer-{k:04}" for k in range(peers))
    strength = random.normal(size=peers)
    first = random.integers(0, peers, reviews, dtype=np.int32)
    second = (first + random.integers(1, peers, reviews, dtype=np.int32)) % peers
    margin = strength[second] - strength[first] + random.normal(size=reviews)
    return Tournament(
        questions=tuple(f"question-{k:02}" for k in range(QUESTIONS)),
        reviewers=names,
        contestants=names,
        question=random.integers(0, QUESTIONS, reviews, dtype=np.int32),
        reviewer=random.integers(0, peers, reviews, dtype=np.int32),
        first=first,
        second=second.astype(np.int32),
        score=(np.sign(margin) * (np.abs(margin) > 0.2)).astype(np.int8),
        readable=np.ones(reviews, dtype=np.bool_),
    )


def one_bincount(played: Tournament) -> None:
    """Count the scores by reviewer and ordered pair, with cells in one expression."""
    pair = (played.reviewer * PEERS + played.first) * PEERS + played.second
    np.bincount(pair * 3 + (played.score + 1), minlength=PEERS**3 * 3)


def one_bincount_in_blocks(played: Tournament) -> None:
    """Count the same with cells computed block by block, in place."""
    index = np.empty(len(played), dtype=np.int32)
    for start in range(0, len(index), BLOCK):
        part = slice(start, start + BLOCK)
        cell = index[part]
        np.multiply(played.reviewer[part], PEERS, out=cell)
        cell += played.first[part]
        cell *= PEERS
        cell += played.second[part]
        cell *= 3
        cell += played.score[part]
        cell += 1
    np.bincount(index, minlength=PEERS**3 * 3)


def loops(rows: list[tuple[int, int, int, int]], passes: int) -> None:
    """Run Algorithm 2 in plain Python."""
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
    """Draw questions, gather their battles and rank them."""
    drawn = np.concatenate([battles[k] for k in random.integers(0, QUESTIONS, QUESTIONS)])
    peer_rank(replace(played, **{name: getattr(played, name)[drawn] for name in COLUMNS}))


def seconds(action: Callable[[], object]) -> float:
    """Return the wall time of one call in seconds."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def allocated(played: Tournament) -> float:
    """Return the peak memory allocated by peer rank, relative to the columns it reads."""
    tracemalloc.start()
    peer_rank(played)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / sum(getattr(played, name).nbytes for name in COLUMNS)


def aggregation(played: Tournament) -> dict[str, float]:
    """Compare peer rank with the faster bincount and with loops."""
    ways = {"expression": one_bincount, "blocks": one_bincount_in_blocks}
    times: dict[str, list[float]] = {name: [] for name in (*ways, "peer_rank")}
    peer_rank(played)
    for _ in range(ROUNDS):
        for name, way in ways.items():
            times[name].append(seconds(lambda way=way: way(played)))
        times["peer_rank"].append(seconds(lambda: peer_rank(played)))
    bare = min(ways, key=lambda name: median(times[name]))
    names = (played.first, played.second, played.reviewer, played.score)
    rows = list(zip(*(column.tolist() for column in names), strict=True))
    passes = peer_rank(played).iterations
    looped = seconds(lambda: loops(rows, passes))
    taken = median(times["peer_rank"])
    pairs = zip(times["peer_rank"], times[bare], strict=True)
    return {
        "peer_rank_vs_bincount": median(ranked / counted for ranked, counted in pairs),
        "loops_vs_peer_rank": looped / taken,
        "passes": passes,
        "bincount_s": median(times[bare]),
        "peer_rank_s": taken,
        "loops_s": looped,
    }


def resampling(played: Tournament) -> dict[str, float]:
    """Compare the bootstrap with drawing and ranking a thousand samples one by one."""
    random = np.random.default_rng(1)
    battles = [np.flatnonzero(played.question == k) for k in range(QUESTIONS)]
    naive: list[float] = []
    whole: list[float] = []
    for _ in range(NAIVE_ROUNDS):
        naive.append(SAMPLES * seconds(lambda: naive_sample(played, battles, random)))
        whole.append(
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
    return {
        "naive_vs_bootstrap": median(n / w for n, w in zip(naive, whole, strict=True)),
        "bootstrap_s": median(whole),
        "naive_s": median(naive),
    }


def against_evalica(played: Tournament) -> dict[str, float]:
    """Compare with evalica's public functions on the same battles."""
    import evalica
    import pandas as pd

    outcomes = np.array([evalica.Winner.X, evalica.Winner.Draw, evalica.Winner.Y])
    winners = outcomes[played.score + 1].tolist()
    ones, others = played.first.tolist(), played.second.tolist()
    index = pd.Index(range(PEERS))
    times: dict[str, list[float]] = {
        name: [] for name in ("bt", "their_bt", "rates", "their_rates")
    }
    for _ in range(RIVAL_ROUNDS):
        times["bt"].append(seconds(lambda: bradley_terry(played)))
        times["their_bt"].append(
            seconds(lambda: evalica.bradley_terry(ones, others, winners, index=index))
        )
        times["rates"].append(seconds(lambda: win_rates(played)))
        times["their_rates"].append(
            seconds(lambda: evalica.average_win_rate(ones, others, winners, index=index))
        )
    theirs = evalica.bradley_terry(
        ones, others, winners, index=index, tolerance=1e-12, limit=10_000
    )
    logs = np.log(theirs.scores.reindex(range(PEERS)).to_numpy())
    levels = 1000.0 + 400.0 / np.log(10.0) * (logs - logs.mean())
    assert np.abs(levels - bradley_terry(played)).max() < 1e-3

    def ratio(slow: str, quick: str) -> float:
        return median(s / q for s, q in zip(times[slow], times[quick], strict=True))

    return {
        "evalica_vs_bradley_terry": ratio("their_bt", "bt"),
        "evalica_vs_win_rates": ratio("their_rates", "rates"),
        "bradley_terry_s": median(times["bt"]),
        "win_rates_s": median(times["rates"]),
    }


def measure() -> dict[str, float]:
    """Measure all ratios, and their times in seconds."""
    played = random_tournament()
    counted, resampled = aggregation(played), resampling(played)
    rivals = against_evalica(played)
    large, many = random_tournament(LARGE), random_tournament(REVIEWS, MANY)
    few = random_tournament(ELO_REVIEWS, 5)
    return {
        "peer_rank_vs_bincount": counted.pop("peer_rank_vs_bincount"),
        "loops_vs_peer_rank": counted.pop("loops_vs_peer_rank"),
        "naive_vs_bootstrap": resampled.pop("naive_vs_bootstrap"),
        "evalica_vs_bradley_terry": rivals.pop("evalica_vs_bradley_terry"),
        "evalica_vs_win_rates": rivals.pop("evalica_vs_win_rates"),
        "bytes_vs_input": allocated(played),
        "large_bytes_vs_input": allocated(large),
        "reviews": REVIEWS,
        "contestants": PEERS,
        **counted,
        **resampled,
        **rivals,
        "large_s": seconds(lambda: peer_rank(large)),
        "many_contestants_s": seconds(lambda: peer_rank(many)),
        "elo_orders_s": seconds(lambda: elo(few, orders=ELO_ORDERS)),
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
