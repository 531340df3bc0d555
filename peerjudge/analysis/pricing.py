"""Prices of discussions from the tokens of their replies, as if each had been paid for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import NamedTuple, TypeAlias

from peerjudge.data import Transcript, Utterance

__all__ = ["Prices", "Tokens", "list_tokens", "price_discussion"]

Prices: TypeAlias = Mapping[str, tuple[float, float] | None]
"""By reviewer the price of tokens in and out, in USD per million; `None` for an unknown one."""

_MILLION = 1_000_000


class Tokens(NamedTuple):
    """Tokens of a turn: of its reply, with that to a question for the choice, and of its rereading."""

    prompt: int
    completion: int
    reread_prompt: int = 0
    reread_completion: int = 0


def list_tokens(transcript: Transcript) -> list[Tokens]:
    """Return the tokens of every turn."""

    def count(*replies: Utterance | None) -> tuple[int, int]:
        usages = [reply.usage for reply in replies if reply is not None]
        return sum(one.prompt_tokens for one in usages), sum(
            one.completion_tokens for one in usages
        )

    return [
        Tokens(*count(turn.utterance, turn.asked), *count(turn.reread)) for turn in transcript.turns
    ]


def price_discussion(
    transcript: Transcript, tokens: Sequence[Tokens], prices: Prices
) -> tuple[float, list[float]]:
    """Return the price of a discussion, and that of the private turns of each of its seats.

    In USD. NaN where a price is not known, as that of a simulated reviewer or of a person, or where a priced
    reply has no count of tokens.
    """
    places = {seat.id: place for place, seat in enumerate(transcript.seats)}
    reviewers = [seat.reviewer for seat in transcript.seats]
    second = transcript.reread.reviewer if transcript.reread is not None else ""
    private, total = [0.0] * len(reviewers), 0.0
    for turn, spent in zip(transcript.turns, tokens, strict=True):
        place = places[turn.cue.seat]
        cost = _cost(prices, turn.speaker or reviewers[place], spent.prompt, spent.completion)
        if spent.reread_prompt or spent.reread_completion:
            cost += _cost(prices, second, spent.reread_prompt, spent.reread_completion)
        total += cost
        if turn.cue.private:
            private[place] += cost
    return total, private


def _cost(prices: Prices, reviewer: str, prompt: int, completion: int) -> float:
    price = prices.get(reviewer)
    if price is None or (price != (0.0, 0.0) and not prompt + completion):
        return nan
    return (prompt * price[0] + completion * price[1]) / _MILLION
