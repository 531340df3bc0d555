"""Published replies to test the reading rules."""

import gzip
import json
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def recorded(name: str) -> list[dict]:
    """Read a gzipped JSON Lines file of the published data; skip if it is absent."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"the published replies are not at {path}")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def vicuna80() -> list[dict]:
    """All 8000 reviews of Vicuna80 with the label of the authors."""
    return recorded("vicuna80/reviews.jsonl.gz")


@pytest.fixture(scope="session")
def llmbar() -> list[dict]:
    """The LLMBar calls that have a text."""
    return [row for row in recorded("llmbar/recorded.jsonl.gz") if "text" in row]
