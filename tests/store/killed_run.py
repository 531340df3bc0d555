"""Run that `test_kill` kills: forty discussions, sixteen at a time, every call printed.

The process kills itself at a chosen call, while the thread of the database is wherever it is.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from peerjudge.data import Transcript, Utterance, replace
from peerjudge.engine import DiscussionSetup, identify, play_all
from peerjudge.store import Store
from peerjudge.testing import PLAIN_PACK, comparison_of, rounds_of, seats_of

PROTOCOL = rounds_of(3)


class Printing:
    """Prints the call, lets others go first, and says what the draw decides."""

    name = "printing"

    def __init__(self, last):
        self.left = last

    async def speak(self, request):
        print(request.discussion, request.turn, flush=True)  # noqa: T201
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(0)
        return Utterance(text=f"{int(request.draw, 16) % 2 + 1}", simulated=True)

    async def close(self):
        pass


def planned():
    """Return the heads of all discussions."""
    for number in range(40):
        head = Transcript(
            id="-",
            comparison=comparison_of(2, name=f"c{number:02}"),
            protocol=PROTOCOL.name,
            seats=seats_of(2),
            condition="talk",
        )
        yield replace(head, id=identify(head, prompts="plain"))


async def main(place, last):
    """Play the discussions that are not done."""
    reviewer = Printing(last)
    async with Store.open(place) as store:
        to_play = await store.enlist("run", list(planned()))
        setups = (
            DiscussionSetup(
                transcript=transcript,
                protocol=PROTOCOL,
                reviewers={seat.id: reviewer for seat in transcript.seats},
                pack=PLAIN_PACK,
                roles={},
            )
            for transcript in to_play
        )
        await play_all(setups, max_connections=16, journal=store)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
