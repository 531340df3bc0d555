"""Model server with a tiny random model; see `make integration`."""

from __future__ import annotations

import socket
import subprocess
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-integration" / "bin" / "python"
WRITER = Path(__file__).with_name("tiny_model.py")
PATIENCE = 120


@dataclass(frozen=True)
class Server:
    """Address and log file of a model server."""

    url: str
    log: Path

    @property
    def is_up(self) -> bool:
        """Return whether the server answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/models", timeout=5) as reply:
                return reply.status == 200
        except OSError:
            return False

    @property
    def answered(self) -> int:
        """Return the number of completions sent."""
        return self.log.read_text().count('"POST /v1/chat/completions HTTP/1.1" 200')

    def wait_for(self, answered: int) -> None:
        """Wait until so many completions were sent."""
        end = time.monotonic() + PATIENCE
        while self.answered < answered:
            assert time.monotonic() < end, self.log.read_text()[-2000:]
            time.sleep(0.01)  # The server's log is the only sign of its progress.


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Yield a llama.cpp server, and stop it at the end."""
    if not PYTHON.exists():
        pytest.skip("there is no model server in .venv-integration; `make integration` builds it")
    folder = tmp_path_factory.mktemp("model")
    model, log = folder / "noise.gguf", folder / "server.log"
    subprocess.run([PYTHON, WRITER, model], check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = (
        f"--model {model} --host 127.0.0.1 --port {port} --n_ctx 16384 --logits_all true "
        "--interrupt_requests false"  # otherwise it breaks off a stream at the next request
    )
    with (
        log.open("w") as out,
        subprocess.Popen(
            [PYTHON, "-m", "llama_cpp.server", *words.split()], stdout=out, stderr=out
        ) as process,
    ):
        server = Server(url=f"http://127.0.0.1:{port}/v1", log=log)
        end = time.monotonic() + PATIENCE
        while not server.is_up:
            if process.poll() is not None or time.monotonic() > end:
                process.kill()
                pytest.fail(f"the model server did not start:\n{log.read_text()[-2000:]}")
            time.sleep(0.1)  # polled, as the server does not report that it listens
        yield server
        process.terminate()


CARD = """
role = "You are {name}."
[model]
provider = "vllm"
name = "noise"
base_url = "{url}"
[model.options]
{options}
[sampling]
temperature = 1.0
max_tokens = {most}
logprobs = true
"""


@pytest.fixture
def card(server):
    """Return a function that writes a card whose model is this server's."""
    return lambda name, options="", most=24: CARD.format(
        name=name, url=server.url, options=options, most=most
    )
