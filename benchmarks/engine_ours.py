"""The study of `study.py` played by PeerJudge."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from study import AT_A_TIME, Pair, model

from peerjudge.data import (
    Answer,
    Comparison,
    Question,
    Request,
    Role,
    Seat,
    Transcript,
    Utterance,
    replace,
)
from peerjudge.engine import DiscussionSetup, Journal, Reviewer, identify, play_all
from peerjudge.prompts import pack_identity
from peerjudge.shelf import Shelf
from peerjudge.store import Store

__all__ = ["Scripted", "head", "play", "scratch_store"]

SHELF = Shelf()
PROTOCOL = SHELF.protocol("leader_follower", {})
PACK = SHELF.prompts("long_form")
PROMPTS = pack_identity(PACK)
SEATS = (
    Seat(id="reviewer_1", reviewer="ann", role=Role.LEADER),
    Seat(id="reviewer_2", reviewer="bob", role=Role.FOLLOWER),
)
ROLES = {"reviewer_1": "You are a strict physicist.", "reviewer_2": "You are a kind teacher."}


class Scripted:
    """A reviewer that replies from a script."""

    name = "scripted"

    def __init__(self, latency: float = 0.0) -> None:
        self._call = model(latency)

    async def speak(self, request: Request) -> Utterance:
        """Return the next reply."""
        return Utterance(text=await self._call(request.messages), simulated=True)

    async def close(self) -> None:
        """Do nothing."""


def head(pair: Pair) -> Transcript:
    """Return a discussion of this pair, before its first turn."""
    answers = (Answer(id="a", text=pair.one, author="x"), Answer(id="b", text=pair.two, author="y"))
    question = Question(id=pair.question, text=pair.question)
    opened = Transcript(
        id="-",
        comparison=Comparison(id=pair.question, question=question, answers=answers),
        protocol=PROTOCOL.name,
        seats=SEATS,
        condition="talk",
        options=PROTOCOL.settings(),
        prompts=PACK.name,
    )
    return replace(opened, id=identify(opened, prompts=PROMPTS))


async def play(
    plan: Iterable[Transcript],
    reviewer: Reviewer,
    at_a_time: int = AT_A_TIME,
    journal: Journal | None = None,
    on_end: Callable[[Transcript], None] | None = None,
) -> None:
    """Play the discussions with PeerJudge's engine."""
    reviewers = dict.fromkeys(ROLES, reviewer)
    setups = (
        DiscussionSetup(
            transcript=each, protocol=PROTOCOL, reviewers=reviewers, pack=PACK, roles=ROLES
        )
        for each in plan
    )
    await play_all(setups, max_connections=at_a_time, journal=journal, on_end=on_end)


@asynccontextmanager
async def scratch_store(scratch: Path | None) -> AsyncGenerator[Store]:
    """Open a temporary store."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        async with Store.open(folder) as store:
            yield store
