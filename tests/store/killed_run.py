"""Run that `test_kill` kills: forty discussions, sixteen at a time, every call printed.

The process kills itself at a chosen call, while the thread of the database is wherever it is.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from peerjudge.store import Store
from tests.store.played import Drawn, play_unfinished


class Printing(Drawn):
    """Prints each call, and kills the process at the last one."""

    def __init__(self, last):
        super().__init__()
        self.left = last

    async def speak(self, request):
        """Print the call and reply."""
        print(request.discussion, request.turn, flush=True)  # noqa: T201
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().speak(request)


async def main(place, last):
    """Play the discussions that are not done."""
    async with Store.open(place) as store:
        await play_unfinished(store, Printing(last), 40, at_a_time=16)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
