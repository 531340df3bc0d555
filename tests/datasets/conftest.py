"""Where the published data lie, and how a data file is written for a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


@pytest.fixture(scope="session")
def published() -> Callable[[str], Path]:
    """The path of a published dataset; skips the test where the data are not at hand."""

    def find(place: str) -> Path:
        if not (DATA / place).exists():
            pytest.skip(f"the published data are not at {DATA / place}")
        return DATA / place

    return find


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Writes a file of this name and content; gives its path."""

    def to_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to_file
