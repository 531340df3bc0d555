"""Recovery of a planted accuracy where gold comes from people who err, by design of the votes.

People are right in 55 to 95 % of their votes, a reviewer in 75 % of its verdicts, all independently. Its
accuracy is measured against a majority, against the labels of the annotator model, and as expected under
that model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from peerjudge.analysis import collect_reviews
from peerjudge.analysis.annotators import AnnotatedGold, measure_annotators
from peerjudge.data import TIE, Answer, Comparison, Dataset, Question, RecordedReview, Verdict

RIGHT = 0.75
"""The accuracy of the reviewer."""
_LEAST, _MOST = 0.55, 0.95
_SAMPLES = 60
_VERDICTS = (Verdict.of("a"), Verdict.of("b"), TIE)
_SCORES = (-1, 1, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Votes to plant: `each` comparisons of every question, `votes` on each, a share `ties` of true ties.

    `skills` are how often people are right, by default from 55 to 95 %. A share `random_ties` of their votes
    is for a tie whatever the pair. The reviewer is right in a share `right`.
    """

    name: str
    questions: int = 40
    each: int = 4
    annotators: int = 12
    votes: int = 3
    ties: float = 0.0
    random_ties: float = 0.0
    skills: tuple[float, ...] = ()
    right: float = RIGHT


DESIGNS = (
    Design(name="3 votes"),
    Design(name="3 votes, 25 % ties", ties=0.25),
    Design(name="2 votes", votes=2),
    Design(name="2 votes, 8 by each person", questions=80, each=1, annotators=20, votes=2),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedVotes:
    """A dataset of votes with what was planted: verdicts by comparison, and how often each is right."""

    dataset: Dataset
    truth: Mapping[str, str]
    skill: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """Means over studies of the accuracy of a reviewer that is right in 75 %, by kind of gold.

    `covered` are the shares of intervals that hold the truth. `labels_right` are the shares of right
    labels of a majority and of the model; `reliability_covered` is over all people.
    """

    design: str
    studies: int
    found: Mapping[str, float]
    covered: Mapping[str, float]
    labels_right: Mapping[str, float]
    reliability_covered: float


def plant_votes(design: Design, *, seed: int) -> PlantedVotes:
    """Return votes of people and verdicts of the reviewer `judge`; every other one on swapped answers."""
    random = np.random.default_rng(seed)
    skill = np.array(design.skills or np.linspace(_LEAST, _MOST, design.annotators))
    comparisons: list[Comparison] = []
    reviews: list[RecordedReview] = []
    truth: dict[str, str] = {}
    for number in range(design.questions * design.each):
        name = f"pair-{number}"
        better = 2 if random.random() < design.ties else int(random.integers(2))
        others = [one for one in range(3 if design.ties else 2) if one != better]
        people: list[int] = random.choice(len(skill), design.votes, replace=False).tolist()
        rates = {f"human_{who}": float(skill[who]) for who in people} | {"judge": design.right}
        said = {
            who: better if random.random() < rate else int(random.choice(others))
            for who, rate in rates.items()
        }
        if design.random_ties:
            said |= {who: 2 for who in list(said)[:-1] if random.random() < design.random_ties}
        reviews += [
            RecordedReview(
                comparison=name,
                shown=("a", "b") if place % 2 else ("b", "a"),
                reviewer=who,
                verdict=_VERDICTS[given],
            )
            for place, (who, given) in enumerate(said.items())
        ]
        score = sum(_SCORES[given] for who, given in said.items() if who != "judge")
        comparisons.append(
            Comparison(
                id=name,
                question=Question(id=f"question-{number // design.each}", text="Why?"),
                answers=(Answer(id="a", text="So."), Answer(id="b", text="Thus.")),
                gold=TIE if score == 0 else Verdict.of("ab"[score > 0]),
            )
        )
        truth[name] = str(_VERDICTS[better])
    names = [f"human_{who}" for who in range(len(skill))]
    known = skill * (1.0 - design.random_ties) + design.ties * design.random_ties
    return PlantedVotes(
        dataset=Dataset(
            name=design.name,
            description="votes of planted annotators",
            comparisons=tuple(comparisons),
            reviews=tuple(reviews),
            humans=tuple(names),
        ),
        truth=truth,
        skill=dict(zip(names, known.tolist(), strict=True)),
    )


def recover_accuracy(*, studies: int, seed: int = 0) -> tuple[Recovery, ...]:
    """Return the recovery of every design."""
    return tuple(
        _recover(design, studies, seed + 1000 * place) for place, design in enumerate(DESIGNS)
    )


def _recover(design: Design, studies: int, seed: int) -> Recovery:
    planted = [plant_votes(design, seed=seed + number) for number in range(studies)]
    found = [
        measure_annotators(collect_reviews(one.dataset), samples=_SAMPLES, seed=seed)
        for one in planted
    ]
    rows = [one.accuracies[0] for one in found]
    kinds = {
        "majority": [row.gold for row in rows],
        "label": [row.label for row in rows],
        "expected": [row.expected for row in rows],
    }
    right = [_share_right(*pair) for pair in zip(found, planted, strict=True)]
    held = [
        person.reliability.low <= one.skill[person.name] <= person.reliability.high
        for fit, one in zip(found, planted, strict=True)
        for person in fit.annotators
    ]
    return Recovery(
        design=design.name,
        studies=studies,
        found={kind: float(np.mean([one.value for one in all_])) for kind, all_ in kinds.items()},
        covered={
            kind: float(np.mean([one.low <= RIGHT <= one.high for one in all_]))
            for kind, all_ in kinds.items()
        },
        labels_right={
            "majority": float(np.mean([one for one, _ in right])),
            "model": float(np.mean([other for _, other in right])),
        },
        reliability_covered=float(np.mean(held)),
    )


def _share_right(found: AnnotatedGold, planted: PlantedVotes) -> tuple[float, float]:
    right = [
        (one.gold == planted.truth[one.id], one.label == planted.truth[one.id])
        for one in found.comparisons
    ]
    one, other = np.array(right, dtype=np.float64).mean(axis=0)
    return float(one), float(other)
