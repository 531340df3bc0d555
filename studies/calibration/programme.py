"""PRD's whole programme, simulated many times over: how far each figure scatters from study to study.

Private reviews are shared by all discussions that use them, and all reviewers see the same questions,
as in the published study: gains and events scatter far less, and together, because of it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from peerjudge.simulation.arrays import Items, Speaker, Verdicts, World, score_verdicts
from studies.analytic import Floats
from studies.calibration.prd import Cast
from studies.calibration.prd_figures import Tally, tally
from studies.calibration.targets import Pair, PrdTargets
from studies.talks import Talk, simulate_talk

__all__ = ["simulate"]

_TURNS = 4
_CHUNK = 250


def simulate(
    cast: Cast, published: PrdTargets, *, studies: int, seed: int = 0
) -> Mapping[str, Floats]:
    """The figures, by id, of so many simulated studies of PRD's size (a coin settles splits)."""
    random = np.random.default_rng(seed)
    chunks = [
        tally(
            _study(cast, published, studies=min(_CHUNK, studies - done), random=random), published
        )
        for done in range(0, studies, _CHUNK)
    ]
    return {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}


def _study(
    cast: Cast, published: PrdTargets, *, studies: int, random: np.random.Generator
) -> Tally:
    gold = [kind.gold for kind in published.questions for _ in range(kind.count)]
    machine = [kind.machine for kind in published.questions for _ in range(kind.count)]
    world = World(Items.build_plain(gold, machine), studies=studies, random=random)
    speakers = {name: Speaker(name=name, traits=traits) for name, traits in cast.items()}
    runs: dict[str, Verdicts] = {}
    for pair in published.pairs:
        for run, name in zip(pair.runs or pair.reviewers, pair.reviewers, strict=True):
            if run not in runs:
                runs[run] = world.draw_verdicts(speakers[name])
    held = {name: np.zeros(studies) for name in published.reviewers}
    altered = {name: np.zeros(studies) for name in published.reviewers}
    after: dict[str, list[Verdicts]] = {name: [] for name in published.reviewers}
    discussed: dict[tuple[str, int], Floats] = {}

    for pair in published.pairs:
        talks = [_discuss(world, speakers, pair, runs, place) for place in (0, 1)]
        for place, held_now in enumerate(talks):
            discussed[pair.name, place] = _accuracy(held_now, world)
            if not pair.copies:
                _count(held_now, pair, place, runs, held=held, altered=altered, after=after)
        discussed[pair.name, 2] = _at_random(world, speakers, pair, runs)
    met = published.pairs[0]
    prompts: dict[tuple[str, int], Floats] = {}
    for prompt in published.prompts:
        for place in (0, 1):
            again = _discuss(world, speakers, met, runs, place)
            prompts[prompt, place] = _accuracy(again, world)
        prompts[prompt, 2] = _at_random(world, speakers, met, runs)
    place_of = np.array(machine)
    return Tally(
        private={run: score_verdicts(said, world).mean(axis=1) for run, said in runs.items()},
        discussed=discussed,
        prompts=prompts,
        wins={
            name: (*_wins([runs[name]], place_of), *_wins(after[name], place_of))
            for name in published.reviewers
        },
        held=held,
        altered=altered,
    )


def _discuss(
    world: World,
    speakers: Mapping[str, Speaker],
    pair: Pair,
    runs: Mapping[str, Verdicts],
    place: int,
) -> Talk:
    order = slice(None, None, 1 - 2 * place)
    seats = [speakers[name] for name in pair.reviewers[order]]
    private = [runs[run] for run in (pair.runs or pair.reviewers)[order]]
    return simulate_talk(world, seats, private, turns=_TURNS)


def _at_random(
    world: World, speakers: Mapping[str, Speaker], pair: Pair, runs: Mapping[str, Verdicts]
) -> Floats:
    """New discussions in which a coin decides on every question who leads."""
    sides = [_right(_discuss(world, speakers, pair, runs, place), world) for place in (0, 1)]
    coin = world.random.integers(0, 2, world.shape) == 0
    return np.where(coin, *sides).mean(axis=1)


def _right(held: Talk, world: World) -> Floats:
    """Where the conclusion is right; a coin decides where the two still differ."""
    one, other = held.stances
    coin = world.random.integers(0, 2, world.shape) == 0
    return np.asarray(score_verdicts(np.where(coin, one, other), world), dtype=np.float64)


def _accuracy(held: Talk, world: World) -> Floats:
    return _right(held, world).mean(axis=1)


def _count(
    found: Talk,
    pair: Pair,
    place: int,
    runs: Mapping[str, Verdicts],
    *,
    held: dict[str, Floats],
    altered: dict[str, Floats],
    after: dict[str, list[Verdicts]],
) -> None:
    names = pair.reviewers[:: 1 - 2 * place]
    differed = runs[names[0]] != runs[names[1]]
    for seat, name in enumerate(names):
        stays = differed & (found.stances[seat] == runs[name])
        held[name] = held[name] + stays.sum(axis=1)
        after[name].append(found.stances[seat])
    altered[names[0]] = altered[names[0]] + found.altered[0].sum(axis=1)


def _wins(verdicts: list[Verdicts], machine: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    first, second = (
        np.mean([(said[:, machine == place] == place).mean(axis=1) for said in verdicts], axis=0)
        for place in (1, -1)
    )
    return first, second
