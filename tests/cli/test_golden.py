"""Documents of all commands that analyse, on a simulated run and on the reviews of Vicuna80.

A change of design must leave these numbers as they are, or say in its commit which changed and why:
`pytest tests/cli/test_golden.py --update-golden` writes them anew.
"""

from __future__ import annotations

import pytest

RUN = (
    "score study",
    "score study --by leader",
    "score study --between sim_strong,sim_weak",
    "compare study",
    "rank study",
    "rank study --weights peer",
    "rank study --scoring elo --weights peer --scheme damped",
    "agreement study",
    "agreement study --panel",
    "events study --summary",
    "bias study",
)
DATA = (
    "score DATA",
    "compare DATA",
    "rank DATA",
    pytest.param(
        "rank DATA --scoring elo --weights peer --bootstrap 20",
        marks=pytest.mark.slow,  # the ratings are those of test_published_rankings
    ),
    "rank DATA --scoring bradley-terry --weights peer --scheme damped",
    "agreement DATA",
    "agreement DATA --weights peer",
    "agreement DATA --panel",
    "bias DATA",
)


@pytest.mark.parametrize("command", RUN)
def test_documents_of_a_run_stay_as_they_are(played, command, require_golden):
    """Verdicts of 168 discussions become the same accuracies, contrasts, events, weights and biases."""
    require_golden(command, played(*command.split(), "--json").document)


@pytest.mark.parametrize("command", DATA)
def test_documents_of_published_reviews_stay_as_they_are(shell, verdicts, command, require_golden):
    """The reviews of PRD's five models give the same accuracies, ratings, weights, kappas and biases."""
    words = [verdicts("vicuna80") if word == "DATA" else word for word in command.split()]
    require_golden(command, shell(*words, "--json").document)
