"""Simulated studies of the published sizes: the scatter of every figure from study to study.

In PRD's programme private reviews are shared by all discussions that use them, and all reviewers see
the same questions, as in the published study: gains and events scatter far less, and together, because
of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np
import numpy.typing as npt

from peerjudge.simulation.arrays import Items, Speaker, Verdicts, World, score_verdicts
from peerjudge.simulation.traits import Traits
from studies.analytic import Floats
from studies.calibration import llmbar, vicuna80
from studies.calibration.prd import tally_figures
from studies.calibration.targets import LlmbarTargets, Pair, PrdTargets, Vicuna80Targets
from studies.talks import Talk, simulate_talk

_TURNS = 4
_PRD_CHUNK, _CHUNK = 250, 200
"""Studies at a time: few enough for the cache."""

Cast = Mapping[str, Traits]
Found = Mapping[str, Floats]
"""Figures by id, `[study]`."""


def simulate_prd(cast: Cast, published: PrdTargets, *, studies: int, seed: int = 0) -> Found:
    """Simulate studies of PRD's size, in which a coin settles splits."""
    gold = [kind.gold for kind in published.questions for _ in range(kind.count)]
    machine = [kind.machine for kind in published.questions for _ in range(kind.count)]
    simulate = partial(_simulate_programme, cast, published)
    return _repeat(Items.build_plain(gold, machine), simulate, studies, seed, chunk=_PRD_CHUNK)


def simulate_llmbar(
    cast: Cast,
    subsets: llmbar.Subsets,
    published: LlmbarTargets,
    *,
    studies: int,
    seed: int = 0,
) -> Found:
    """Simulate studies in which all rows judge the same instances of LLMBar."""
    counts = list(published.items.values())
    kinds = [subsets[name] for name in published.items]
    total = sum(counts)
    items = Items(
        # Half of the better outputs come first; the evaluators have no position bias.
        gold=(1 - 2 * (np.arange(total) % 2)).astype(np.int8),
        known=np.ones(total, dtype=np.bool_),
        clarity=np.repeat([kind.clarity for kind in kinds], counts),
        lure=np.repeat([kind.lure for kind in kinds], counts),
        length=np.zeros(total),
        machine=np.zeros(total, np.int8),
        machines=np.zeros(total, np.int8),
    )
    return _repeat(items, partial(_simulate_rows, cast, published), studies, seed)


def simulate_vicuna80(
    cast: Cast, published: Vicuna80Targets, *, studies: int, seed: int = 0
) -> Found:
    """Simulate studies in which all reviewers judge the same battles of Vicuna80 twice."""
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
    again = np.array([names == " ".join(vicuna80.AGAIN_PAIR) for names in contestants])
    simulate = partial(_simulate_reviews, speakers, published, again)
    return _repeat(Items.build_plain(gold), simulate, studies, seed)


def _repeat(
    items: Items,
    simulate: Callable[[World], Found],
    studies: int,
    seed: int,
    *,
    chunk: int = _CHUNK,
) -> Found:
    """Simulate all studies, a chunk at a time."""
    random = np.random.default_rng(seed)
    chunks = [
        simulate(World(items, studies=min(chunk, studies - done), random=random))
        for done in range(0, studies, chunk)
    ]
    return {name: np.concatenate([part[name] for part in chunks]) for name in chunks[0]}


def _simulate_programme(cast: Cast, published: PrdTargets, world: World) -> Found:
    speakers = {name: Speaker(name=name, traits=traits) for name, traits in cast.items()}
    runs: dict[str, Verdicts] = {}
    for pair in published.pairs:
        for run, name in zip(pair.private_runs, pair.reviewers, strict=True):
            if run not in runs:
                runs[run] = world.draw_verdicts(speakers[name])

    def discuss(pair: Pair, place: int) -> Talk:
        order = slice(None, None, 1 - 2 * place)
        seats = [speakers[name] for name in pair.reviewers[order]]
        private = [runs[run] for run in pair.private_runs[order]]
        return simulate_talk(world, seats, private, turns=_TURNS)

    talks: dict[tuple[str, int], Talk] = {}
    discussed: dict[tuple[str, int], Floats] = {}
    for pair in published.pairs:
        talks |= {(pair.name, place): discuss(pair, place) for place in (0, 1)}
        for place in (0, 1):
            discussed[pair.name, place] = _mean(_score_conclusion(talks[pair.name, place], world))
        discussed[pair.name, 2] = _lead_at_random(partial(discuss, pair), world)
    discuss_first = partial(discuss, published.pairs[0])
    prompts: dict[tuple[str, int], Floats] = {}
    for prompt in published.prompts:
        for place in (0, 1):
            prompts[prompt, place] = _mean(_score_conclusion(discuss_first(place), world))
        prompts[prompt, 2] = _lead_at_random(discuss_first, world)
    after, held, altered = _count_events(talks, runs, published)
    machine = world.items.machine
    return tally_figures(
        published,
        private={run: score_verdicts(said, world).mean(axis=1) for run, said in runs.items()},
        discussed=discussed,
        prompts=prompts,
        wins={
            name: (*_share_wins([runs[name]], machine), *_share_wins(after[name], machine))
            for name in published.reviewers
        },
        held=held,
        altered=altered,
    )


