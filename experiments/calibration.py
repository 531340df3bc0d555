"""How near do the simulated reviewers come to what was published, and what would come as near?

Computes instead of playing: fits the reviewers to PRD, PRePair and the recorded reviews of Vicuna80,
simulates thousands of studies of their size, and prints for every published figure what is expected,
where 95 % of studies lie and how far off it is; beside every summary its noise floor, three models
without discussion, and what the fit predicts of figures that it was not shown. Takes about a minute.

    peerjudge run calibration --json
"""

from peerjudge.data import Study
from peerjudge.simulation.calibration.study import calibration_study


def study(*, seed: int) -> Study:
    """Fit, simulate and compare."""
    return calibration_study(seed=seed)
