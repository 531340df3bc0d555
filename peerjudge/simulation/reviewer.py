"""Simulated reviewer: takes the same cue as any other and replies in words, from its traits.

It keeps no state, and reads its prompt only if its card has `[[responds]]` or `wording_error`: the words
of pack and role, never the material. Its earlier stance comes from the turns of the request,
so a resumed or forked discussion continues in the same way. From the others it takes their verdicts
and the force of their words, not their traits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from string import ascii_lowercase

from peerjudge.data import Card, Expects, Request, TokenLogprob, Utterance
from peerjudge.simulation.judgement import (
    BARE_TASKS,
    Mind,
    build_key,
    decide,
    find_seen_answers,
    rate,
    spread_rating,
    spread_verdict,
    weigh_answers,
)
from peerjudge.simulation.latent import draw_uniform
from peerjudge.simulation.reactions import Temper
from peerjudge.simulation.speech import (
    Brief,
    break_off,
    press_point,
    refuse,
    write_explanation,
    write_rating,
    write_review,
    write_turn,
)
from peerjudge.simulation.writing import draw_length, utter

_FAIR = -0.3
"""Appeal above which an answer judged alone is praised. [sd]"""

_LEAST_CHANCE = 1e-9
"""Least probability of an answer in the log-probabilities of a verdict."""


class SimulatedReviewer:
    """Reviewer for a card with `[traits]`, reproducible for a seed; needs no model and no network.

    Errors shared with other reviewers depend on the seed and the comparison, its own errors on its
    name as well, and fresh errors on the request's `draw` (at temperature 0 on the prompt, so that the
    same prompt always gets the same reply).

    Args:
        card: The card; see `Traits` for what it can say.
        seed: The seed of the simulated world; the same for all reviewers of one study.

    Raises:
        CardError: a trait on the card is unknown or outside its range, or a reaction cannot be read.
    """

    def __init__(self, card: Card, *, seed: int) -> None:
        self._temper = Temper(card)
        self._mind = Mind(card=card, traits=self._temper.traits, seed=seed)

    @property
    def name(self) -> str:
        """Name of the card."""
        return self._mind.card.name

    async def speak(self, request: Request) -> Utterance:
        """Reply to a cue in words that end in the expected form."""
        traits, wording = self._temper.find_traits(request)
        mind = replace(self._mind, traits=traits, wording=wording)
        text, finish_reason, logprobs = _write_reply(mind, request)
        return await utter(
            text,
            request,
            traits,
            model=self.name,
            finish_reason=finish_reason,
            logprobs=logprobs,
        )

    async def close(self) -> None:
        """Do nothing; a simulated reviewer holds nothing open."""


_Reply = tuple[str, str, tuple[TokenLogprob, ...] | None]


def _write_reply(mind: Mind, request: Request) -> _Reply:
    """Return the text of a reply, its finish reason, and log-probabilities if wanted."""
    traits, cue = mind.traits, request.cue
    key = build_key(mind, request)
    appeal = weigh_answers(mind, request, key=key)
    brief = Brief(
        key=key,
        answers=find_seen_answers(request),
        favoured=frozenset(answer for answer, value in appeal.items() if value > _FAIR),
        words=draw_length(traits, key),
        pressing=press_point(traits.persuasiveness, key),
    )
    fate = draw_uniform("fate", key)
    if fate < traits.refusal_rate:
        return refuse(brief), "stop", None
    if cue.expects is Expects.TEXT:
        return write_explanation(brief), "stop", None
    if fate < traits.refusal_rate + traits.unreadable_rate:
        return break_off(brief), "length", None
    if cue.expects is Expects.RATING:
        score = rate(appeal, traits, scale=cue.scale)
        before, after = write_rating(brief, cue.reply)
        text = f"{before}{score}{after}"
        if not _wants_logprobs(request):
            return text, "stop", None
        chances = spread_rating(appeal, traits, scale=cue.scale)
        return text, "stop", _split_tokens(before, score, after, chances)
    decision = decide(mind, request, key=key, appeal=appeal)
    chosen = decision.verdict.choice
    brief = replace(brief, favoured=frozenset(appeal if chosen is None else [chosen]))
    if decision.heard:
        return write_turn(brief, decision), "stop", None
    if cue.task in BARE_TASKS:
        text = brief.state_verdict(decision.verdict)
        if chosen is None or not _wants_logprobs(request) or len(appeal) < 2:
            return text, "stop", None
        chances = spread_verdict(appeal, chosen=chosen)
        return text, "stop", _split_label(text, chances, chosen=chosen)
    return write_review(brief, decision.verdict), "stop", None


def _wants_logprobs(request: Request) -> bool:
    return request.cue.logprobs or request.seat.sampling.logprobs


def _split_label(
    text: str, chances: Mapping[str, float], *, chosen: str
) -> tuple[TokenLogprob, ...]:
    """Return a bare verdict as the text around the letter of its label, and the letter with the others."""
    letters = dict(zip(chances, ascii_lowercase, strict=False))
    listed = tuple(
        (letter, math.log(max(chances[answer], _LEAST_CHANCE)))
        for answer, letter in letters.items()
    )
    before, after = text[: -len("a)")], text[-len(")") :]
    return (
        TokenLogprob(token=before, logprob=0.0),
        TokenLogprob(token=letters[chosen], logprob=math.log(chances[chosen]), top=listed),
        TokenLogprob(token=after, logprob=0.0),
    )


def _split_tokens(
    before: str, score: int, after: str, chances: Mapping[int, float]
) -> tuple[TokenLogprob, ...]:
    """Return a reply as the text before its score, the score with its alternatives, and the rest."""
    ratings = tuple((str(rating), math.log(chance)) for rating, chance in chances.items() if chance)
    rated = TokenLogprob(token=str(score), logprob=math.log(chances[score]), top=ratings)
    words = TokenLogprob(token=before, logprob=0.0)
    return (words, rated, TokenLogprob(token=after, logprob=0.0)) if after else (words, rated)
