"""Expected rating: the mean over the alternative rating tokens, weighted by probability.

A stated integer hides the model's uncertainty, and most pairs of answers tie. Weighting every rating
by its probability gives the continuous score of G-Eval (Liu et al., "G-Eval: NLG
Evaluation using GPT-4 with Better Human Alignment", section 2.3), which PRePair's pointwise judges
use too (Appendix A.3).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from peerjudge.data import TokenLogprob

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
    """Return the mean of the ratings from `low` to `high`, weighted by their token probabilities.

    The rating token is the one whose replacement by another number changes the rating read from the
    reply. The probabilities of the ratings among its alternatives are normalised to 1. The result
    is `None` if no single token carries the rating (4.5 takes several) or the server returned no
    alternatives for it.

    Args:
        logprobs: The tokens of the reply, in order.
        stated: The rating stated in the reply.
        read: Function that reads the rating from a reply.
        low: The lowest rating.
        high: The highest rating. Above 9, every rating must be a single token.
    """
    token = _rating_token(logprobs, stated, read=read, low=low, high=high)
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
    # Rounding errors must not leave the scale.
    return min(float(high), max(float(low), mean))


def _rating_token(
    logprobs: Sequence[TokenLogprob],
    stated: float,
    *,
    read: Callable[[str], float | None],
    low: int,
    high: int,
) -> TokenLogprob | None:
    tokens = [logprob.token for logprob in logprobs]
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
