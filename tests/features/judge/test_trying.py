"""`check --try` plays a reviewer once, before a study is paid for."""

from __future__ import annotations

import json

import pytest

from peerjudge.errors import ShelfError
from peerjudge.features.judge.trying import try_cards
from peerjudge.shelf import Shelf
from peerjudge.testing.tried import list_python_cards

AGENTS = {
    "longest": """
async def reviewer(request):
    texts = [request.comparison.answer(one).text for one in request.cue.sees]
    return f"The longer one.\\n\\nAnswer ({'ab'[texts.index(max(texts, key=len))]})"
""",
    "mute": """
async def reviewer(request):
    return "Both have merits that I could discuss at length."
""",
    "broken": """
async def reviewer(request):
    raise ValueError("no database")
""",
}


@pytest.fixture
def project(tmp_path):
    """A folder with three reviewers in Python and a card of a model."""
    (tmp_path / "agents").mkdir()
    for name, source in AGENTS.items():
        (tmp_path / "agents" / f"{name}.py").write_text(f'"""Reviewer."""\n{source}')
    return tmp_path


async def test_a_trial_shows_what_a_reviewer_said_and_what_was_read(project):
    """A verdict that is read is a success; a failure and a reply without a verdict are problems."""
    shelf = Shelf(project)
    names = list_python_cards(shelf)
    assert sorted(names) == sorted(AGENTS)
    tried = {one.card: one async for one in try_cards(names, shelf=shelf)}
    assert (tried["longest"].verdict, tried["longest"].problem) == ("Answer 2", "")
    assert tried["longest"].text.endswith("Answer (b)")
    assert tried["mute"].problem.startswith("no verdict was read from its reply")
    assert tried["broken"].problem == "broken failed in turn 0: ValueError: no database"
    assert [path.name for path in project.iterdir()] == ["agents"]


async def test_a_trial_of_an_unknown_card_tries_nothing(project):
    """Names are resolved before a card is played, as each trial may cost money."""
    with pytest.raises(ShelfError, match="'nobody'"):
        [one async for one in try_cards(["longest", "nobody"], shelf=Shelf(project))]


@pytest.mark.slow
def test_the_command_fails_where_a_trial_does(project, commands):
    """`check --try` exits with 2 if a reviewer has a problem, and other cards are tried by name."""
    whole = commands.run(project, "check", "--try")
    assert whole.code == 2
    assert "agents/longest: Answer 2, read by: " in whole.out
    assert "wrong agents/broken: broken failed in turn 0: ValueError" in whole.out
    one = commands.run(project, "check", "--card", "sim_strong", "--json")
    assert one.code == 0
    (tried,) = json.loads(one.out)["tried"]
    assert (tried["card"], tried["problem"]) == ("sim_strong", "")
    assert tried["usage"]["estimated"]
    limited = commands.run(project, "check", "--cost-limit", "1")
    assert limited.code == 2
    assert "add --try" in limited.err


def test_json_of_trials_is_json_alone(commands, tmp_path):
    """A project without Python files has nothing to try: its document is whole, the note on stderr."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "own.toml").write_text("[traits]\nability = 0.9\n")
    done = commands.run(tmp_path, "check", "--try", "--json")
    assert done.code == 0
    assert done.document["tried"] == []
    assert "no reviewer that is a Python file" in done.err
