"""Fits simulated reviewers to published figures, and says how well and how surely that works."""

from peerjudge.simulation.calibration.calibrate import Calibration, calibrate
from peerjudge.simulation.calibration.targets import Figure, Targets, targets

__all__ = ["Calibration", "Figure", "Targets", "calibrate", "targets"]
