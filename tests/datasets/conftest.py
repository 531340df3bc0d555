"""Fixtures: paths of published data, and files written for a test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


@pytest.fixture(scope="session")
def published() -> Callable[[str], Path]:
    """Return the path of a published dataset; skip the test where it is absent."""

    def find(place: str) -> Path:
        if not (DATA / place).exists():
            pytest.skip(f"the published data are not at {DATA / place}")
        return DATA / place

    return find


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file of this name; return its path. Rows are written as JSON Lines."""

    def to_file(name: str, content: str | bytes | list[object]) -> Path:
        path = tmp_path / name
        if isinstance(content, list):
            content = "".join(f"{json.dumps(row)}\n" for row in content)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to_file
