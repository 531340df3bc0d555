"""Model server as a child process on a loopback port."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.realmodel.fetch import UnavailableError

_SCRIPT = Path(__file__).with_name("llama_server.py")
_REPLIED = "total time ="
"""The server logs this once for each completion."""
_FIRST_PORT, _PORTS = 20_000, 10_000
_LOG_TAIL = 500


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A running server: the base URL of its API, and its log file."""

    url: str
    log: Path

    @property
    def completions(self) -> int:
        """The number of completions generated so far."""
        return self.log.read_text("utf-8", errors="replace").count(_REPLIED)


@contextmanager
def serve(
    python: Path,
    model: Path,
    *,
    log: Path,
    context: int = 8192,
    slots: int = 1,
    threads: int | None = None,
) -> Generator[ModelServer]:
    """Serve the model until the context ends.

    Args:
        python: Python of the environment from `fetch_server`.
        model: GGUF file.
        log: File for the log of the server.
        context: Tokens of prompt and reply per slot.
        slots: Completions at a time.
        threads: Number of threads; by default that of the processors of this process.

    Raises:
        UnavailableError: The server ended before it listened.
    """
    sizes = (choose_port(model.name), context, slots, threads or _count_processors())
    command = [str(python), str(_SCRIPT), str(model), *map(str, sizes)]
    with (
        log.open("w", encoding="utf-8") as out,
        subprocess.Popen(  # noqa: S603  the words are paths and numbers
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=out,
            text=True,
            start_new_session=True,  # Ctrl-C must not end it before the run that uses it.
        ) as process,
    ):
        try:
            address = process.stdout.readline().strip() if process.stdout else ""
            if not address:
                tail = " ".join(log.read_text("utf-8", errors="replace")[-_LOG_TAIL:].split())
                msg = f"the model server did not start with {model}; the end of its log: {tail}"
                raise UnavailableError(msg)
            yield ModelServer(f"{address}/v1", log)
        finally:
            process.terminate()


def choose_port(name: str) -> int:
    """Return a free loopback port, usually the same for the same name.

    The address is part of the identity of a reviewer, so a run resumes only on the same port.
    """
    preferred = _FIRST_PORT + zlib.crc32(name.encode()) % _PORTS
    for port in (preferred, 0):
        with socket.socket() as probe:
            # As servers do: a port whose last connection is closing is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return probe.getsockname()[1]
    msg = "no loopback port is free; close other servers on this machine"
    raise UnavailableError(msg)


def _count_processors() -> int:
    # Threads that share a processor wait for each other most of the time.
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
