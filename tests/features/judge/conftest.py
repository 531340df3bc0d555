"""Projects whose reviewers decide by rule, and a server of a model that is paid."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from peerjudge.shelf import Shelf
from tests.clients.wire import as_json, completion

CARDS = {
    "longer": "max(range(len(texts)), key=lambda at: len(texts[at]))",
    "shorter": "min(range(len(texts)), key=lambda at: len(texts[at]))",
    "first": "0",
    "mute": "None",
    "broken": "1 / 0",
    # Holds that the shorter one is better until it hears another seat, and then what that seat holds.
    "swayed": (
        "min(range(len(texts)), key=lambda at: len(texts[at])) if not others else "
        "shown.index(others[-1].review.verdict.choice)"
    ),
}
CARD = '''"""Decides by rule: a reviewer for tests."""


async def decide(request):
    texts = [answer.text for answer in request.comparison.answers]
    shown = request.comparison.shown
    others = [turn for turn in request.heard if turn.cue.seat != request.seat.id]
    place = {rule}
    if place is None:
        return "There is much to say about all of them."
    return f"I have read all of them.\\n\\nAnswer ({{'abcd'[place]}})"


def reviewer():
    return decide
'''
TOKENS = 110
"""Tokens of one paid reply with its prompt, as the server bills them: 100 and 10."""


class Project:
    """A folder with cards that decide by rule, and a card `paid` whose model the server bills.

    The model chooses the answer that contains the word `apple`; `status` other than 200 makes calls fail.
    """

    def __init__(self, folder: Path, server: HTTPServer) -> None:
        self.folder = folder
        self.shelf = Shelf(folder)
        self.environ = {"OPENAI_API_KEY": "sk-secret-of-the-test"}
        self.status = 200
        self.calls: Counter[str] = Counter()
        self.prompts: list[str] = []
        (folder / "agents").mkdir()
        for name, rule in CARDS.items():
            (folder / "agents" / f"{name}.py").write_text(CARD.format(rule=rule))
        (folder / "agents/paid.toml").write_text(
            '[model]\nprovider = "openai"\nname = "paid-1"\n'
            f'base_url = "{server.url_for("/v1")}"\n'
            "[sampling]\nmax_tokens = 20\n[limits]\nattempts = 1\n"
        )
        (folder / "prices.toml").write_text('["paid-1"]\ninput = 1.0\noutput = 1.0\n')
        server.expect_request("/v1/chat/completions").respond_with_handler(self._handle)

    def _handle(self, request: Request) -> Response:
        prompt = "\n".join(one["content"] for one in json.loads(request.data)["messages"])
        self.calls[prompt] += 1
        self.prompts.append(prompt)
        if self.status != 200:
            return Response('{"error": {"message": "no"}}', status=self.status)
        letter = "a" if prompt.find("apple") < prompt.find("pear") else "b"
        text = f"As asked.\n\nAnswer ({letter})"
        return as_json(completion(text, usage=(TOKENS - 10, 10), model="paid-1"))


@pytest.fixture
def project(tmp_path: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project that is the working folder, with a reply cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user-cache"))
    return Project(tmp_path, httpserver)
