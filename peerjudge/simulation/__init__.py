"""Stochastic reviewers with known traits, for which no model is called."""

from peerjudge.simulation.latent import (
    compute_change_chance,
    expect_accuracy,
    find_latent,
    split_noise,
)
from peerjudge.simulation.reactions import reads_wording
from peerjudge.simulation.reviewer import SimulatedReviewer
from peerjudge.simulation.traits import Traits, read_traits
from peerjudge.simulation.writing import WRITERS, SimulatedWriter, find_answer_quality

__all__ = [
    "WRITERS",
    "SimulatedReviewer",
    "SimulatedWriter",
    "Traits",
    "compute_change_chance",
    "expect_accuracy",
    "find_answer_quality",
    "find_latent",
    "read_traits",
    "reads_wording",
    "split_noise",
]
