"""A llama.cpp server of one model: `python llama_server.py FILE.gguf PORT CONTEXT SLOTS THREADS`.

It runs in the environment of the server, where PeerJudge is not installed. It prints its address
once it listens, and ends when its standard input does, so that it never outlives its parent.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any


def main(model: str, port: int, context: int, slots: int, threads: int) -> None:
    """Serve until standard input ends. `context` is the number of tokens per slot."""
    llama: Any = importlib.import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = model
    params.n_ctx = context * slots
    params.n_parallel = slots
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.ui = False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = llama.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    # The server's own threads do not end with the main thread.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
