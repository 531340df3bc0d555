"""A simulated play of the study with real models."""

from __future__ import annotations

import pytest

from studies.real_models.__main__ import main


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """Return the folder of a simulated play of two comparisons."""
    folder = tmp_path_factory.mktemp("play")
    assert main(["play", "--simulated", "--out", str(folder), "--comparisons", "2"]) == 0
    return folder
