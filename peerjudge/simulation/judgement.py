"""Judgement of a simulated reviewer: how good answers look to it, and which verdict it reaches.

Everything follows from the request, the traits and the seed; no state is kept between calls.
The equations are those of `peerjudge.simulation.latent`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from peerjudge.data import (
    TIE,
    WITHOUT_REASONS,
    Answer,
    Card,
    Expects,
    Request,
    Role,
    Verdict,
    content_hash,
    stances_heard,
)
from peerjudge.simulation.latent import (
    compute_change_chance,
    draw_normal,
    draw_uniform,
    find_latent,
    split_noise,
)
from peerjudge.simulation.speech import Decision, measure_force
from peerjudge.simulation.traits import Traits
from peerjudge.tracker import strict_majority

BARE_TASKS = frozenset({"review"})
"""Tasks whose instruction asks for the verdict without an explanation."""

_RATINGS = (1, 5)
MIDDLE_RATING = 3.0
RATING_STEP = 1.3
"""Points of rating per latent standard deviation."""

_RATING_DOUBT = 0.6
"""Standard deviation of a rating about the felt one, on five points."""


_VERDICT_DOUBT = 0.5
"""Difference of two answers at which the log-odds of a bare verdict are 1. [sd]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """Simulated reviewer before one request: its card, its traits for it, and the seed of its world.

    `wording` is a digest of the words of the prompt, empty for a reviewer that does not read them.
    """

    card: Card
    traits: Traits
    seed: int
    wording: str = ""

    def find_temperature(self, request: Request) -> float:
        """Return the temperature of a reply: the seat's, else the card's, else 1."""
        for sampling in (request.seat.sampling, self.card.sampling):
            if sampling.temperature is not None:
                return sampling.temperature
        return 1.0


def build_key(mind: Mind, request: Request) -> str:
    """Return the key of the fresh part of a reply: the draw; at temperature 0, the prompt alone."""
    if mind.find_temperature(request) > 0:
        return content_hash(mind.seed, mind.card.name, request.draw)
    return content_hash(
        mind.seed,
        mind.card.name,
        request.comparison.id,
        request.cue.task,
        list(request.cue.sees),
        [message.text for message in request.messages],
        [turn.utterance.text for turn in request.heard],
    )


def find_seen_answers(request: Request) -> tuple[Answer, ...]:
    """Return the answers of a reply as shown; all of them where a decision is shown none again."""
    sees = request.cue.sees
    if not sees and request.cue.expects is not Expects.TEXT:
        sees = request.comparison.shown
    return tuple(request.comparison.answer(answer_id) for answer_id in sees)


def weigh_answers(mind: Mind, request: Request, *, key: str) -> Mapping[str, float]:
    """Return how good each seen answer looks, by answer id, in latent standard deviations."""
    traits, comparison = mind.traits, request.comparison
    latent = find_latent(comparison, seed=mind.seed)
    noise = split_noise(traits, mind.find_temperature(request))
    surface = traits.surface * _find_dampening(request, traits)
    usual_length = sum(map(measure_length, comparison.answers)) / len(comparison.answers)
    seen = find_seen_answers(request)
    appeal: dict[str, float] = {}
    for place, answer in enumerate(seen):
        item = (comparison.id, answer.id)
        error = (
            math.sqrt(noise.shared) * draw_normal(mind.seed, "u", *item)
            + math.sqrt(noise.own) * draw_normal(mind.seed, "v", mind.card.name, *item)
            + math.sqrt(noise.fresh) * draw_normal("w", key, *item)
        )
        if noise.place and len(seen) > 1:
            error += math.sqrt(noise.place) * draw_normal(
                mind.seed, "p", mind.card.name, comparison.id, place
            )
        if noise.wording:
            error += math.sqrt(noise.wording) * draw_normal(
                mind.seed, "t", mind.card.name, mind.wording, *item
            )
        appeal[answer.id] = (
            traits.ability * latent.merit[answer.id]
            + surface * latent.lure[answer.id]
            + traits.verbosity * (measure_length(answer) - usual_length)
            + (traits.self_enhancement if is_own(answer, mind.card) else 0.0)
            + (traits.machine_taste if is_machine(answer) else 0.0)
            + (traits.position_bias if place == 0 and len(seen) > 1 else 0.0)
            + error / math.sqrt(2)
        )
    return appeal


def rate(appeal: Mapping[str, float], traits: Traits, *, scale: tuple[int, int]) -> int:
    """Return a score for the first answer seen; halfway between good and bad is the middle.

    `scale` is the worst and the best possible score.
    """
    return min(max(scale), max(min(scale), round(_feel_rating(appeal, traits, scale))))


def spread_rating(
    appeal: Mapping[str, float], traits: Traits, *, scale: tuple[int, int]
) -> Mapping[int, float]:
    """Return the probability of each score; the likeliest is that of `rate`."""
    felt = _feel_rating(appeal, traits, scale)
    scores = range(min(scale), max(scale) + 1)
    doubt = _RATING_DOUBT * (len(scores) - 1) / (_RATINGS[1] - _RATINGS[0])
    nearest = min(abs(score - felt) for score in scores)
    weights = {
        score: math.exp((nearest**2 - (score - felt) ** 2) / (2 * doubt**2)) for score in scores
    }
    total = sum(weights.values())
    return {score: weight / total for score, weight in weights.items()}


