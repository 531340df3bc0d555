"""Probabilities of answers and the mean of ratings, from the token of a reply that carries its verdict.

A small model often gives the same label in both orders of a pair, so its verdicts cancel out. The
log-odds of the verdict token still move with the answers, and their mean over both orders is free of
any constant preference for a label.

A stated integer hides the model's uncertainty, and most pairs of answers tie. Weighting every rating
by its probability gives the continuous score of G-Eval (Liu et al., "G-Eval: NLG
Evaluation using GPT-4 with Better Human Alignment", section 2.3), which PRePair's pointwise judges
use too (Appendix A.3).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from peerjudge.data import Outcome, TokenLogprob
from peerjudge.verdicts.reader import read_verdict

_LABEL = re.compile(r"[\s\"'(\[{*:#=_`]*([1-9]|[A-E]|[a-e])[\s\"')\]}*.,:;!_`]*")
_ALPHABETS = ("123456789", "ABCDE", "abcde")
_SPACES = str.maketrans({"\u0120": " ", "\u2581": " ", "\u010a": "\n"})
"""Spaces and the line break as some tokenizers spell them."""
_END = re.compile(r"<\|[\w ]{1,40}\|>|</?s>|<(?:eos|end_of_turn|EOD)>")
_RATING = re.compile(r"[\s\u2581\u0120\"'(\[{*:]*([0-9]{1,3})[\s\"')\]}*.,]*")
_MOST_TRIED = 32
"""Tokens, from the end of a reply, that are tried as the one of its verdict or rating."""
_LEAST = 1e-6


def verdict_probabilities(
    logprobs: Sequence[TokenLogprob], *, answers: int, ties: bool
) -> tuple[float, ...] | None:
    """Return the probability of each shown answer, by shown position, as the verdict of a reply.

    The verdict token is the last one whose label (a digit or a letter, with the characters around
    it) can be replaced by the label of any other answer so that `read_verdict` reads that answer
    from the whole reply. Its alternatives with a label of the same alphabet (digits, upper case,
    lower case) count for the answers; spellings of one label are added up. The probabilities are
    normalised over the answers: ties and all other words are left out. They are conditional on the
    text before the verdict token, so after a reasoned decision they are close to 0 and 1.

    A label that the server did not list cannot be more probable than the least probable listed
    alternative, nor than the probability that the list leaves. The smaller of the two bounds is used
    for it, which understates the preference for the listed labels and never overstates it. (The
    chosen token itself does not bound the others: servers list it even if it is not among the most
    probable.) No normalised probability is below 1e-6, so that one reply cannot decide a mean of
    log-odds.

    The result is `None` if the reply has no readable verdict, no single token carries it ("the first
    answer", or two statements that must agree), or the server returned no alternatives for it.

    Args:
        logprobs: The tokens of the reply, in order.
        answers: Number of shown answers.
        ties: `True` if a tie is a valid verdict.
    """
    if answers < 2:
        return None
    label = _find_label(logprobs, answers=answers, ties=ties)
    if label is None:
        return None
    token, alphabet = logprobs[label[0]], label[1]
    own = token.token.translate(_SPACES)
    listed = {text.translate(_SPACES): _probability(logprob) for text, logprob in token.top}
    listed.pop(own, None)
    if not listed:
        return None
    chosen = _probability(token.logprob)
    bound = min(*listed.values(), max(0.0, 1.0 - math.fsum([*listed.values(), chosen])))
    listed[own] = chosen
    weights = _weigh_labels(listed, alphabet[:answers])
    total = math.fsum(weights.values()) + bound * (answers - len(weights))
    if total <= 0:
        return None
    shares = [max(weights.get(place, bound) / total, _LEAST) for place in range(answers)]
    return tuple(share / math.fsum(shares) for share in shares)


def find_verdict_token(logprobs: Sequence[TokenLogprob], *, answers: int, ties: bool) -> int | None:
    """Return the index of the token that `verdict_probabilities` reads; `None` without one."""
    label = _find_label(logprobs, answers=answers, ties=ties)
    return None if label is None else label[0]


def _weigh_labels(listed: Mapping[str, float], labels: str) -> dict[int, float]:
    """Return by shown position the summed probability of the alternatives with its label."""
    weights: dict[int, float] = {}
    for text, probability in listed.items():
        label = _LABEL.fullmatch(text)
        place = -1 if label is None else labels.find(label[1])
        if place >= 0:
            weights[place] = weights.get(place, 0.0) + probability
    return weights


def _find_label(
    logprobs: Sequence[TokenLogprob], *, answers: int, ties: bool
) -> tuple[int, str] | None:
    """Return the index of the verdict token and the alphabet of its label."""
    tokens = [logprob.token.translate(_SPACES) for logprob in logprobs]
    while tokens and (_END.fullmatch(tokens[-1]) or not tokens[-1]):
        tokens.pop()
    read = partial(_read, answers=answers, ties=ties)
    stated = read(tokens)
    if stated is None:
        return None
    places = range(answers)
    tried = 0
    for at in range(len(tokens) - 1, -1, -1):
        label = _LABEL.fullmatch(tokens[at])
        if label is None or not _may_label(tokens, at, label):
            continue
        alphabet = next(one for one in _ALPHABETS if label[1] in one)
        if alphabet.find(label[1]) != stated or len(alphabet) < answers:
            continue
        others = (_relabel(tokens, at, label, alphabet[place]) for place in places)
        if [read(other) for other in others] == [*places]:
            return at, alphabet
        tried += 1
        if tried == _MOST_TRIED:
            break
    return None


def _read(tokens: Sequence[str], *, answers: int, ties: bool) -> int | None:
    """Return the shown position of the verdict, the number of answers for a tie, or `None`."""
    reading = read_verdict("".join(tokens), answers=answers, ties=ties)
    if reading.position is not None:
        return reading.position
    return answers if reading.outcome is Outcome.TIE else None


def _may_label(tokens: Sequence[str], at: int, label: re.Match[str]) -> bool:
    """Return `False` for a small letter without an opening bracket, which is a word."""
    if not label[1].islower():
        return True
    before = label.string[: label.start(1)] or (tokens[at - 1] if at else "")
    return before.endswith(("(", "["))


def _relabel(tokens: Sequence[str], at: int, label: re.Match[str], other: str) -> list[str]:
    """Return the tokens with another label at this place, and the characters around it kept."""
    token = label.string[: label.start(1)] + other + label.string[label.end(1) :]
    return [*tokens[:at], token, *tokens[at + 1 :]]


def _probability(logprob: float) -> float:
    # Rounding on the server may leave a logarithm slightly above 0.
    return 0.0 if math.isnan(logprob) else math.exp(min(logprob, 0.0))


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
        if rating is not None and low <= rating <= high:
            weights[rating] = weights.get(rating, 0.0) + _probability(logprob)
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
