"""Golden files of prompts, compared or rewritten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from peerjudge.data import Message

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "prompts"


@pytest.fixture
def matches_golden(request: pytest.FixtureRequest) -> Callable[[str, Sequence[Message]], bool]:
    """Compare messages with a golden file; `--update-golden` rewrites the file first."""

    def compare(name: str, messages: Sequence[Message]) -> bool:
        path = GOLDEN / f"{name}.txt"
        shown = [
            f"===== {each.role} {each.source}".rstrip() + f"\n{each.text}" for each in messages
        ]
        written = "\n".join(shown) + "\n"
        if request.config.getoption("--update-golden"):
            path.write_text(written, encoding="utf-8", newline="\n")
        return written == path.read_text(encoding="utf-8")

    return compare
