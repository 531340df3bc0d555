"""Interfaces of the engine: the reviewer that speaks, the journal of turns, and a discussion's setup."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from peerjudge.data import PromptPack, Request, Transcript, Turn, Utterance
from peerjudge.protocol import DiscussionProtocol


class Reviewer(Protocol):
    """Speaker of a seat: a model, a person, a record, a simulation.

    One reviewer serves many discussions at the same time. Its replies depend on the request alone, so it
    keeps no state between calls that changes them.
    """

    @property
    def name(self) -> str:
        """The name of the reviewer's card."""
        ...

    async def speak(self, request: Request) -> Utterance:
        """Return the reply to one request.

        An exception is final, after all retries, and ends the discussion as failed. Cancellation must
        pass through.
        """
        ...

    async def close(self) -> None:
        """Close connections; called once, after the last request."""
        ...


class ReviewerProxy:
    """Reviewer whose replies are those of another one; it has no `speak` of its own."""

    def __init__(self, reviewer: Reviewer) -> None:
        self._reviewer = reviewer

    @property
    def name(self) -> str:
        """Reviewer name."""
        return self._reviewer.name

    async def close(self) -> None:
        """Close the reviewer."""
        await self._reviewer.close()


class Journal(Protocol):
    """Durable record of turns. The methods of a subclass do nothing by default."""

    async def turn(self, transcript: Transcript, turn: Turn) -> None:
        """Save a turn and return once it would survive a crash.

        `transcript` is the discussion as it was opened, with the turns that were stored then. Turns of one
        wave come in the order in which they are spoken, which may not be that of their numbers.
        The first turn saved of a discussion clears an earlier failure.
        """

    async def reread(self, transcript: Transcript, turn: Turn) -> None:
        """Replace a saved turn after its reply was reread, and return once that would survive a crash.

        `transcript` is the discussion as it was opened.
        """

    async def wait(self, transcript: Transcript) -> None:
        """Save that the discussion waits for the answer of a person, also before its first turn."""

    async def end(self, transcript: Transcript) -> None:
        """Save the end of the discussion and return once it would survive a crash."""


class NoJournal(Journal):
    """Journal that keeps nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscussionSetup:
    """A discussion with everything needed to play it.

    `reviewers` and `roles` (the role prompts) are by seat id; a seat without an entry in `roles` has no
    role prompt.
    """

    transcript: Transcript
    protocol: DiscussionProtocol
    reviewers: Mapping[str, Reviewer]
    pack: PromptPack
    roles: Mapping[str, str]
