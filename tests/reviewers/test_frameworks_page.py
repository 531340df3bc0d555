"""The cards on the page about other frameworks are reviewers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from peerjudge.features.judge.trying import try_cards
from peerjudge.shelf import Shelf

PAGE = Path(__file__).resolve().parents[2] / "docs" / "frameworks.md"
CARD = re.compile(r"^```python\n# (agents/\S+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXTRAS = {
    "agents/sdk_judge.py": "agents",
    "agents/microsoft_judge.py": "agent_framework",
    "agents/graph_judge.py": "langgraph",
    "agents/pydantic_judge.py": "pydantic_ai",
    "agents/own_judge.py": "peerjudge",
}
"""Libraries of the cards."""
VERDICTS = {
    "agents/sdk_judge.py": "Answer 1",
    "agents/microsoft_judge.py": "Answer 1",
    "agents/graph_judge.py": "Answer 2",
    "agents/pydantic_judge.py": "Answer 2",
    "agents/own_judge.py": "Answer 2",
}
"""Verdicts that the cards are written to give."""


def test_every_card_of_the_page_has_a_library():
    """Each program of docs/frameworks.md is a card that the next test executes."""
    assert [name for name, _ in CARD.findall(PAGE.read_text("utf-8"))] == list(EXTRAS)


@pytest.mark.parametrize("name", EXTRAS)
async def test_a_card_of_the_page_reviews(name: str, tmp_path):
    """A reader who saves the card and tries it sees its verdict, and the tools it called."""
    pytest.importorskip(EXTRAS[name], reason="needs the extra that docs/frameworks.md names")
    card = tmp_path / name
    card.parent.mkdir()
    card.write_text(dict(CARD.findall(PAGE.read_text("utf-8")))[name], "utf-8")
    (tried,) = [one async for one in try_cards([card.stem], shelf=Shelf(tmp_path))]
    assert (tried.problem, tried.verdict) == ("", VERDICTS[name])
    assert tried.inner > 0
    assert tried.usage.prompt_tokens > 0
