"""A simulated reviewer: takes the same cue as any other and answers in words, from its traits.

It keeps no state and never reads its prompt. What it believed before it takes from the turns it is
given, so a resumed or forked discussion goes on as it would have. What it hears of the others is
their verdicts and how hard their words press them; it knows no other reviewer's traits.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import replace

from peerjudge.data import Card, Expects, Request, TokenLogprob, Usage, Utterance
from peerjudge.simulation.judgement import (
    BARE_TASKS,
    Mind,
    appeal_of,
    decide,
    key_of,
    rate,
    rating_chances,
    seen_answers,
)
from peerjudge.simulation.latent import normal, uniform
from peerjudge.simulation.persuasion import pressing
from peerjudge.simulation.speech import (
    Brief,
    bare_verdict,
    broken_off,
    discussion_turn,
    explanation,
    private_review,
    rating,
    refusal,
)
from peerjudge.simulation.traits import read_traits

__all__ = ["SimulatedReviewer"]

_FAIR = -0.3
"""An answer judged alone is praised when it looks better than this. [sd]"""

_LENGTH_SPREAD = 0.25
"""Standard deviation of the logarithm of the length of replies."""

_CHARACTERS_PER_TOKEN = 4


class SimulatedReviewer:
    """Speaks for a card with `[traits]`, reproducibly for a seed; needs no model and no network.

    What it shares with other reviewers depends on the seed and the comparison, what it shares with
    itself on its name as well, and what is fresh on the request's `draw` (at temperature 0: on the
    prompt, so that the same prompt always gets the same reply).

    Args:
        card: The card; see `Traits` for what it can say.
        seed: The seed of the simulated world; the same for all reviewers of one study.

    Raises:
        CardError: if the card's traits cannot be.
    """

    def __init__(self, card: Card, *, seed: int) -> None:
        self._mind = Mind(card=card, traits=read_traits(card), seed=seed)

    @property
    def name(self) -> str:
        """The name of the card."""
        return self._mind.card.name

    async def speak(self, request: Request) -> Utterance:
        """The reply to a cue: words, and at their end what the cue expects."""
        traits = self._mind.traits
        text, finish_reason, logprobs = _reply(self._mind, request)
        latency = traits.latency * len(text.split()) / traits.length
        if latency > 0:
            await asyncio.sleep(latency)
        prompt = sum(len(message.text) for message in request.messages)
        return Utterance(
            text=text,
            usage=Usage(
                prompt_tokens=math.ceil(prompt / _CHARACTERS_PER_TOKEN),
                completion_tokens=math.ceil(len(text) / _CHARACTERS_PER_TOKEN),
                estimated=True,
            ),
            model=self.name,
            finish_reason=finish_reason,
            latency=latency,
            simulated=True,
            logprobs=logprobs,
        )

    async def close(self) -> None:
        """Nothing is held open."""


_Reply = tuple[str, str, tuple[TokenLogprob, ...] | None]


def _reply(mind: Mind, request: Request) -> _Reply:
    """The words of a reply, why they end, and of a rating the probabilities if they are wanted."""
    traits, cue = mind.traits, request.cue
    key = key_of(mind, request)
    appeal = appeal_of(mind, request, key=key)
    brief = Brief(
        key=key,
        answers=seen_answers(request),
        favoured=frozenset(answer for answer, value in appeal.items() if value > _FAIR),
        words=traits.length * math.exp(_LENGTH_SPREAD * normal("length", key)),
        pressing=pressing(traits.persuasiveness, key),
    )
    fate = uniform("fate", key)
    if fate < traits.refusal_rate:
        return refusal(brief), "stop", None
    if cue.expects is Expects.TEXT:
        return explanation(brief), "stop", None
    if fate < traits.refusal_rate + traits.unreadable_rate:
        return broken_off(brief), "length", None
    if cue.expects is Expects.RATING:
        score = rate(appeal, traits, scale=cue.scale)
        before, after = rating(brief, cue.reply)
        text = f"{before}{score}{after}"
        if not (cue.logprobs or request.seat.sampling.logprobs):
            return text, "stop", None
        chances = rating_chances(appeal, traits, scale=cue.scale)
        return text, "stop", _tokens(before, score, after, chances)
    decision = decide(mind, request, key=key, appeal=appeal)
    chosen = decision.verdict.choice
    brief = replace(brief, favoured=frozenset(appeal if chosen is None else [chosen]))
    if decision.heard:
        return discussion_turn(brief, decision), "stop", None
    if cue.task in BARE_TASKS:
        return bare_verdict(brief, decision.verdict), "stop", None
    return private_review(brief, decision.verdict), "stop", None


def _tokens(
    before: str, score: int, after: str, chances: Mapping[int, float]
) -> tuple[TokenLogprob, ...]:
    """A reply as the words before its score, the score with its alternatives, and what follows."""
    ratings = tuple((str(rating), math.log(chance)) for rating, chance in chances.items() if chance)
    rated = TokenLogprob(token=str(score), logprob=math.log(chances[score]), top=ratings)
    words = TokenLogprob(token=before, logprob=0.0)
    return (words, rated, TokenLogprob(token=after, logprob=0.0)) if after else (words, rated)