def _lead_at_random(discuss: Callable[[int], Talk], world: World) -> Floats:
    """Return the accuracy of new discussions in which a coin selects the leader of every question."""
    sides = [_score_conclusion(discuss(place), world) for place in (0, 1)]
    coin = world.random.integers(0, 2, world.shape) == 0
    return _mean(np.where(coin, *sides))


def _count_events(
    talks: Mapping[tuple[str, int], Talk], runs: Mapping[str, Verdicts], published: PrdTargets
) -> tuple[Mapping[str, list[Verdicts]], Found, Found]:
    """Return final verdicts, held opinions and altered ones as leader, by reviewer, without copies."""
    after: dict[str, list[Verdicts]] = {name: [] for name in published.reviewers}
    held = dict.fromkeys(published.reviewers, np.zeros(()))
    altered = dict.fromkeys(published.reviewers, np.zeros(()))
    for pair in published.pairs:
        for place in () if pair.copies else (0, 1):
            talk, names = talks[pair.name, place], pair.reviewers[:: 1 - 2 * place]
            differed = runs[names[0]] != runs[names[1]]
            for name, stance in zip(names, talk.stances, strict=True):
                held[name] = held[name] + (differed & (stance == runs[name])).sum(axis=1)
                after[name].append(stance)
            altered[names[0]] = altered[names[0]] + talk.altered[0].sum(axis=1)
    return after, held, altered


def _score_conclusion(talk: Talk, world: World) -> Floats:
    """Score the conclusion of a discussion; a coin decides where the two seats still differ."""
    one, other = talk.stances
    coin = world.random.integers(0, 2, world.shape) == 0
    return np.asarray(score_verdicts(np.where(coin, one, other), world), dtype=np.float64)


def _share_wins(verdicts: list[Verdicts], machine: npt.NDArray[np.int8]) -> tuple[Floats, Floats]:
    """Return the shares of preferences for the machine where it is shown first, then second."""
    first, second = (
        np.mean([(said[:, machine == place] == place).mean(axis=1) for said in verdicts], axis=0)
        for place in (1, -1)
    )
    return first, second


def _simulate_rows(cast: Cast, published: LlmbarTargets, world: World) -> Found:
    ends = np.cumsum(list(published.items.values())).tolist()
    found: dict[str, Floats] = {}
    for row in published.rows:
        speaker = Speaker(name=row.model, traits=cast[row.model])
        left = llmbar.find_dampening(speaker.traits, row.method)
        right = score_verdicts(world.draw_verdicts(speaker, dampening=left), world)
        for subset, start, end in zip(published.items, (0, *ends), ends, strict=False):
            found[f"{llmbar.CELL}: {row.name}, {subset}"] = _mean(right[:, start:end])
        found[f"{llmbar.TOTAL}: {row.name}"] = _mean(right[:, published.items[llmbar.NATURAL] :])
    return found


def _simulate_reviews(
    speakers: Mapping[str, Speaker],
    published: Vicuna80Targets,
    again: npt.NDArray[np.bool_],
    world: World,
) -> Found:
    said: dict[str, tuple[Verdicts, Verdicts]] = {}
    found: dict[str, Floats] = {}
    for name, speaker in speakers.items():
        given, turned = (
            world.draw_verdicts(speaker, swapped=swapped, ties=True) for swapped in (False, True)
        )
        said[name] = given, turned
        own = np.asarray(speaker.own)
        wins = (1 + own * (given.astype(np.float64) + turned) / 2) / 2
        shares = {
            "first": _halve([given == 1, turned == -1]),
            "tie": _halve([given == 0, turned == 0]),
            "second": _halve([given == -1, turned == 1]),
            "both orders": _mean(given == turned),
            "own wins": _mean(wins[:, own != 0]),
            "accuracy": _halve([score_verdicts(given, world), score_verdicts(turned, world)]),
        }
        for share, value in shares.items():
            found[f"{vicuna80.REVIEWER}: {name}, {share}"] = value
    for names in published.agreement:
        one, other = (said[name] for name in names.split())
        found[f"{vicuna80.AGREEMENT}: {names}"] = _halve(
            mine == theirs for mine, theirs in zip(one, other, strict=True)
        )
    for name in published.again:
        found[f"{vicuna80.AGAIN}: {name}"] = _halve(
            (world.draw_verdicts(speakers[name], swapped=swapped, ties=True) == before)[:, again]
            for swapped, before in zip((False, True), said[name], strict=True)
        )
    return found


def _halve(both: Iterable[npt.NDArray[np.generic]]) -> Floats:
    """Return the mean of the means of both orders."""
    one, other = map(_mean, both)
    return (one + other) / 2


def _mean(values: npt.NDArray[np.generic]) -> Floats:
    return np.asarray(values.mean(axis=1), dtype=np.float64)
