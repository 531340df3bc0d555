"""Stochastic reviewers with known traits: they speak through the ordinary path and need no model."""

from peerjudge.simulation.latent import (
    Latent,
    Noise,
    change_probability,
    latent_quality,
    noise_of,
    private_accuracy,
    right_given_margin,
)
from peerjudge.simulation.reviewer import SimulatedReviewer
from peerjudge.simulation.traits import Traits, read_traits

__all__ = [
    "Latent",
    "Noise",
    "SimulatedReviewer",
    "Traits",
    "change_probability",
    "latent_quality",
    "noise_of",
    "private_accuracy",
    "read_traits",
    "right_given_margin",
]
