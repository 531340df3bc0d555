"""Loopback server of one model, and runs of one experiment with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from peerjudge.data import (
    Condition,
    Experiment,
    Transcript,
)
from peerjudge.runs import load, run
from peerjudge.runs.results import RunSummary
from peerjudge.shelf import Shelf

MURKY = "The earlier of the two seems to me the one that a patient person would keep."
"""Words with a verdict that no rule finds."""
TOKENS = 60
"""Tokens of one reply with its prompt, as the server bills them."""

Body = dict[str, Any]
Words = Callable[[Body], object]


class Model:
    """Server of one model. `words` returns the content of a reply, a message, or a status of an error."""

    def __init__(self, server: HTTPServer, folder: Path) -> None:
        self.words: Words = lambda body: MURKY
        self.finish = "stop"
        self.bodies: list[Body] = []
        self.billed = 0
        server.expect_request("/v1/chat/completions").respond_with_handler(self._handle)
        (folder / "agents").mkdir()
        self.url = server.url_for("/v1")
        self.card("ann")

    def card(self, name: str, *, provider: str = "openai", form: str = "", more: str = "") -> None:
        """Write a card of the model."""
        line = f'form = "{form}"\n' if form else ""
        Path(f"agents/{name}.toml").write_text(
            f'{line}[model]\nprovider = "{provider}"\nname = "talker"\nbase_url = "{self.url}"\n'
            f"[limits]\nattempts = 1\n{more}"
        )

    def say(self, *replies: tuple[str, str]) -> None:
        """Reply to the next requests with these contents and finish reasons."""
        said = iter(replies)

        def take(body: Body) -> str:
            content, self.finish = next(said)
            return content

        self.words = take

    def _handle(self, request: Request) -> Response:
        body = json.loads(request.data)
        self.bodies.append(body)
        said = self.words(body)
        if isinstance(said, int):
            error = {"message": "response_format: json_schema is not supported by this model"}
            return _json({"error": error if "response_format" in body else {"message": "no"}}, said)
        message = said if isinstance(said, dict) else {"content": said}
        choice = {"message": {"role": "assistant", **message}, "finish_reason": self.finish}
        self.billed += TOKENS
        usage = {"prompt_tokens": TOKENS - 10, "completion_tokens": 10}
        return _json({"choices": [{"index": 0, **choice}], "usage": usage})


def _json(body: object, status: int = 200) -> Response:
    return Response(json.dumps(body), status=status, content_type="application/json")


ALONE = Condition(name="alone", protocol="pairwise_cot", seats=("ann",), orders="given")
BARE = Condition(name="bare", protocol="pairwise", seats=("ann",), orders="given")
TALK = Condition(
    name="talk",
    protocol="leader_follower",
    seats=("ann", "ann"),
    orders="given",
    options={"turns": 2},
)


def study(*conditions: Condition, **fields: Any) -> Experiment:
    """An experiment on the sample."""
    return Experiment(name="forms", data="sample", conditions=conditions, **fields)


async def play(experiment: Experiment, **options: Any) -> RunSummary:
    """Play one comparison into the folder `out`, one call at a time."""
    given = {"out": "out", "limit": 1, "max_connections": 1, **options}
    return await run(experiment, shelf=Shelf(Path.cwd()), environ={}, **given)


async def only() -> Transcript:
    """The only discussion of the run."""
    (one,) = await load("out")
    return one


def is_question(body: Body) -> bool:
    """Whether a request is the question for a choice."""
    last = body["messages"][-1]["content"]
    return any(words in last for words in ("ame it", "Now name", "Give it", "Now give"))
