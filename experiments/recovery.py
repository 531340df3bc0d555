"""Does the analysis find what was planted, and nothing where nothing was?

Computes instead of playing: plants an altering rate, a leader effect, a position bias, an order of
ability and a self-enhancement in hundreds of simulated studies each, measures them as a real study is
measured, and counts how often the interval holds the truth; then the same with nothing planted. Also
says which traits a study of this size cannot tell. Takes two or three minutes.
"""

from peerjudge.data import Study
from peerjudge.simulation.recovery.study import recovery_study


def study(*, seed: int) -> Study:
    """Plant, measure and count."""
    return recovery_study(seed=seed)
