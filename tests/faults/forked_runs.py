"""Runs PeerJudge's command line whenever it is asked to, each time in a fork of this process.

Importing everything takes ten times as long as the runs that `test_killed` kills. A line on stdin
is a folder and a command in JSON; the answers on stdout are the number of its process and, in the
end, its exit code. What the command prints goes into the files `said` and `complaints` of the folder.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import sys

from peerjudge.cli import main

ROOMS = ("cli", "clients", "experiment", "report", "reviewers", "store")
LIBRARIES = ("aiosqlite", "jinja2", "networkx", "scipy.special", "scipy.stats")


def say(number):
    """Answer with a number."""
    print(number, flush=True)  # noqa: T201


def child(folder, *words):
    """The command, in a process of its own."""
    os.chdir(folder)
    for stream, name in ((1, "said"), (2, "complaints")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
    main(words)


def import_everything():
    """What the rooms import only when they use it as well."""
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
        child(*json.loads(line))
    say(pid)
    # It is reaped only before the next one: nobody else can have its number until then.
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    say(ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status)
