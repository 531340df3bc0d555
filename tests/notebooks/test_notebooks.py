"""Runs in a notebook: a display of their progress, plain warnings, and nothing else."""

import json

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

CARD = '[model]\nprovider = "vllm"\nname = "{name}"\nbase_url = "{url}"\n[limits]\nattempts = 2\n'
STUDY = """
import peerjudge as pj

study = pj.Experiment(
    name="study",
    data="sample",
    conditions=tuple(
        pj.Condition(name=name, protocol="pairwise", seats=(name,)) for name in ("ann", "bob")
    ),
)
"""


def test_a_run_displays_its_progress(execute):
    """The bar has discussions of all and the time left, and its last state is saved."""
    settings = "settings={'turns': '2', 'latency': '0.1'}, max_connections=1"
    notebook = execute(
        "import peerjudge as pj",
        f"played = await pj.run('leader_follower', limit=1, out='study', {settings})",
        "again = pj.run_sync('leader_follower', limit=2, out='study', settings={'turns': '2'})",
        "quiet = pj.run_sync('leader_follower', limit=2, out='study', progress=False)",
        "quiet",
        "pj.load_sync('study')[0]",
    )
    last = notebook.shown(1)
    total = last["text/plain"].splitlines()[1].split(" discussions")[0]
    assert total.split(" of ")[0] == total.split(" of ")[1]
    assert f'<progress value="{total.split(" of ")[0]}"' in last["text/html"]
    assert "tokens" in last["text/html"]
    assert "left" not in last["text/plain"]
    assert any("1 open" in each["text/plain"] for each in notebook.updates)
    assert any("s left" in each["text/plain"] for each in notebook.updates)
    assert "tokens" in notebook.shown(2)["text/html"]
    assert notebook.cells[3] == []
    assert "discussions already complete" in notebook.shown(4)["text/html"]
    assert "Choice: Answer" in notebook.shown(5)["text/html"]
    assert notebook.streams("stdout") == notebook.streams("stderr") == ""


@pytest.mark.slow
def test_warnings_are_plain_lines(execute, tmp_path, httpserver: HTTPServer):
    """A busy server and a wrong key cause lines without terminal codes, ten for one kind of failure."""
    (tmp_path / "agents").mkdir()
    for name in ("ann", "bob"):
        card = CARD.format(name=name, url=httpserver.url_for("/v1"))
        (tmp_path / f"agents/{name}.toml").write_text(card)
    asked: list[str] = []

    def reply(request: Request) -> Response:
        asked.append(request.json["model"])
        if asked[-1] == "bob":
            return Response("wrong key", status=401)
        if asked.count("ann") == 1:
            return Response("busy", status=503)
        said = {"role": "assistant", "content": "Answer (a)"}
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        return Response(json.dumps({"choices": [choice]}), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(reply)
    notebook = execute(STUDY, "summary = await pj.run(study, limit=8, out='study')")
    assert asked.count("ann") == asked.count("bob") + 1 == 17
    assert "32 of 32 discussions, 16 failed" in notebook.shown(1)["text/plain"]
    assert notebook.streams("stdout") == ""
    lines = notebook.streams("stderr").splitlines()
    assert sum(line.startswith("turn failed") for line in lines) == 10
    assert sum(line.startswith("no usage reported") for line in lines) == 1
    assert len(lines) == 11
    assert "further ones are counted only" in lines[-1]
    assert "\x1b" not in json.dumps(notebook.cells)
