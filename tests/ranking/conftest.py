"""Real and random tournaments for the ranking tests."""

from __future__ import annotations

import pytest

from peerjudge.analysis import build_tournament, collect_reviews
from peerjudge.data import Dataset, Tournament
from peerjudge.datasets import load


@pytest.fixture(scope="session")
def vicuna(verdicts) -> Dataset:
    """The published verdicts and votes of Vicuna80."""
    return load(verdicts("vicuna80"))


@pytest.fixture(scope="session")
def reviews(vicuna: Dataset) -> Tournament:
    """The 8000 reviews by the five models."""
    return build_tournament(collect_reviews(vicuna))


@pytest.fixture(scope="session")
def humans(vicuna: Dataset) -> Tournament:
    """The 800 battles that people voted on."""
    return build_tournament(collect_reviews(vicuna), reviewers=vicuna.humans)
