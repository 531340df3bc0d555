"""Runs in batch mode against a batch API on loopback that counts what it bills."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass, field

import pytest
from aiohttp import web

from peerjudge.data import Condition, Experiment, Leader, Orders
from peerjudge.errors import ExperimentError
from peerjudge.runs import estimate_calls, prepare as resolve, run
from tests.features.batches.batch_kit import (
    COST,
    DISCUSSIONS,
    TURNS,
    BatchApi,
    end_at_each,
    finish,
    prepare,
    require_paid_once,
    write_reply,
)

STEPS = ("begin", "upload", "create", "look", "results")


@dataclass
class BatchServer(BatchApi):
    """OpenAI's files and batches; `files` has what was uploaded.

    Steps are begin, upload, create, look and results, fates done, expired, or a status.
    """

    below = "/v1"
    files: dict[str, bytes] = field(default_factory=dict)

    def app(self) -> web.Application:
        """Return the application."""
        app = web.Application(client_max_size=2**28)
        app.router.add_post("/v1/files", self.upload)
        app.router.add_get("/v1/files/{id}/content", self.results)
        app.router.add_post("/v1/batches", self.create)
        app.router.add_get("/v1/batches", self.list)
        app.router.add_get("/v1/batches/{id}", self.look)
        app.router.add_post("/v1/chat/completions", self.chat)
        return app

    async def chat(self, request: web.Request) -> web.Response:
        """Answer a single call, which no run in batch mode makes."""
        self.single += 1
        return web.json_response(_complete(await request.json()))

    async def upload(self, request: web.Request) -> web.Response:
        self.on_step("begin")
        form = await request.post()
        assert form["purpose"] == "batch"
        name = f"file-{len(self.files)}"
        self.files[name] = form["file"].file.read()
        self.on_step("upload")
        return web.json_response({"id": name, "object": "file"})

    async def create(self, request: web.Request) -> web.Response:
        body = await request.json()
        assert body["endpoint"] == "/v1/chat/completions"
        assert body["completion_window"] == "24h"
        lines = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
        assert len({line["custom_id"] for line in lines}) == len(lines)
        assert len({line["body"]["model"] for line in lines}) == 1
        name = f"batch_{len(self.batches)}"
        self.batches[name] = {"metadata": body["metadata"], "lines": lines, "looks": 0}
        self.on_step("create")
        return web.json_response(self._describe(name))

    async def list(self, request: web.Request) -> web.Response:
        found = [self._describe(name) for name in reversed(self.batches)]
        return web.json_response({"object": "list", "data": found, "has_more": False})

    async def look(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        batch = self.batches[name]
        batch["looks"] += 1
        if batch["looks"] >= self.looks and "output" not in batch:
            self._run(batch)
        self.on_step("look")
        return web.json_response(self._describe(name))

    async def results(self, request: web.Request) -> web.StreamResponse:
        kind, name = request.match_info["id"].split("-", 1)
        return await self.send_lines(request, self.batches[name][kind])

    def _run(self, batch: dict) -> None:
        batch["output"], batch["error"] = [], []
        for line in batch["lines"]:
            key = line["custom_id"]
            fate = self.draw_fate(key)
            result = {"id": "r", "custom_id": key, "response": None, "error": None}
            if fate == "done":
                body = _complete(line["body"])
                batch["output"].append(result | {"response": {"status_code": 200, "body": body}})
            elif fate == "expired":
                error = {"code": "batch_expired", "message": "too late"}
                batch["error"].append(result | {"error": error})
            else:
                body = {"error": {"message": "no"}}
                response = {"status_code": int(fate), "body": body}
                batch["error"].append(result | {"response": response})

    def _describe(self, name: str) -> dict:
        batch = self.batches[name]
        found = {"id": name, "object": "batch", "created_at": 2_000_000_000}
        found |= {"metadata": batch["metadata"], "status": "in_progress"}
        if "output" in batch:
            found["status"] = "completed"
            for kind in ("output", "error"):
                found[f"{kind}_file_id"] = f"{kind}-{name}" if batch[kind] else None
        return found


def _complete(body: dict) -> dict:
    message = {"role": "assistant", "content": write_reply(body)}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 500, "completion_tokens": 100},
    }


async def test_a_study_goes_out_in_one_batch_a_turn(kit, start, tmp_path, commands):
    """Discussions wait for each other: each batch has one request of every open discussion."""
    server = start(BatchServer())
    prepare(kit, tmp_path, server)
    summary = finish(tmp_path, commands)
    await require_paid_once(tmp_path, server, summary)
    assert [len(each["lines"]) for each in server.batches.values()] == [DISCUSSIONS] * TURNS


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
async def test_a_run_ended_at_each_step_pays_nothing_twice(kit, start, tmp_path, commands, number):
    """However a run ends, the same command collects its batches and sends none of them again."""
    server = start(BatchServer())
    prepare(kit, tmp_path, server)
    twice = [step for step in STEPS for _ in range(2)]
    end_at_each(server, twice, tmp_path, commands, number=number)
    kills = len(twice) if number == signal.SIGKILL else 0
    await require_paid_once(tmp_path, server, finish(tmp_path, commands), kills=kills)


@pytest.mark.slow
async def test_requests_that_did_not_run_are_sent_again(kit, start, tmp_path, commands):
    """Expired lines go into the next batch, failed ones are retried, and replies are billed once."""

    def fate(key, tries):
        return ("expired", "500")[int(key[0], 16) % 2] if tries == 0 and key[1] < "8" else "done"

    server = start(BatchServer(fate=fate))
    prepare(kit, tmp_path, server)
    await require_paid_once(tmp_path, server, finish(tmp_path, commands))
    assert max(server.tried.values()) == 2


async def test_only_cards_with_a_batch_api_use_batches(kit, start, tmp_path, monkeypatch):
    """Simulated cards play as always; a study without a card that can batch is refused before any call."""
    server = start(BatchServer())
    prepare(kit, tmp_path, server, seats=("ann", "sim_plain"))
    monkeypatch.chdir(tmp_path)
    given = {"data": "sample", "limit": 2, "batch": True}
    summary = await run("study", out="out", **given)
    assert summary.discussions.failed == 0
    assert [len(each["lines"]) for each in server.batches.values()] == [4, 4, 4]
    with pytest.raises(ExperimentError, match="leave out --batch"):
        await run("quickstart", out="other", **given)
    with pytest.raises(ExperimentError, match="--cache none"):
        await run("study", out="third", cache="none", **given)
    with pytest.raises(ExperimentError, match="leave out --deadline"):
        await run("study", out="third", deadline=5, **given)
    card = tmp_path / "agents" / "ann.toml"
    card.write_text(card.read_text().replace("batch = true\n", ""))
    with pytest.raises(ExperimentError, match=r"'ann' has base_url = .*set batch = true if"):
        await run("study", out="other", **given)
    card.write_text(card.read_text().replace("name =", "batch = false\nname ="))
    with pytest.raises(ExperimentError, match="leave out --batch"):
        await run("study", out="other", **given)
    assert server.single == 0


async def test_a_limit_holds_at_half_prices(kit, start, tmp_path, monkeypatch):
    """With a limit, discussions that wait for room are no reason to wait with a batch."""
    server = start(BatchServer())
    prepare(kit, tmp_path, server)
    monkeypatch.chdir(tmp_path)
    summary = await run("study", out="out", limit=4, batch=True, cost_limit=COST / 2)
    assert summary.stopped == "cost limit"
    assert 0 < summary.cost_usd <= COST / 2
    assert summary.cost_usd == pytest.approx(COST * sum(server.billed.values()) / 48)
    whole = await run("study", out="out", limit=4, batch=True, cost_limit=2 * COST)
    assert whole.spent_before.usd + whole.cost_usd == pytest.approx(COST)
    card = tmp_path / "agents" / "bob.toml"
    card.write_text(card.read_text().replace("max_tokens = 100", ""))
    with pytest.raises(ExperimentError, match="set max_tokens"):
        await run("study", out="new", limit=4, batch=True, cost_limit=1)


@pytest.mark.parametrize(
    ("protocol", "seats", "options", "windows"),
    [
        ("vote", ("ann",) * 9, {}, [36]),
        ("vote", ("ann",) * 3, {"opening": "prepair", "self_metrics": True}, [12, 24, 12]),
        ("prepair", ("ann",), {}, [8, 4]),
    ],
)
async def test_a_wave_is_one_window(
    kit, start, tmp_path, monkeypatch, protocol, seats, options, windows
):
    """All calls that hear none of each other go out together, as the estimate says."""
    server = start(BatchServer())
    prepare(kit, tmp_path, server)
    monkeypatch.chdir(tmp_path)
    one = Condition(
        name="one",
        protocol=protocol,
        seats=seats,
        options=options,
        orders=Orders.GIVEN,
        leader=Leader.FIRST,
    )
    study = Experiment(data="sample", conditions=(one,))
    planned = resolve(study, limit=4)
    found = estimate_calls(planned.plan, planned.costs, batched=["ann"])
    assert found.windows == found.waves == {"one": len(windows)}
    summary = await run(study, out="out", limit=4, batch=True)
    assert summary.discussions.done == 4
    assert [len(batch["lines"]) for batch in server.batches.values()] == windows
    assert server.single == 0
