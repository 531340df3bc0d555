"""Stochastic reviewers with known traits, for which no model is called."""

from peerjudge.simulation.latent import (
    compute_change_chance,
    expect_accuracy,
    find_latent,
    split_noise,
)
from peerjudge.simulation.reviewer import SimulatedReviewer
from peerjudge.simulation.traits import Traits, read_traits

__all__ = [
    "SimulatedReviewer",
    "Traits",
    "compute_change_chance",
    "expect_accuracy",
    "find_latent",
    "read_traits",
    "split_noise",
]
