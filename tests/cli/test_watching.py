"""Logs and progress of a run, without its keys."""

from __future__ import annotations

import json

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.clients import wire
from tests.clients.wire import as_json

KEY = "sk-planted-0123456789"

STUDY = '''
"""Do Ann and Bob agree?"""

from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data="sample",
    conditions=(Condition(name="talk", protocol="leader_follower", seats=("ann", "bob")),),
)
'''


def completion(request: Request) -> Response:
    """Return a reply that quotes the key of the request."""
    said = f"Asked with {request.headers['Authorization']}, I say:\n1"
    return as_json(wire.completion(said))


def refusal(request: Request) -> Response:
    """Return an error that quotes the key of the request."""
    error = {"message": f"Wrong key: {request.headers['Authorization']}", "code": None}
    return as_json({"error": error}, status=401)


@pytest.fixture
def project(shell, httpserver: HTTPServer):
    """A project whose two reviewers are one local model."""
    for name in ("ann", "bob"):
        shell.write(
            f"agents/{name}.toml",
            f'[model]\nprovider = "vllm"\nname = "{name}-model"\nkey_env = "PLANTED"\n'
            f'base_url = "{httpserver.url_for("/v1")}"\n[limits]\nattempts = 3\n',
        )
    (shell.folder / "study.py").write_text(STUDY)
    shell.env["PLANTED"] = KEY
    return shell


@pytest.mark.parametrize("answer", [completion, refusal])
def test_a_key_appears_nowhere(project, httpserver: HTTPServer, answer):
    """A key that a server repeats is in no file and no output."""
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(answer)
    run = ("run", "study.py", "--limit", "1", "--out", "out")
    done = project(*run, "--log-level", "debug", "--json")
    assert done.code == (1 if answer is refusal else 0), done.err
    report = project("report", "out", "-o", "report.html")
    exported = project("export", "out", "--format", "jsonl")
    for outcome in (done, report, exported):
        assert KEY not in outcome.out + outcome.err
    files = [path for path in project.folder.rglob("*") if path.is_file()]
    assert any(b"[key]" in path.read_bytes() for path in files)
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_failures_without_a_price_have_an_unknown_cost(project, httpserver: HTTPServer):
    """Providers charge for some failures, so without a price the cost is unknown, not 0."""
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(refusal)
    document = project("run", "study.py", "--limit", "1", "--out", "out", "--json").document
    assert (document["calls"]["paid"], document["discussions"]["failed"]) == (0, 2)
    assert (document["cost_usd"], document["cost_known"]) == (None, False)


def test_json_logs_have_one_event_for_a_storm_of_failures(project, httpserver: HTTPServer):
    """Each event is an object that names its run; single retries are not logged."""
    storm = iter(range(6))

    def answer(request: Request) -> Response:
        if next(storm, None) is None:
            return completion(request)
        return Response("{}", status=500, content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(answer)
    logged = ("--log-level", "info", "--log-format", "json", "--display", "none")
    done = project("run", "study.py", "--limit", "4", "--out", "out", *logged)
    assert done.code == 0, done.err
    events = [json.loads(line) for line in done.err.splitlines() if line.startswith("{")]
    assert [event["event"] for event in events] == ["calls fail"]
    assert events[0].keys() >= {"level", "timestamp", "run", "discussion", "turn", "provider"}


def test_failures_of_one_kind_are_logged_ten_times(project, httpserver: HTTPServer):
    """Failures are logged with their cause, ten of a reviewer at most, and the end counts all.

    Calls that were not made, as the key is wrong, are counted and not logged.
    """
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(refusal)
    told = project("run", "study.py", "--limit", "6", "--out", "out").err
    logged = [line for line in told.splitlines() if "turn failed" in line]
    for name in ("ann", "bob"):
        assert 0 < sum(f"reviewer={name}" in line for line in logged) <= 10
    assert "12 failed: ann" in told
    told = project("run", "study.py", "--limit", "6", "--out", "out", "--log-level", "info").err
    assert "12 failed: ann" in told


def test_with_json_logs_every_line_is_an_event(project, httpserver: HTTPServer):
    """Progress, failures and the next step are log events as well."""
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(refusal)
    logged = ("--log-level", "info", "--log-format", "json")
    done = project("run", "study.py", "--limit", "1", "--out", "out", *logged)
    assert done.code == 1
    told = [json.loads(line)["event"] for line in done.err.splitlines()]
    for part in ("2 of 2 discussions", "2 failed: ann", "same command again"):
        assert any(part in event for event in told), part


def test_debug_logs_have_every_turn_and_discussion(project, httpserver: HTTPServer):
    """Level debug has an event per turn, with its verdict, and one per discussion that ends."""
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(completion)
    logged = ("--log-level", "debug", "--log-format", "json", "--display", "none")
    done = project("run", "study.py", "--limit", "2", "--out", "out", *logged)
    told = [json.loads(line) for line in done.err.splitlines()]
    turns = [event for event in told if event["event"] == "turn"]
    ends = [event for event in told if event["event"] == "discussion ended"]
    assert [len(turns), len(ends)] == [sum(end["turns"] for end in ends), 4]
    assert {event["discussion"] for event in turns} == {event["discussion"] for event in ends}
    assert all(event["rule"] and event["tokens"] and "verdict" in event for event in turns)


def test_the_first_run_of_a_new_user_prints_no_warning(shell):
    """Settings that simulation does not read are a note after the results, with --json as well."""
    for form in ((), ("--json",)):
        words = ("quickstart", "--limit", "1", "-S", "turns=2", "--display", "none")
        outcome = shell("run", *words, *form)
        assert "[warning" not in outcome.err
        (line,) = outcome.err.splitlines()
        assert line.startswith("note: simulated reviewers do not read prompts")
        assert "prompts=instruction_following" in line
