"""Real and random tournaments for the ranking tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from peerjudge.data import Dataset, Tournament
from peerjudge.datasets import load
from peerjudge.ranking import from_dataset

HERE = Path(__file__).resolve()
DATA = HERE.parents[2].parent / "shared" / "data" / "vicuna80" / "original"


@pytest.fixture(scope="session")
def vicuna() -> Dataset:
    """The published data, in the authors' own layout."""
    if not DATA.exists():
        pytest.skip("the published Vicuna80 data are not beside this checkout")
    return load(f"vicuna80:{DATA}")


@pytest.fixture(scope="session")
def reviews(vicuna: Dataset) -> Tournament:
    """The 8000 reviews by the five models."""
    return from_dataset(vicuna)


@pytest.fixture(scope="session")
def humans(vicuna: Dataset) -> Tournament:
    """The 800 battles that people voted on."""
    return from_dataset(vicuna, reviewers=vicuna.humans)
