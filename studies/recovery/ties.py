"""Recovery of true ties and reliabilities from votes of a few people, who also vote for ties at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from peerjudge.analysis import collect_reviews
from peerjudge.analysis.annotators import measure_annotators
from studies.outcome import Table
from studies.recovery.annotators import Design, plant_votes

SKILLS = (0.90, 0.80, 0.65)
_FIVE = (0.90, 0.85, 0.80, 0.70, 0.65)
_SAMPLES = 60
_BEST = "human_0"


@dataclass(frozen=True, slots=True, kw_only=True)
class TieRecovery:
    """Means over data sets of `people` on `pairs`, with shares of true ties and of random votes for a tie.

    `held` is the share of intervals of true ties that hold their share, those `declined` included;
    `found` the mean share of the others, `None` without any. `best` is the mean reliability of the best
    person less the truth, `best_held` and `reliability_held` are the shares of intervals of the best
    person and of all that hold the truth, and `expected` is the expected accuracy of a reviewer that is
    always right.
    """

    people: int
    pairs: int
    ties: float
    random_ties: float
    held: float
    declined: float
    found: float | None
    best: float
    best_held: float
    reliability_held: float
    expected: float


DESIGNS = tuple(
    Design(
        name=f"{len(skills)} people, {pairs} pairs",
        questions=pairs,
        each=1,
        votes=len(skills),
        skills=skills,
        right=1.0,
        ties=ties,
        random_ties=share,
    )
    for skills, ties, shares in (
        (SKILLS, 0.0, (0.0, 0.02, 0.05)),
        (SKILLS, 0.25, (0.02,)),
        (_FIVE, 0.0, (0.02,)),
        (_FIVE, 0.25, (0.02,)),
    )
    for pairs in (40, 200)
    for share in shares
)


def recover_ties(
    *, studies: int, seed: int = 0, designs: Sequence[Design] = DESIGNS
) -> tuple[TieRecovery, ...]:
    """Return the recovery of true ties in this number of data sets of every design."""
    return tuple(_recover(design, studies, [seed, place]) for place, design in enumerate(designs))


def _recover(design: Design, studies: int, seed: Sequence[int]) -> TieRecovery:
    seeds: list[int] = np.random.default_rng(seed).integers(2**31, size=studies).tolist()
    planted = [plant_votes(design, seed=one) for one in seeds]
    fits = [
        measure_annotators(collect_reviews(one.dataset), samples=_SAMPLES, seed=number)
        for one, number in zip(planted, seeds, strict=True)
    ]
    ties = [fit.ties for fit in fits if fit.ties is not None]
    held = sum(one.low <= design.ties <= one.high for one in ties)
    people = [
        (person.name, person.reliability, one.skill[person.name])
        for fit, one in zip(fits, planted, strict=True)
        for person in fit.annotators
    ]
    within = [(name, one.low <= truth <= one.high) for name, one, truth in people]
    return TieRecovery(
        people=len(design.skills),
        pairs=design.questions,
        ties=design.ties,
        random_ties=design.random_ties,
        held=(held + studies - len(ties)) / studies,
        declined=1.0 - len(ties) / studies,
        found=float(np.mean([one.value for one in ties])) if ties else None,
        best=float(np.mean([one.value - truth for name, one, truth in people if name == _BEST])),
        best_held=float(np.mean([inside for name, inside in within if name == _BEST])),
        reliability_held=float(np.mean([inside for _, inside in within])),
        expected=float(np.mean([fit.accuracies[0].expected.value for fit in fits])),
    )


def say_ties(found: Sequence[TieRecovery]) -> str:
    """Return how often true ties are found where there are none."""
    none = [one for one in found if not one.ties]
    return (
        f"Where three or five people vote for ties at random, without true ties, the annotator model claims "
        f"some in at most {max(1.0 - one.held for one in none):.0%} of the data sets; a reviewer that is "
        f"always right is expected to be in {min(one.expected for one in none):.0%} or more."
    )


def build_ties_table(found: Sequence[TieRecovery], studies: int) -> Table:
    """Return the recovery of true ties by design."""
    return Table(
        title="True ties and votes for ties at random",
        columns=(
            "people",
            "pairs",
            "true ties",
            "random ties",
            "intervals that hold",
            "declined",
            "ties found",
            "best person, less truth",
            "best, covered",
            "all people, covered",
            "always right, expected",
        ),
        rows=tuple(
            tuple("" if value is None else round(value, 3) for value in asdict(one).values())
            for one in found
        ),
        note=f"Means over {studies} data sets with three people, right in 90, 80 and 65 %, or five, right "
        "in 90, 85, 80, 70 and 65 %. Where votes are no evidence of true ties, the model declines their "
        "share, which counts as held.",
    )
