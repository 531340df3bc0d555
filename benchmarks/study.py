"""The study that each engine of `engine.py` plays: questions, replies, and the verdict reader.

Two reviewers review privately and then take four turns. It needs the standard library only, so that
other engines can play it in their own environment.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable
from functools import cache
from itertools import cycle
from typing import NamedTuple

CALLS = 6
AT_A_TIME = 64

Model = Callable[[object], Awaitable[str]]
"""Replies to a prompt."""

_VERDICT = re.compile(r"([12])\W*$")
_WORDS = (
    "the",
    "sky",
    "light",
    "air",
    "waves",
    "scatter",
    "blue",
    "because",
    "better",
    "clear",
    "claim",
)


class Pair(NamedTuple):
    """A question and two answers to it."""

    question: str
    one: str
    two: str


@cache
def texts(seed: int, count: int, words: int) -> tuple[str, ...]:
    """Return random texts with this number of words."""
    draw = random.Random(seed)  # noqa: S311  texts, not secrets
    return tuple(" ".join(draw.choices(_WORDS, k=words)).capitalize() + "." for _ in range(count))


def pairs(count: int) -> list[Pair]:
    """Return different questions with two answers of a hundred words each."""
    answers = texts(1, 2 * count, 100)
    return [
        Pair(f"Question {n}: why is the sky blue?", answers[2 * n], answers[2 * n + 1])
        for n in range(count)
    ]


@cache
def _said() -> tuple[str, ...]:
    # Cached, so that no engine pays for it.
    return tuple(f"{text}\n\n{n % 2 + 1}" for n, text in enumerate(texts(2, 997, 60)))


def replies() -> Callable[[], str]:
    """Return a function whose calls give replies of sixty words that end in a verdict."""
    return cycle(_said()).__next__


def model(latency: float) -> Model:
    """Return a model that sleeps for the latency and then replies."""
    reply = replies()

    async def call(messages: object) -> str:
        await asyncio.sleep(latency)
        return reply()

    return call


def read(text: str) -> int | None:
    """Return the verdict at the end of a reply."""
    found = _VERDICT.search(text)
    return int(found[1]) if found else None


def asked(pair: Pair) -> str:
    """Return the prompt with the question and its answers."""
    return (
        f"{pair.question}\n\nAnswer 1:\n{pair.one}\n\nAnswer 2:\n{pair.two}\n\n"
        "Which is better? End with the number 1 or 2."
    )
