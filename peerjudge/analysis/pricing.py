"""Prices of discussions from the tokens of their replies, as if each had been paid for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import NamedTuple, Protocol, TypeAlias

from peerjudge.data import Transcript, Usage

__all__ = ["Prices", "Replies", "Reply", "list_replies", "price_discussion"]

Prices: TypeAlias = Mapping[str, tuple[float, float] | None]
"""By reviewer the price of tokens in and out, in USD per million; `None` for an unknown one."""

_MILLION = 1_000_000


class Reply(Protocol):
    """What a reply cost: an utterance, or one that was read without its text."""

    @property
    def usage(self) -> Usage:
        """Its tokens."""
        ...

    @property
    def cached(self) -> bool:
        """Whether an earlier call paid for it."""
        ...

    @property
    def simulated(self) -> bool:
        """Whether no real model gave it."""
        ...

    @property
    def attempts(self) -> int:
        """Calls that it took."""
        ...

    @property
    def latency(self) -> float:
        """Seconds that it took."""
        ...


class Replies(NamedTuple):
    """The replies of a turn: its own, that to a question for the choice, and that of a second reader."""

    said: Reply
    asked: Reply | None
    reread: Reply | None


def list_replies(transcript: Transcript) -> list[Replies]:
    """Return the replies of every turn."""
    return [Replies(turn.utterance, turn.asked, turn.reread) for turn in transcript.turns]


def price_discussion(
    transcript: Transcript, replies: Sequence[Replies], prices: Prices
) -> tuple[float, list[float]]:
    """Return the price of a discussion, and that of the private turns of each of its seats.

    In USD. NaN where a price is not known, as that of a simulated reviewer or of a person, or where a priced
    reply has no count of tokens.
    """
    places = {seat.id: place for place, seat in enumerate(transcript.seats)}
    reviewers = [seat.reviewer for seat in transcript.seats]
    second = transcript.reread.reviewer if transcript.reread is not None else ""
    private, total = [0.0] * len(reviewers), 0.0
    for turn, spent in zip(transcript.turns, replies, strict=True):
        place = places[turn.cue.seat]
        cost = _cost(prices, turn.speaker or reviewers[place], spent.said, spent.asked)
        if spent.reread is not None:
            cost += _cost(prices, second, spent.reread)
        total += cost
        if turn.cue.private:
            private[place] += cost
    return total, private


def _cost(prices: Prices, reviewer: str, *replies: Reply | None) -> float:
    usages = [reply.usage for reply in replies if reply is not None]
    prompt = sum(one.prompt_tokens for one in usages)
    completion = sum(one.completion_tokens for one in usages)
    price = prices.get(reviewer)
    if price is None or (price != (0.0, 0.0) and not prompt + completion):
        return nan
    return (prompt * price[0] + completion * price[1]) / _MILLION
