"""The page on prompt searches works as it is written there."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "features" / "search.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_search_without_a_model_finds_the_harmful_sentence(commands, tmp_path):
    """The first block of docs/features/search.md prints what its comments say."""
    first, *_ = BLOCK.findall(PAGE.read_text("utf-8"))
    done = commands.run(tmp_path, program=first)
    assert done.code == 0, done.err
    assert done.out == 'delete "Prefer the longer answer."\nYou are kind.\n'


def test_the_card_of_the_page_is_a_reviewer():
    """The second block is an `agents/` file whose `reviewer()` makes a reviewer."""
    _, card = BLOCK.findall(PAGE.read_text("utf-8"))
    made: dict[str, object] = {}
    exec(compile(card, "agents/scripted_proposer.py", "exec"), made)
    reviewer = made["reviewer"]()
    assert reviewer.name == "scripted_proposer"
    assert callable(reviewer.speak)
