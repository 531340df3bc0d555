"""Shortening of transcripts for publication: log-probabilities of the verdict only, texts as digests.

A server reports twenty alternatives for each of a hundred tokens, and one of these tokens carries the
verdict. Tokens before and after it are joined and their log-probabilities added, so the reply is whole;
of the alternatives remain those that bear on the probabilities of the answers. A reply is shortened only
where `verdict_probabilities` reads the same from it as before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import fsum

from peerjudge.data import TokenLogprob, Transcript, Turn, replace
from peerjudge.features.bundles.bundling import digest_comparison
from peerjudge.verdicts import find_verdict_token, verdict_probabilities

TOLERANCE = 5e-4
"""Greatest change of a probability by shortening and rounding."""
_DIGITS = 4
_LABEL = re.compile(r"[^\w]*[1-9A-Ea-e][^\w]*")


def shorten_transcript(transcript: Transcript, *, texts: bool) -> Transcript:
    """Return the transcript as it is published.

    Args:
        transcript: a complete discussion.
        texts: keep question and answers; otherwise their digests take their place.
    """
    comparison = transcript.comparison
    return replace(
        transcript,
        comparison=comparison if texts else digest_comparison(comparison),
        turns=tuple(map(_shorten_turn, transcript.turns)),
    )


def shorten_logprobs(
    logprobs: Sequence[TokenLogprob], *, answers: int, ties: bool
) -> tuple[TokenLogprob, ...] | None:
    """Return the tokens before the verdict as one, the verdict token, and the tokens after it as one.

    `None` without a verdict token. The probabilities of the answers stay the same within `TOLERANCE`.
    """
    at = find_verdict_token(logprobs, answers=answers, ties=ties)
    wanted = verdict_probabilities(logprobs, answers=answers, ties=ties)
    if at is None or wanted is None:
        return None
    token = logprobs[at]
    alternatives = (_select(token), tuple((text, round(p, _DIGITS)) for text, p in token.top))
    before, after = _join(logprobs[:at]), _join(logprobs[at + 1 :])
    for top in alternatives:
        own = replace(token, logprob=round(token.logprob, _DIGITS), top=top)
        short = (*before, own, *after)
        found = verdict_probabilities(short, answers=answers, ties=ties)
        if found is not None and _differ(found, wanted) <= TOLERANCE:
            return short
    return tuple(logprobs)


def _shorten_turn(turn: Turn) -> Turn:
    said, logprobs = turn.utterance, None
    if said.logprobs and turn.review.verdict is not None:
        logprobs = shorten_logprobs(said.logprobs, answers=len(turn.cue.sees), ties=turn.cue.ties)
    said = replace(said, logprobs=logprobs, latency=round(said.latency, 1))
    return replace(turn, utterance=said)


def _select(token: TokenLogprob) -> tuple[tuple[str, float], ...]:
    """Return the alternatives that may be labels, and the least probable one, which bounds the rest."""
    least = min(token.top, key=lambda row: row[1])
    return tuple(
        (text, round(logprob, _DIGITS))
        for text, logprob in token.top
        if _LABEL.fullmatch(text) or (text, logprob) == least
    )


def _join(tokens: Sequence[TokenLogprob]) -> tuple[TokenLogprob, ...]:
    text = "".join(one.token for one in tokens)
    total = round(fsum(one.logprob for one in tokens), _DIGITS)
    return (TokenLogprob(token=text, logprob=total),) if text else ()


def _differ(one: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(ours - theirs) for ours, theirs in zip(one, other, strict=True))
