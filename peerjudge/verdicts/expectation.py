"""The rating a model had in mind: the expectation over the tokens it could have rated with.

A stated integer hides how sure the model was, and makes most pairs of answers tie. Weighing every
rating by its probability gives the fine, continuous score of G-Eval (Liu et al., "G-Eval: NLG
Evaluation using GPT-4 with Better Human Alignment", section 2.3), which PRePair's pointwise judges
use too (Appendix A.3).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from peerjudge.data import TokenLogprob

__all__ = ["expected_rating"]

_RATING = re.compile(r"[\s\u2581\u0120\"'(\[{*:]*([0-9]{1,3})[\s\"')\]}*.,]*")
_MOST_TRIED = 32


def expected_rating(
    logprobs: Sequence[TokenLogprob],
    stated: float,
    *,
    read: Callable[[str], float | None],
    low: int,
    high: int,
) -> float | None:
    """The mean of the ratings from `low` to `high`, weighted by the probability of their tokens.

    The token that carries the rating is the one which, had it been another number, would have made
    the reply another rating. The probabilities of the ratings among its alternatives are normalised
    to 1. `None` where no token carries it (a rating of 4.5 takes several) or the server named no
    alternatives to it.

    Args:
        logprobs: The tokens of the reply, in order.
        stated: The rating that the reply states.
        read: Reads the rating out of a reply.
        low: The lowest rating.
        high: The highest rating. Beyond 9, every rating must be a single token.
    """
    token = _carrying(logprobs, stated, read=read, low=low, high=high)
    if token is None or not token.top:
        return None
    weights: dict[int, float] = {}
    for text, logprob in {token.token: token.logprob, **dict(token.top)}.items():
        rating = _rating_in(text)
        if rating is not None and low <= rating <= high and logprob <= 0:
            weights[rating] = weights.get(rating, 0.0) + math.exp(logprob)
    total = math.fsum(weights.values())
    if total <= 0:
        return None
    mean = math.fsum(rating * weight for rating, weight in weights.items()) / total
    # Rounding must not carry a certain rating past the end of the scale.
    return min(float(high), max(float(low), mean))


def _carrying(
    logprobs: Sequence[TokenLogprob],
    stated: float,
    *,
    read: Callable[[str], float | None],
    low: int,
    high: int,
) -> TokenLogprob | None:
    tokens = [each.token for each in logprobs]
    if read("".join(tokens)) != stated:
        return None
    other = low if stated != low else high
    places = [at for at, token in enumerate(tokens) if _rating_in(token) == stated]
    for at in reversed(places[-_MOST_TRIED:]):
        changed = tokens[at].replace(f"{stated:g}", str(other))
        if read("".join([*tokens[:at], changed, *tokens[at + 1 :]])) == other:
            return logprobs[at]
    return None


def _rating_in(token: str) -> int | None:
    found = _RATING.fullmatch(token)
    return None if found is None else int(found[1])
