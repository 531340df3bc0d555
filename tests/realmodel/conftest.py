"""Server of a small real model; see `make realmodel`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.realmodel.fetch import SERVER, fetch_server
from tools.realmodel.serve import serve

HOME = Path(__file__).resolve().parents[2] / ".realmodel"
MODEL = HOME / "qwen-0.5b.gguf"
SLOTS = 2


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Yield a llama.cpp server, and stop it at the end."""
    ready = HOME / "server" / ".ready"
    if not (MODEL.exists() and ready.exists() and ready.read_text("utf-8") == SERVER):
        pytest.skip("there is no model in .realmodel; `make realmodel` downloads it")
    python = fetch_server(HOME, say=print)
    log = tmp_path_factory.mktemp("server") / "server.log"
    with serve(python, MODEL, log=log, context=4096, slots=SLOTS) as running:
        yield running


CARD = """
role = "You are {name}."
[model]
provider = "vllm"
name = "qwen"
base_url = "{url}"
[model.options]
{options}
[sampling]
temperature = 1.0
max_tokens = {most}
logprobs = true
[limits]
timeout = 1200.0
"""


@pytest.fixture
def card(server):
    """Return a function that writes a card whose model is this server's."""
    return lambda name, options="", most=24: CARD.format(
        name=name, url=server.url, options=options, most=most
    )