def spread_verdict(appeal: Mapping[str, float], *, chosen: str) -> Mapping[str, float]:
    """Return the probability of each answer as a bare verdict; the chosen one is the likeliest.

    The log-odds of two answers grow in proportion to the difference of their appeal. Where a verdict was
    formed earlier and the chosen answer appeals less now, it changes places with the most appealing.
    """
    most = max(appeal.values())
    weights = {
        answer: math.exp((value - most) / _VERDICT_DOUBT) for answer, value in appeal.items()
    }
    first = max(weights, key=lambda answer: weights[answer])
    weights[first], weights[chosen] = weights[chosen], weights[first]
    total = sum(weights.values())
    return {answer: weight / total for answer, weight in weights.items()}


def _feel_rating(appeal: Mapping[str, float], traits: Traits, scale: tuple[int, int]) -> float:
    seen = next(iter(appeal.values()))
    halfway = -traits.ability * math.sqrt(2 / math.pi) / 2
    felt = MIDDLE_RATING + RATING_STEP * (seen - halfway)
    (worst, best), (low, high) = scale, _RATINGS
    return worst + (felt - low) * (best - worst) / (high - low)


def decide(mind: Mind, request: Request, *, key: str, appeal: Mapping[str, float]) -> Decision:
    """Return the verdict: the own judgement, the stance held so far, or the others' after giving way.

    A seat without a stance that the cue allows forms one as if in private. Where it hears no reasons,
    or reasons about another answer, being right does not make the others more convincing.
    """
    stances = _find_stances(request)
    own, _ = stances.pop(request.seat.id, (None, 0.0))
    if own is None or not _is_allowed(own, request):
        own = _choose(appeal, tie_width=mind.traits.tie_width if request.cue.ties else 0.0)
    others = strict_majority(verdict for verdict, _ in stances.values())
    verdict = own
    if others is not None and others != own and _is_allowed(others, request):
        chance = compute_change_chance(
            mind.traits,
            leads=request.seat.role == Role.LEADER,
            right=_are_right(others, mind, request),
            first_turn=not _has_discussed(request),
            persuasion=fmean(force for verdict, force in stances.values() if verdict == others),
        )
        verdict = others if draw_uniform("change", key) < chance else own
    heard = {turn.cue.seat for turn in request.heard} - {request.seat.id}
    return Decision(verdict=verdict, before=own, others=others, heard=len(heard))


def _find_dampening(request: Request, traits: Traits) -> float:
    """Return the part of the surface's pull left after looking at answers alone or explaining them."""
    cue = request.cue
    if cue.expects is not Expects.VERDICT and len(cue.sees) == 1:
        return traits.alone_dampening
    explained = [
        len(turn.cue.sees)
        for turn in request.heard
        if turn.cue.seat == cue.seat and turn.cue.expects is Expects.TEXT and turn.cue.sees
    ]
    if not explained:
        return 1.0
    return traits.alone_dampening if max(explained) == 1 else traits.together_dampening


def _are_right(others: Verdict, mind: Mind, request: Request) -> bool | None:
    """Return whether the others are right, or `None` where their reasons cannot show it."""
    if request.cue.control not in {"none", "unnamed"}:
        return None
    return others == find_latent(request.comparison, seed=mind.seed).truth


def _find_stances(request: Request) -> dict[str, tuple[Verdict, float]]:
    """Return the last readable verdict of every seat heard, the own included, and its force."""
    forces: dict[str, float] = {}
    for turn in request.heard:
        verdict = turn.review.verdict
        if verdict is not None and verdict.readable and request.cue.control not in WITHOUT_REASONS:
            forces[turn.cue.seat] = measure_force(turn.utterance.text)
    verdicts = stances_heard(request.heard, request.cue)
    return {seat: (verdict, forces.get(seat, 0.0)) for seat, verdict in verdicts.items()}


def _has_discussed(request: Request) -> bool:
    """Return whether this seat has spoken in the discussion before."""
    return any(turn.cue.seat == request.seat.id and not turn.cue.private for turn in request.heard)


def _is_allowed(verdict: Verdict, request: Request) -> bool:
    if verdict == TIE:
        return request.cue.ties
    return verdict.choice in {answer.id for answer in find_seen_answers(request)}


def _choose(appeal: Mapping[str, float], *, tie_width: float) -> Verdict:
    ranked = sorted(appeal, key=lambda answer: -appeal[answer])
    if len(ranked) > 1 and appeal[ranked[0]] - appeal[ranked[1]] < tie_width:
        return TIE
    return Verdict.of(ranked[0])


def measure_length(answer: Answer) -> float:
    """Return the logarithm of the answer's length, on which a taste for length acts."""
    return math.log(len(answer.text) + 1)


def is_own(answer: Answer, card: Card) -> bool:
    """Return whether the author is this reviewer, the contestant that it is, or of its family.

    The family `gpt` owns `gpt-4` and `GPT3.5`.
    """
    author, family = _normalize(answer.author), _normalize(card.family)
    names = {
        _normalize(name) for name in (card.name, card.name.removeprefix("sim_"), card.contestant)
    }
    return bool(author) and (author in names or (bool(family) and author.startswith(family)))


def is_machine(answer: Answer) -> bool:
    """Return whether the author is known and not human."""
    author = _normalize(answer.author)
    return bool(author) and "human" not in author


def _normalize(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())
