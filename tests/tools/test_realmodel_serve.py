"""The model server is a child on a loopback port of its own."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from tools.realmodel.fetch import UnavailableError
from tools.realmodel.serve import ModelServer, choose_port, serve


def test_a_model_usually_has_the_same_port():
    """A resumed run needs the address that it began with; a taken port gives way to a free one."""
    port = choose_port("model.gguf")
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        assert choose_port("model.gguf") != port
    assert choose_port("model.gguf") == port


def test_a_server_that_does_not_start_says_why(tmp_path):
    """The message holds the end of the log: here, that the server is not installed."""
    log = tmp_path / "server.log"
    with (
        pytest.raises(UnavailableError, match=r"did not start with model\.gguf.*xllamacpp"),
        serve(Path(sys.executable), Path("model.gguf"), log=log),
    ):
        pass


def test_completions_are_counted_in_the_log(tmp_path):
    """The server logs one total time per completion."""
    log = tmp_path / "server.log"
    log.write_text("eval time = 1 ms\n total time = 2 ms\n total time = 3 ms\n", "utf-8")
    assert ModelServer("http://127.0.0.1:1/v1", log).completions == 2
