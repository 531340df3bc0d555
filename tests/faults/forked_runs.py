"""Forking server of PeerJudge commands: each command runs in a fork of this process.

Importing everything takes ten times as long as the runs that `test_killed` kills. A line on stdin
is a folder and a command in JSON. The answers on stdout are the process id and, at the end, the
exit code. The output of a command goes into the files `stdout` and `stderr` of the folder.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import sys

from peerjudge.cli import main

ROOMS = ("cli", "clients", "reporting", "reviewers", "runs", "store")
LIBRARIES = ("aiosqlite", "jinja2", "networkx", "scipy.special", "scipy.stats")


def answer(number):
    """Print a number."""
    print(number, flush=True)  # noqa: T201


def run_command(folder, *words):
    """Run a command in this process, in its folder."""
    os.chdir(folder)
    for stream, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
    main(words)


def import_everything():
    """Import all modules, also those that rooms import on first use."""
    for room in ROOMS:
        place = importlib.import_module(f"peerjudge.{room}")
        for module in pkgutil.iter_modules(place.__path__, f"{place.__name__}."):
            importlib.import_module(module.name)
    for library in LIBRARIES:
        importlib.import_module(library)


import_everything()
pid = 0
while line := sys.stdin.readline():
    if pid:
        os.waitpid(pid, 0)
    pid = os.fork()
    if pid == 0:
        run_command(*json.loads(line))
    answer(pid)
    # Reaped only before the next one starts, so its process id stays reserved until then.
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    answer(ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status)
