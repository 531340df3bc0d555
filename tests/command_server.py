"""Server of PeerJudge commands and Python programs: each runs in a fork of this process.

Importing everything takes ten times as long as most commands take, and happens once here. A request is a
line of JSON on stdin with the keys `folder`, `env` (or null for this one's), `out` and `err` (files), and
either `words`, a command, or `program`, Python source. The answers on stdout are the process id and, at the
end, the exit code, negative for a signal.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import signal
import sys
import traceback

from peerjudge.cli import main

LIBRARIES = (
    *("aiosqlite", "cyclopts.completion.install", "jinja2.sandbox", "networkx", "rich.live"),
    *("rich.status", "scipy.special", "scipy.stats"),
)
EXTRAS = (
    "__main__",
    "inspect_scorer",
    "frames",
)
"""Modules of extras, which warn or fail where these are not installed."""


def answer(number):
    """Print a number."""
    print(number, flush=True)  # noqa: T201


def redirect(stream, path):
    """Send a stream of this process to the end of a file or device."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, stream)
    os.close(file)


def play(request):
    """Run a command or program in this process, as an interpreter of its own would."""
    # As in a terminal: background processes inherit an ignored SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(request["folder"])
    if request["env"] is not None:
        os.environ.clear()
        os.environ.update(request["env"])
    redirect(1, request["out"])
    redirect(2, request["err"])
    # What the inherited stream knows of its file (whether it has positions) is not true of the new one.
    sys.stderr = os.fdopen(
        2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False
    )
    if request["words"] is not None:
        sys.argv = ["peerjudge", *request["words"]]
        main()
        return
    sys.argv = ["-c"]
    sys.path[0] = ""
    module = type(sys)("__main__")
    sys.modules["__main__"] = module
    exec(compile(request["program"], "<string>", "exec"), vars(module))


def play_and_end(request):
    """Play a request and end this process with its exit code.

    The teardown of an interpreter that has imported everything takes as long as most commands.
    """
    code = 0
    try:
        play(request)
    except SystemExit as ended:
        code = int(ended.code or 0)
    except Exception:  # noqa: BLE001  printed, as an interpreter would
        traceback.print_exc()
        code = 1
    gc.collect()  # warns of what was not closed
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def import_everything():
    """Import all modules, also those that rooms import on first use."""
    rooms = [importlib.import_module("peerjudge")]
    for room in rooms:
        for module in pkgutil.iter_modules(room.__path__, f"{room.__name__}."):
            if not module.name.endswith(EXTRAS):
                loaded = importlib.import_module(module.name)
                if module.ispkg:
                    rooms.append(loaded)
    for library in LIBRARIES:
        importlib.import_module(library)


gc.disable()  # Nothing that is imported is garbage.
import_everything()
gc.enable()
gc.collect()
gc.freeze()
# A run would thaw all of this as well, and the last collection of each process would search it.
gc.unfreeze = lambda: None
pid = 0
while line := sys.stdin.readline():
    if pid:
        os.waitpid(pid, 0)
    pid = os.fork()
    if pid == 0:
        # A command that reads stdin must not read the requests.
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        play_and_end(json.loads(line))
    answer(pid)
    # Reaped only before the next one starts, so its process id stays reserved until then.
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    answer(ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status)
