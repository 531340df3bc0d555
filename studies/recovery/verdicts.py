"""Coverage of the model of verdicts: how many of its intervals hold effects that were planted.

The verdicts are drawn from the equation of the model, with three reviewers in both orders, two of which
wrote the answers; lengths are random and no better for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from peerjudge.analysis import fit_verdict_model
from peerjudge.analysis.assembling import ComparisonTable, build_ballots
from peerjudge.analysis.ballots import Ballots, Stage, no_discussions
from peerjudge.data import Answer, Comparison, Question, Verdict
from studies.analytic import Floats
from studies.recovery.coverage import Coverage

SIZES = (12, 36, 80)
_ABILITIES: Mapping[str, float] = {"ann": 0.3, "bob": 1.0, "cat": 1.8}
_POSITION, _LENGTH, _OWN, _SPREAD = 0.5, 0.6, 0.8, 1.3
_TRUTHS: Mapping[tuple[str, str], float] = {
    ("ability", "ann"): _ABILITIES["ann"],
    ("ability", "cat"): _ABILITIES["cat"],
    ("position", ""): _POSITION,
    ("length", ""): _LENGTH,
    ("own answer", ""): _OWN,
}
_ORDERS = (1.0, -1.0)


def measure_model_coverage(
    *, studies: int, seed: int = 0, sizes: Sequence[int] = SIZES
) -> tuple[Coverage, ...]:
    """Return the coverage of the effects of the model by number of questions."""
    found: list[Coverage] = []
    for size in sizes:
        held = {term: np.zeros(studies, dtype=np.bool_) for term in _TRUTHS}
        width = dict.fromkeys(_TRUTHS, 0.0)
        for study in range(studies):
            random = np.random.default_rng([seed, size, study])
            model = fit_verdict_model(draw_study(size, random), pooled=True)
            effects = {(one.term, one.name): one.value for one in model.effects}
            for term, truth in _TRUTHS.items():
                held[term][study] = effects[term].low <= truth <= effects[term].high
                width[term] += (effects[term].high - effects[term].low) / studies
        for term in _TRUTHS:
            covered = float(held[term].mean())
            found.append(
                Coverage(
                    population=f"model of verdicts, {' '.join(filter(None, term))}",
                    questions=size,
                    covered=covered,
                    error=float(np.sqrt(covered * (1.0 - covered) / studies)),
                    width=width[term],
                )
            )
    return tuple(found)


def draw_study(questions: int, random: np.random.Generator) -> Ballots:
    """Return the ballots of three reviewers in both orders on so many pairs."""
    table = ComparisonTable(keep_texts=False)
    sizes = random.integers(20, 400, (questions, 2))
    golds = random.permutation(np.arange(questions) % 2)
    authors = tuple(_ABILITIES)[:2]
    for number in range(questions):
        answers = tuple(
            Answer(id=name, text="x" * int(size), author=name)
            for name, size in zip(authors, sizes[number], strict=True)
        )
        table.number(
            Comparison(
                id=str(number),
                question=Question(id=str(number), text=""),
                answers=answers,
                gold=Verdict.of(authors[int(golds[number])]),
            )
        )
    orders = [table.order(0, authors), table.order(0, authors[::-1])]
    gold: Floats = 1.0 - 2.0 * golds
    longer = np.log2((sizes[:, 0] + 1) / (sizes[:, 1] + 1))
    ease = random.normal(0.0, _SPREAD, questions)
    verdicts: list[np.ndarray[tuple[int], np.dtype[np.int8]]] = []
    for number, ability in enumerate(_ABILITIES.values()):
        own = _OWN * (1.0, -1.0, 0.0)[number]
        for turned in _ORDERS:
            # The log-odds of the answer that is first in the data.
            level = turned * _POSITION + gold * (ability + ease) + _LENGTH * longer + own
            chosen = random.random(questions) < 1.0 / (1.0 + np.exp(-level))
            verdicts.append(np.where(chosen, 0, 1).astype(np.int8))
    judgements = len(_ABILITIES) * len(_ORDERS)
    return build_ballots(
        {
            "reviewer": np.repeat(np.arange(len(_ABILITIES)), questions * len(_ORDERS)),
            "comparison": np.tile(np.arange(questions), judgements),
            "order": np.tile(np.repeat(orders, questions), len(_ABILITIES)),
            "verdict": np.concatenate(verdicts),
            "stage": Stage.RECORDED,
            "opening": True,
            "closing": True,
        },
        size=questions * judgements,
        name="simulated",
        simulated=True,
        reviewers=_ABILITIES,
        table=table,
        discussions=no_discussions(),
    )
