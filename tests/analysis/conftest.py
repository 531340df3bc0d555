"""Published verdicts that several tests of measures read."""

from __future__ import annotations

import pytest

from peerjudge.data import Dataset
from peerjudge.datasets import load


@pytest.fixture(scope="session")
def vicuna(verdicts) -> Dataset:
    """The published verdicts and votes of Vicuna80."""
    return load(verdicts("vicuna80"))


@pytest.fixture(scope="session")
def llmbar(verdicts) -> Dataset:
    """The published verdicts of LLMBar's 65 evaluators."""
    return load(verdicts("llmbar"))


@pytest.fixture(scope="session")
def mtbench(verdicts) -> Dataset:
    """The published votes of MT-Bench and the verdicts of GPT-4."""
    return load(verdicts("mtbench"))
