"""Published replies to test the reading rules, and tokens with probabilities."""

import gzip
import json
import math
from pathlib import Path

import pytest

from peerjudge.data import TokenLogprob

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


def token(text: str, top: dict[str, float] | None = None) -> TokenLogprob:
    """A token with the probabilities of its alternatives, its own among them."""
    chances = top or {text: 1.0}
    return TokenLogprob(
        token=text,
        logprob=math.log(chances[text]),
        top=tuple((other, math.log(chance)) for other, chance in chances.items()),
    )
