"""Whole searches, repeated: each with its own simulated world, splits and edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from peerjudge.data import (
    Answer,
    Comparison,
    Condition,
    Dataset,
    Experiment,
    Measurement,
    Question,
    Search,
    Verdict,
)
from peerjudge.features.search.adoption import (
    adopt,
    adopt_naively,
    choose_finalists,
    measure_overstatement,
)
from peerjudge.features.search.declaring import Declared, declare
from peerjudge.features.search.nouns import Adoption, Candidate, Evaluate, History, SearchState
from peerjudge.features.search.replay import next_step, read_state
from peerjudge.features.search.stand_ins import ScriptedProposer, answer_step
from peerjudge.features.search.targets import choose_targets
from peerjudge.runs import prepare
from peerjudge.shelf import Shelf
from peerjudge.simulation import expect_accuracy
from peerjudge.statistics.interval import DIFFERENCE, measure_mean
from studies.search.judging import TARGET, Judge

PLANTED, NEUTRAL = "planted_judge", "neutral_judge"
SHELF = Shelf(Path(__file__).parent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One search as it was played: its steps that evaluated candidates, its state and its decision."""

    judge: Judge
    declared: Declared
    evaluated: tuple[Evaluate, ...]
    state: SearchState
    adoption: Adoption


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """One search: its decision, what the held-out test says, and the truth.

    `gain` is the measured difference on the test split, 0 without an adoption; `truth` the true
    difference of accuracy of the adopted texts. The same for the naive choice, the best on the search
    split. `halved` is the share of the calls of all candidates on all questions, by step.
    """

    adopted: bool
    found: bool
    gain: float
    covered: bool | None
    naive_adopted: bool
    naive_gain: float
    naive_overstatement: float
    naive_covered: bool | None
    halved: tuple[float, ...]
    calls: int


def build_experiment(card: str) -> Experiment:
    """Return the experiment in which a card judges pairs in both orders."""
    return Experiment(
        name="searched",
        data="",
        prompts="searched",
        conditions=(Condition(name="judge", protocol="pairwise", seats=(card,)),),
    )


def build_pairs(count: int) -> Dataset:
    """Return so many pairs of texts that a simulated judge can judge, the better one first in half."""
    comparisons = tuple(
        Comparison(
            id=f"pair-{n}",
            question=Question(id=f"question-{n}", text=f"Write the number {n}."),
            answers=(Answer(id="a", text=f"It is {n}."), Answer(id="b", text=f"It is {n}!")),
            gold=Verdict.of("ab"[n % 2]),
        )
        for n in range(count)
    )
    return Dataset(name="pairs", description="Invented pairs.", comparisons=comparisons)


def search_once(card: str, dataset: Dataset, *, search: Search, seed: int) -> Played:
    """Search once as `peerjudge optimize` does, with a judge that needs no words."""
    prepared = prepare(build_experiment(card), seed=seed, shelf=SHELF, dataset=dataset)
    targets = choose_targets((TARGET,), prepared, SHELF)
    declared = declare(search, prepared, targets, shelf=SHELF, seed=seed)
    judge, options = Judge(prepared, SHELF), declared.options
    history: History = ()
    evaluated: list[Evaluate] = []
    writer = ScriptedProposer()
    while (step := next_step(history, options, seed)) is not None:
        history = (*history, answer_step(step, score=judge.score, proposer=writer))
        evaluated += [step] if isinstance(step, Evaluate) else []
    state = read_state(history, options, seed)
    base, splits = state.candidates[0], declared.splits
    finalists = choose_finalists(state, questions=splits.search)
    scores = {one.id: judge.score_all(one, splits.select) for one in (base, *finalists)}
    return Played(
        judge=judge,
        declared=declared,
        evaluated=tuple(evaluated),
        state=state,
        adoption=adopt(base, finalists, scores, measure=measure),
    )


def measure(differences: Sequence[float], level: float = 0.95) -> Measurement:
    """Return the mean of paired differences with its interval, as the command measures it."""
    return measure_mean(differences, np.arange(len(differences)), limits=DIFFERENCE, level=level)


def measure_searches(
    card: str, *, sizes: tuple[int, int, int], searches: int, seed: int, search: Search
) -> list[Searched]:
    """Repeat searches with a card, each in a world of its own."""
    dataset = build_pairs(sum(sizes))
    wanted = Search(
        method=search.method,
        steps=search.steps,
        candidates=search.candidates,
        split=",".join(map(str, sizes)),
    )
    return [
        measure_search(search_once(card, dataset, search=wanted, seed=1000 * seed + number))
        for number in range(searches)
    ]


def measure_search(played: Played) -> Searched:
    """Test the decision of a search, and the naive one, on the test split, beside the truth."""
    judge, splits, adoption = played.judge, played.declared.splits, played.adoption
    known = {one.id: one for one in played.state.candidates}
    base, naive = played.state.candidates[0], adopt_naively(played.state)
    theirs = judge.score_all(base, splits.test)
    tested: dict[str, tuple[Measurement, float]] = {}
    for chosen in {adoption.chosen, naive.chosen}:
        ours = judge.score_all(known[chosen], splits.test)
        truth = _find_accuracy(judge, known[chosen]) - _find_accuracy(judge, base)
        tested[chosen] = measure([ours[one] - theirs[one] for one in theirs]), truth
    difference, truth = tested[adoption.chosen]
    naively, naive_truth = tested[naive.chosen]
    best = known[naive.chosen]
    return Searched(
        adopted=adoption.adopted,
        found=naive_truth > 0.0,
        gain=difference.value if adoption.adopted else 0.0,
        covered=difference.low <= truth <= difference.high if adoption.adopted else None,
        naive_adopted=naive.adopted,
        naive_gain=naively.value,
        naive_overstatement=measure_overstatement(
            judge.score_all(best, splits.search), judge.score_all(best, splits.test)
        ),
        naive_covered=naively.low <= naive_truth <= naively.high if naive.adopted else None,
        halved=_measure_halving(played),
        calls=2 * sum(len(one.candidates) * len(one.questions) for one in played.evaluated),
    )


def _find_accuracy(judge: Judge, candidate: Candidate) -> float:
    traits, _ = judge.find_traits(candidate)
    return expect_accuracy(traits, temperature=0.0)


def _measure_halving(played: Played) -> tuple[float, ...]:
    """Return by step the questions asked for, over those of all its candidates on the whole split."""
    asked: dict[int, int] = {}
    racing: dict[int, set[str]] = {}
    for one in played.evaluated:
        if one.step:
            asked[one.step] = asked.get(one.step, 0) + len(one.candidates) * len(one.questions)
            racing.setdefault(one.step, set()).update(each.id for each in one.candidates)
    whole = len(played.declared.splits.search)
    return tuple(asked[step] / (len(racing[step]) * whole) for step in asked)
