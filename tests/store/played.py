"""Discussions of two seats that the draw decides, for tests of what a store keeps of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from peerjudge.data import Transcript, Utterance, replace
from peerjudge.engine import DiscussionSetup, identify, play_all
from peerjudge.store import Store
from peerjudge.testing import PLAIN_PACK, comparison_of, rounds_of, seats_of

PROTOCOL = rounds_of(3)
SEATS = seats_of(2)


class Drawn:
    """Says what the draw decides, after letting others go first; counts its calls."""

    name = "drawn"

    def __init__(self, *, fails_at: int | None = None) -> None:
        self.calls: list[tuple[str, int]] = []
        self.fails_at = fails_at

    async def speak(self, request):
        """Fail at the turn that fails, or reply."""
        await asyncio.sleep(0)
        self.calls.append((request.discussion, request.turn))
        if request.turn == self.fails_at:
            msg = "no reply"
            raise TimeoutError(msg)
        text = f"So be it: \N{SNOWMAN}\n{int(request.draw, 16) % 2 + 1}"
        return Utterance(text=text, simulated=True)

    async def close(self):
        """Do nothing."""


def head_of(number: int = 0, *, condition: str = "talk") -> Transcript:
    """Return a planned discussion with its id."""
    comparison = comparison_of(2, name=f"c{number:03}", gold=1)
    head = Transcript(
        id="-", comparison=comparison, protocol=PROTOCOL.name, seats=SEATS, condition=condition
    )
    return replace(head, id=identify(head, prompts="plain"))


def staged(transcript: Transcript, reviewer) -> DiscussionSetup:
    """Return this discussion with one reviewer in all its seats."""
    return DiscussionSetup(
        transcript=transcript,
        protocol=PROTOCOL,
        reviewers={seat.id: reviewer for seat in transcript.seats},
        pack=PLAIN_PACK,
        roles={},
    )


async def play_unfinished(store: Store, reviewer, count: int, *, at_a_time: int = 8) -> None:
    """Play the unfinished ones of `count` discussions."""
    to_play = await store.enlist("run", [head_of(number) for number in range(count)])
    setups: Iterator[DiscussionSetup] = (staged(one, reviewer) for one in to_play)
    await play_all(setups, max_connections=at_a_time, journal=store)
