"""A Postgres server on loopback for the tests of stores."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest


def _programs():
    """Return the folder of the server's programs; skip where Postgres is not installed."""
    if importlib.util.find_spec("asyncpg") is None:
        pytest.skip("asyncpg is not installed: pip install 'peerjudge[postgres]'")
    places = [Path("/usr/lib/postgresql"), Path("/opt/homebrew/opt"), Path("/usr/local/opt")]
    found = [path.parent for place in places for path in place.glob("*/bin/initdb")]
    if (on_path := shutil.which("initdb")) is not None:
        found.append(Path(on_path).resolve().parent)
    if not found:
        pytest.skip("Postgres is not installed: there is no initdb")
    return max(found)


def _servant():
    """Return the user for the server's programs, which refuse to run as root."""
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    pytest.skip("Postgres does not run as root, and there is no other user to run it as")


def find_port():
    """Return a port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def server():
    """URL of a server on loopback for these tests, without the name of a database."""
    programs, servant = _programs(), _servant()
    # A short path, for that of a socket may not be long; and one that the server's user can reach.
    home = Path(tempfile.mkdtemp(prefix="pj-", dir="/tmp"))
    if servant:
        os.chown(home, servant["user"], servant["group"])
    port = find_port()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": home, **servant}
    control = [programs / "pg_ctl", "-D", home / "data", "-w"]
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {home}"
    try:
        subprocess.run(
            [programs / "initdb", "-D", home / "data", "-U", "peer", "-A", "trust", "-N"],
            check=True,
            **quiet,
        )
        subprocess.run([*control, "-o", options, "start"], check=True, **quiet)
        yield f"postgresql://peer@127.0.0.1:{port}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, **quiet)
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
async def url(server, request):
    """URL of an empty database."""
    import asyncpg

    name = f"t{abs(hash(request.node.name))}"
    connection = await asyncpg.connect(f"{server}/postgres")
    await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()
    return f"{server}/{name}"
