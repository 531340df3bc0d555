"""The interval of the package for many simulated studies at once."""

from __future__ import annotations

import numpy as np

from peerjudge.statistics.clusters import Floats
from peerjudge.statistics.interval import DIFFERENCE, measure_least, measure_ratios


def measure_many(differences: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return value, low, high and p-value over the better of several ways, for each of many studies.

    Args:
        differences: Ours minus each way's, `[study, way, question]`.
    """
    by_question = np.moveaxis(differences, -1, 0)
    counts = np.ones_like(by_question)
    return measure_least(measure_ratios(by_question, counts, limits=DIFFERENCE))
