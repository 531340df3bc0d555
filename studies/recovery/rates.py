"""How often intervals hold what was planted, and how often something is found where nothing was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studies.recovery.effects import EFFECTS, Effect

__all__ = ["Recovered", "recover"]

_LEVEL = 0.95
_SURE = 0.999
"""How improbable a share of studies has to be before it counts as off the nominal rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """An effect in so many studies.

    `covered` is the share whose 95 % interval holds the truth, `detected` the share whose interval
    leaves out that there is no effect, `false` the same share where none was planted. `estimate` is
    the mean over studies. `least` and `most` bound the shares that chance allows at the nominal rates.
    """

    effect: Effect
    studies: int
    questions: int
    truth: float
    estimate: float
    covered: float
    detected: float
    false: float
    least_covered: float
    most_false: float

    @property
    def nominal(self) -> bool:
        """Whether the interval keeps its promise, planted and not."""
        return self.covered >= self.least_covered and self.false <= self.most_false


def recover(
    *,
    studies: int,
    questions: int = 140,
    seed: int = 0,
    effects: Sequence[Effect] = EFFECTS,
) -> tuple[Recovered, ...]:
    """Plant every effect in so many studies, and nothing in as many others."""
    return tuple(
        _recovered(effect, studies, questions, np.random.default_rng([seed, number]))
        for number, effect in enumerate(effects)
    )


def _recovered(
    effect: Effect, studies: int, questions: int, random: np.random.Generator
) -> Recovered:
    # Imported here because a spoken discussion does not need it.
    from scipy.special import bdtr

    planted = [effect.measure(effect.planted, questions, random) for _ in range(studies)]
    nothing = [effect.measure(effect.nothing, questions, random) for _ in range(studies)]
    shares = np.arange(studies + 1)
    chance = np.asarray(bdtr(shares, studies, _LEVEL), dtype=np.float64)
    least = int(np.searchsorted(chance, 1 - _SURE)) / studies
    return Recovered(
        effect=effect,
        studies=studies,
        questions=questions,
        truth=planted[0].truth,
        estimate=float(np.mean([one.found.value for one in planted])),
        covered=float(np.mean([one.found.low <= one.truth <= one.found.high for one in planted])),
        detected=float(
            np.mean([not one.found.low <= effect.none <= one.found.high for one in planted])
        ),
        false=float(
            np.mean([not one.found.low <= effect.none <= one.found.high for one in nothing])
        ),
        least_covered=least,
        most_false=1 - least,
    )
