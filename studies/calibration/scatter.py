"""Simulated studies of PRePair's and of Vicuna80's size: how far their figures scatter.

PRD's programme has a module of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from peerjudge.simulation.arrays import Items, Speaker, Verdicts, score_verdicts
from peerjudge.simulation.arrays import World as Studies
from peerjudge.simulation.traits import Traits
from studies.analytic import Floats
from studies.calibration.llmbar import (
    CELL,
    NATURAL,
    TOTAL,
    World,
    dampening_of,
    row_name,
)
from studies.calibration.targets import LlmbarTargets, Vicuna80Targets
from studies.calibration.vicuna80 import AGAIN, AGAIN_PAIR, AGREEMENT, REVIEWER

__all__ = ["simulate_llmbar", "simulate_vicuna80"]

_CHUNK = 200

Found = Mapping[str, Floats]


def simulate_llmbar(
    world: World, published: LlmbarTargets, *, studies: int, seed: int = 0
) -> Found:
    """The cells and totals, by id, of so many studies in which all rows judge the same instances."""
    random = np.random.default_rng(seed)
    items = _llmbar_items(world, published)
    return _joined(
        dict(_llmbar_study(Studies(items, studies=size, random=random), world, published))
        for size in _sizes(studies)
    )


def simulate_vicuna80(
    cast: Mapping[str, Traits], published: Vicuna80Targets, *, studies: int, seed: int = 0
) -> Found:
    """The shares, by id, of so many studies in which all reviewers judge the same battles twice."""
    random = np.random.default_rng(seed)
    gold: list[int] = []
    contestants: list[str] = []
    for names, counts in published.gold.items():
        for value, count in zip((1, 0, -1), counts, strict=True):
            gold += [value] * count
            contestants += [names] * count
    pairs = np.array([names.split() for names in contestants])
    speakers = {
        name: Speaker(
            name=name,
            traits=traits,
            own=(pairs[:, 0] == name).astype(np.int8) - (pairs[:, 1] == name).astype(np.int8),
        )
        for name, traits in cast.items()
    }
    items = Items.build_plain(gold)
    again = np.array([names == " ".join(AGAIN_PAIR) for names in contestants])
    return _joined(
        dict(
            _vicuna80_study(
                Studies(items, studies=size, random=random), speakers, published, again=again
            )
        )
        for size in _sizes(studies)
    )


def _sizes(studies: int) -> Iterator[int]:
    for done in range(0, studies, _CHUNK):
        yield min(_CHUNK, studies - done)


def _joined(chunks: Iterator[dict[str, Floats]]) -> Found:
    found = list(chunks)
    return {name: np.concatenate([chunk[name] for chunk in found]) for name in found[0]}


def _llmbar_items(world: World, published: LlmbarTargets) -> Items:
    counts = list(published.items.values())
    subsets = [world.subsets[name] for name in published.items]
    total = sum(counts)
    return Items(
        # Half of the better outputs come first; the evaluators have no position bias.
        gold=(1 - 2 * (np.arange(total) % 2)).astype(np.int8),
        known=np.ones(total, dtype=np.bool_),
        clarity=np.repeat([subset.clarity for subset in subsets], counts),
        lure=np.repeat([subset.lure for subset in subsets], counts),
        length=np.zeros(total),
        machine=np.zeros(total, np.int8),
        machines=np.zeros(total, np.int8),
    )


def _llmbar_study(
    studies: Studies, world: World, published: LlmbarTargets
) -> Iterator[tuple[str, Floats]]:
    ends = np.cumsum(list(published.items.values()))
    first_of_others = published.items[NATURAL]
    for row in published.rows:
        speaker = Speaker(name=row.model, traits=world.cast[row.model])
        left = dampening_of(speaker.traits, row.method)
        right = score_verdicts(studies.draw_verdicts(speaker, dampening=left), studies)
        start = 0
        for subset, end in zip(published.items, ends.tolist(), strict=True):
            yield f"{CELL}: {row_name(row)}, {subset}", _mean(right[:, start:end])
            start = end
        yield f"{TOTAL}: {row_name(row)}", _mean(right[:, first_of_others:])


def _vicuna80_study(
    studies: Studies,
    speakers: Mapping[str, Speaker],
    published: Vicuna80Targets,
    *,
    again: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> Iterator[tuple[str, Floats]]:
    said: dict[str, tuple[Verdicts, Verdicts]] = {}
    for name, speaker in speakers.items():
        given, turned = (
            studies.draw_verdicts(speaker, swapped=swapped, ties=True) for swapped in (False, True)
        )
        said[name] = given, turned
        own = np.asarray(speaker.own)
        wins = (1 + own * (given.astype(np.float64) + turned) / 2) / 2
        shares = {
            "first": (_mean(given == 1) + _mean(turned == -1)) / 2,
            "tie": (_mean(given == 0) + _mean(turned == 0)) / 2,
            "second": (_mean(given == -1) + _mean(turned == 1)) / 2,
            "both orders": _mean(given == turned),
            "own wins": _mean(wins[:, own != 0]),
            "accuracy": (
                _mean(score_verdicts(given, studies)) + _mean(score_verdicts(turned, studies))
            )
            / 2,
        }
        for share, value in shares.items():
            yield f"{REVIEWER}: {name}, {share}", value
    for names in published.agreement:
        one, other = names.split()
        same = [_mean(mine == theirs) for mine, theirs in zip(said[one], said[other], strict=True)]
        yield f"{AGREEMENT}: {names}", (same[0] + same[1]) / 2
    for name in published.again:
        same = [
            _mean(
                (studies.draw_verdicts(speakers[name], swapped=swapped, ties=True) == before)[
                    :, again
                ]
            )
            for swapped, before in zip((False, True), said[name], strict=True)
        ]
        yield f"{AGAIN}: {name}", (same[0] + same[1]) / 2


def _mean(values: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> Floats:
    return np.asarray(values.mean(axis=1), dtype=np.float64)
