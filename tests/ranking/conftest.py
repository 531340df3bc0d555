"""Real and random tournaments for the ranking tests."""

from __future__ import annotations

import pytest

from peerjudge.data import Dataset, Tournament
from peerjudge.datasets import load
from peerjudge.ranking import from_dataset


@pytest.fixture(scope="session")
def vicuna(verdicts) -> Dataset:
    """The published verdicts and votes of Vicuna80."""
    return load(verdicts("vicuna80"))


@pytest.fixture(scope="session")
def reviews(vicuna: Dataset) -> Tournament:
    """The 8000 reviews by the five models."""
    return from_dataset(vicuna)


@pytest.fixture(scope="session")
def humans(vicuna: Dataset) -> Tournament:
    """The 800 battles that people voted on."""
    return from_dataset(vicuna, reviewers=vicuna.humans)
