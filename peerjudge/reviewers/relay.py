"""A discussion that is played beside whoever watches it: its turns as they come, held at will."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from autogen_core import CancellationToken

from peerjudge.data import Transcript, Turn, replace
from peerjudge.engine import Staging, discuss

__all__ = ["Relay"]


class Relay:
    """Plays one discussion at a time, passes its turns on, and remembers how far it has come.

    It is the journal of the discussions that it plays.
    """

    def __init__(self) -> None:
        self.transcript: Transcript | None = None
        """The discussion as far as it has come; `None` before the first."""
        self._turns: asyncio.Queue[Turn | None] = asyncio.Queue()
        self._going = asyncio.Event()
        self._going.set()

    def pause(self) -> None:
        """Hold the discussion after the turn that is being spoken."""
        self._going.clear()

    def resume(self) -> None:
        """Go on with a discussion that was paused."""
        self._going.set()

    async def play(self, staging: Staging, token: CancellationToken | None) -> AsyncGenerator[Turn]:
        """Play a discussion on to its end; closing this, or cancelling the token, stops it."""
        self.transcript = staging.transcript
        turns = self._turns = asyncio.Queue()
        playing = asyncio.create_task(
            discuss(
                staging.transcript,
                protocol=staging.protocol,
                reviewers=staging.reviewers,
                pack=staging.pack,
                roles=staging.roles,
                journal=self,
            )
        )
        playing.add_done_callback(lambda _: turns.put_nowait(None))
        if token is not None:
            token.link_future(playing)
        try:
            while (turn := await turns.get()) is not None:
                yield turn
            self.transcript = await playing
        finally:
            if not playing.done():
                playing.cancel()
                await asyncio.wait({playing})
            elif not playing.cancelled():
                playing.exception()  # Seen, even if this was closed before its end.

    async def turn(self, transcript: Transcript, turn: Turn) -> None:
        """Pass a turn on, and wait while the discussion is paused."""
        before = transcript if self.transcript is None else self.transcript
        self.transcript = replace(before, turns=(*before.turns, turn), stop=None, failure=None)
        self._turns.put_nowait(turn)
        await self._going.wait()

    async def end(self, transcript: Transcript) -> None:
        """Remember how the discussion ended."""
        self.transcript = transcript
        await self._going.wait()
