"""Loopback servers of chat completions, and runs of one experiment with one model."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from peerjudge.data import Condition, Experiment, Transcript
from peerjudge.runs import load, run
from peerjudge.runs.results import RunSummary
from peerjudge.shelf import Shelf
from tests.clients.wire import as_json

MURKY = "The earlier of the two seems to me the one that a patient person would keep."
"""Words with a verdict that no rule finds."""
TOKENS = 60
"""Tokens of one reply with its prompt, as the server bills them."""

Body = dict[str, Any]
Words = Callable[[Body], object]


class ChatServer(ABC):
    """Server of chat completions; `bodies` has its requests, and `billed` the tokens of its replies."""

    def __init__(
        self, server: HTTPServer, *, prompt: int = TOKENS - 10, completion: int = 10
    ) -> None:
        self.bodies: list[Body] = []
        self.billed = 0
        self.usage: dict[str, Any] = {"prompt_tokens": prompt, "completion_tokens": completion}
        self.url = server.url_for("/v1")
        server.expect_request("/v1/chat/completions").respond_with_handler(self._handle)

    @abstractmethod
    def reply(self, body: Body) -> object:
        """Return a content or a message, alone or with its finish reason, or a status or error."""

    def _handle(self, request: Request) -> Response:
        body = json.loads(request.data)
        self.bodies.append(body)
        said = self.reply(body)
        if isinstance(said, int):
            said = write_error("no", said)
        if isinstance(said, Response):
            return said
        content, finish = said if isinstance(said, tuple) else (said, "stop")
        message = content if isinstance(content, dict) else {"content": content}
        choice = {"message": {"role": "assistant", **message}, "finish_reason": finish}
        self.billed += self.usage["prompt_tokens"] + self.usage["completion_tokens"]
        found = {"choices": [{"index": 0, **choice}], "usage": self.usage, "model": body["model"]}
        return as_json(found)


def write_error(message: str, status: int, **more: object) -> Response:
    """Return an error as servers of OpenAI's API send it."""
    return as_json({"error": {"message": message, **more}}, status=status)


class Model(ChatServer):
    """Server of one model. `words` returns the content of a reply, a message, or a status of an error."""

    def __init__(self, server: HTTPServer, folder: Path) -> None:
        super().__init__(server)
        self.words: Words = lambda body: MURKY
        self.finish = "stop"
        (folder / "agents").mkdir()
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

    def reply(self, body: Body) -> object:
        """Return what `words` says, with the finish reason."""
        said = self.words(body)
        if isinstance(said, int) and "response_format" in body:
            return write_error("response_format: json_schema is not supported by this model", said)
        return said if isinstance(said, int) else (said, self.finish)


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
