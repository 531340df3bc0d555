"""Runs in batch mode against Anthropic's Message Batches API on loopback, which counts what it bills."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web

from peerjudge.runs import run
from tests.features.batches.batch_kit import (
    COST,
    DISCUSSIONS,
    RUN,
    TURNS,
    BatchApi,
    end_at_each,
    finish,
    prepare,
    require_paid_once,
    write_reply,
)

STEPS = ("begin", "create", "look", "results")
PAGE = 2
KEY = 32
"""Characters of a `custom_id` that name its request."""


@dataclass
class MessageBatchServer(BatchApi):
    """Message batches of Anthropic, whose list counts as a look; `sent` has the parameters of all requests.

    Steps are begin (before a batch is created), create, look and results, fates done, expired, canceled or
    the type of an error.
    """

    sent: list[dict] = field(default_factory=list)

    def app(self) -> web.Application:
        """Return the application."""
        app = web.Application(client_max_size=2**28)
        app.router.add_post("/v1/messages/batches", self.create)
        app.router.add_get("/v1/messages/batches", self.list)
        app.router.add_get("/v1/messages/batches/{id}", self.look)
        app.router.add_get("/v1/messages/batches/{id}/results", self.results)
        app.router.add_post("/v1/messages", self.message)
        return app

    async def message(self, request: web.Request) -> web.Response:
        """Answer a single call, which no run in batch mode makes."""
        self.single += 1
        self.sent.append(await request.json())
        return web.json_response(_complete(self.sent[-1]))

    async def create(self, request: web.Request) -> web.Response:
        assert request.headers["anthropic-version"]
        assert request.headers["x-api-key"]
        self.on_step("begin")
        body = await request.json()
        assert list(body) == ["requests"]
        names = [each["custom_id"] for each in body["requests"]]
        assert len(set(names)) == len(names)
        assert all(len(name) <= 64 and name.isalnum() for name in names)
        self.sent += [each["params"] for each in body["requests"]]
        name = self.add(body["requests"])
        self.on_step("create")
        return web.json_response(self._describe(name))

    def add(self, requests: list[dict]) -> str:
        """Create a batch and return its id."""
        name = f"msgbatch_{len(self.batches)}"
        self.batches[name] = {"requests": requests, "looks": 0, "created": datetime.now(UTC)}
        return name

    async def list(self, request: web.Request) -> web.Response:
        names = list(reversed(self.batches))
        start = names.index(request.query["after_id"]) + 1 if "after_id" in request.query else 0
        page = names[start : start + PAGE]
        for name in page:
            self._pass_time(name)
        return web.json_response(
            {
                "data": [self._describe(name) for name in page],
                "has_more": start + PAGE < len(names),
                "first_id": page[0] if page else None,
                "last_id": page[-1] if page else None,
            }
        )

    async def look(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        self._pass_time(name)
        self.on_step("look")
        return web.json_response(self._describe(name))

    async def results(self, request: web.Request) -> web.StreamResponse:
        batch = self.batches[request.match_info["id"]]
        return await self.send_lines(request, batch["results"])

    def _pass_time(self, name: str) -> None:
        batch = self.batches[name]
        batch["looks"] += 1
        if batch["looks"] >= self.looks and "results" not in batch:
            batch["results"] = [self._run(each) for each in reversed(batch["requests"])]

    def _run(self, request: dict) -> dict:
        name = request["custom_id"]
        key = name[:KEY]
        fate = self.draw_fate(key)
        result: dict = {"type": fate}
        if fate == "done":
            result = {"type": "succeeded", "message": _complete(request["params"])}
        elif fate.endswith("_error"):
            error = {"type": "error", "error": {"type": fate, "message": "no"}}
            result = {"type": "errored", "error": error}
        return {"custom_id": name, "result": result}

    def _describe(self, name: str) -> dict:
        batch = self.batches[name]
        ended, size = "results" in batch, len(batch["requests"])
        counts = dict.fromkeys(("canceled", "errored", "expired", "processing", "succeeded"), 0)
        kinds = Counter(each["result"]["type"] for each in batch.get("results", ()))
        counts |= kinds if ended else {"processing": size}
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "created_at": batch["created"].isoformat().replace("+00:00", "Z"),
            "expires_at": (batch["created"] + timedelta(days=1)).isoformat(),
            "archived_at": None,
            "results_url": f"https://elsewhere.invalid/{name}" if ended else None,
        }


def _complete(params: dict) -> dict:
    return {
        "id": "msg_x",
        "type": "message",
        "role": "assistant",
        "model": params["model"],
        "content": [{"type": "text", "text": write_reply(params)}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 500, "output_tokens": 100},
    }


def age_creations(folder):
    """Let two minutes pass for the batches whose creation is unknown."""
    with closing(sqlite3.connect(folder / "out" / "replies.db")) as cache, cache:
        cache.execute("UPDATE batches SET created = created - 120 WHERE state = 'creating'")


async def test_batches_have_the_requests_of_single_calls(kit, start, tmp_path, commands):
    """The parameters in a batch, system prompt included, equal those of calls at once, at half the cost."""
    server = start(MessageBatchServer())
    prepare(kit, tmp_path, server, provider="anthropic")
    summary = finish(tmp_path, commands)
    await require_paid_once(tmp_path, server, summary)
    assert [len(each["requests"]) for each in server.batches.values()] == [DISCUSSIONS] * TURNS
    batched, server.sent = server.sent, []
    roles = {(each["system"].splitlines()[-1], each["max_tokens"]) for each in batched}
    assert roles == {("You are ann.", 100), ("You are bob.", 100)}
    assert {each["role"] for sent in batched for each in sent["messages"]} <= {"user", "assistant"}
    single = [each for each in RUN if each != "--batch"]
    single[single.index("out")] = "single"
    commands.start(tmp_path, *single)
    assert commands.code() == 0, (tmp_path / "stderr").read_text()
    assert sorted(map(json.dumps, server.sent)) == sorted(map(json.dumps, batched))


@pytest.mark.slow
async def test_a_run_killed_at_each_step_pays_nothing_twice(kit, start, tmp_path, commands):
    """Whenever a run is killed, the same command finds its batches, also where only the list can tell."""
    server = start(MessageBatchServer())
    prepare(kit, tmp_path, server, provider="anthropic")
    # Another program's batches of the same size, one of which is under way.
    for looks in (5, -4):
        foreign = [
            {"custom_id": f"x{i}", "params": {"model": "m", "foreign": True}}
            for i in range(DISCUSSIONS)
        ]
        server.batches[server.add(foreign)]["looks"] = looks
    steps = (*STEPS, "create")
    end_at_each(server, steps, tmp_path, commands, between=lambda: age_creations(tmp_path))
    summary = finish(tmp_path, commands)
    for i in range(DISCUSSIONS):
        server.billed.pop(f"x{i}", None)
    await require_paid_once(tmp_path, server, summary)


@pytest.mark.slow
async def test_requests_that_did_not_run_are_sent_again(kit, start, tmp_path, commands):
    """Expired, cancelled and overloaded requests go into a later batch, and replies are billed once."""
    fates = ("expired", "canceled", "overloaded_error", "api_error")

    def fate(key, tries):
        return fates[int(key[0], 16) % 4] if tries == 0 and key[1] < "8" else "done"

    server = start(MessageBatchServer(fate=fate))
    prepare(kit, tmp_path, server, provider="anthropic")
    await require_paid_once(tmp_path, server, finish(tmp_path, commands))
    assert max(server.tried.values()) == 2


async def test_a_refused_request_fails_its_discussion_alone(kit, start, tmp_path, monkeypatch):
    """An invalid request in a batch is reported as by a single call, is not repeated and costs nothing."""
    refused: set[str] = set()

    def fate(key, tries):
        if not refused:
            refused.add(key)
        return "invalid_request_error" if key in refused else "done"

    server = start(MessageBatchServer(fate=fate))
    prepare(kit, tmp_path, server, provider="anthropic")
    monkeypatch.chdir(tmp_path)
    summary = await run("study", out="out", limit=4, batch=True)
    assert summary.discussions.failed == 1
    assert server.tried[refused.pop()] == 1
    assert summary.cost_usd == pytest.approx(COST * sum(server.billed.values()) / 48, rel=0.2)
    assert len(server.billed) == summary.calls.paid
