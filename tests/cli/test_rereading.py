"""Rereading from the command line: `-S reread=CARD`, its counts and what the commands print of it."""

import json

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.cli.conftest import Shell

EXPERIMENT = '''"""Does anyone speak plainly?"""

from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data="sample",
    conditions=Condition(
        name="talk",
        protocol="leader_follower",
        seats=("ann", "ann"),
        orders="given",
        options={"turns": 2},
    ),
    {more}
)
'''
MURKY = "The earlier of the two seems to me the one that a patient person would keep."


def start_models(shell: Shell, server: HTTPServer) -> None:
    """Serve a model that speaks in riddles and one that reads them; write their cards."""

    def reply(request: Request) -> Response:
        content = "1" if json.loads(request.data)["model"] == "reader" else MURKY
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 50, "completion_tokens": 10}
        return Response(
            json.dumps({"choices": [choice], "usage": usage}), content_type="application/json"
        )

    server.expect_request("/v1/chat/completions").respond_with_handler(reply)
    for folder in ("agents", "experiments"):
        (shell.folder / folder).mkdir()
    for card, model in (("ann", "talker"), ("scribe", "reader")):
        (shell.folder / f"agents/{card}.toml").write_text(
            f'[model]\nprovider = "openai"\nname = "{model}"\nbase_url = "{server.url_for("/v1")}"\n'
        )
    for name, more in (("riddles", ""), ("read_riddles", 'reread="scribe",')):
        (shell.folder / f"experiments/{name}.py").write_text(EXPERIMENT.replace("{more}", more))


@pytest.mark.slow
def test_a_setting_or_an_experiment_names_the_second_model(shell, httpserver: HTTPServer):
    """Both count rereadings in `--json`; without either, riddles stay unreadable."""
    start_models(shell, httpserver)
    common = ("--limit", "1", "--display", "none", "--json", "--out")
    plain = shell("run", "riddles", *common, "plain")
    assert plain.code == 0
    assert plain.document["reread"] == {"replies": 0, "verdicts": 0, "failed": 0}
    by_setting = shell("run", "riddles", "-S", "reread=scribe", *common, "by-setting")
    by_file = shell("run", "read_riddles", *common, "by-file")
    for done in (by_setting, by_file):
        assert done.code == 0, done.err
        assert done.document["reread"] == {"replies": 4, "verdicts": 4, "failed": 0}
        assert "reread by 'scribe'" in done.err
    assert shell("events", "by-setting", "--json").out == ""
    turns = shell("export", "by-setting", "--format", "csv").out
    assert turns.count("reread by scribe: ") == 4


def test_a_run_says_how_many_replies_were_reread(shell, httpserver: HTTPServer):
    """The summary in words has the count; a card that cannot read is refused with the reason."""
    start_models(shell, httpserver)
    done = shell("run", "riddles", "-S", "reread=scribe", "--limit", "1", "--display", "none")
    assert done.code == 0
    assert "reread: 4 replies without a readable verdict; 4 verdicts found" in done.out
    refused = shell("run", "riddles", "-S", "reread=sim_weak")
    assert refused.code == 2
    assert "cannot read the words of another" in refused.err
