"""How a simulated reviewer sees the answers it is shown, and what it decides on what it has heard.

Everything follows from the request, the traits and the seed; nothing is remembered between calls.
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
    Answer,
    Card,
    Comparison,
    Expects,
    Request,
    Role,
    Verdict,
    content_hash,
    stances_heard,
)
from peerjudge.simulation.latent import (
    change_probability,
    latent_quality,
    noise_of,
    normal,
    uniform,
)
from peerjudge.simulation.persuasion import force_of
from peerjudge.simulation.traits import Traits
from peerjudge.tracker import strict_majority

__all__ = [
    "BARE_TASKS",
    "MIDDLE_RATING",
    "RATING_STEP",
    "Decision",
    "Mind",
    "appeal_of",
    "decide",
    "is_machine",
    "is_own",
    "key_of",
    "log_length",
    "rate",
    "rating_chances",
    "seen_answers",
]

BARE_TASKS = frozenset({"review"})
"""Tasks whose instruction asks for the verdict without an explanation."""

_RATINGS = (1, 5)
MIDDLE_RATING = 3.0
RATING_STEP = 1.3
"""Points of rating per latent standard deviation."""

_RATING_DOUBT = 0.6
"""How many points around what is felt a rating could as well have been."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """A simulated reviewer: its card, the traits the card states, and the seed of its world."""

    card: Card
    traits: Traits
    seed: int

    def temperature(self, request: Request) -> float:
        """The temperature of a reply: the seat's, else the card's, else 1."""
        for sampling in (request.seat.sampling, self.card.sampling):
            if sampling.temperature is not None:
                return sampling.temperature
        return 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A verdict and how it came about.

    `before` is the stance up to now, `others` the stance heard (`None` if there is none), `heard`
    how many other seats were heard; 0 in private.
    """

    verdict: Verdict
    before: Verdict
    others: Verdict | None
    heard: int


def key_of(mind: Mind, request: Request) -> str:
    """What the fresh part of a reply depends on: the draw; at temperature 0, the prompt alone."""
    if mind.temperature(request) > 0:
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


def seen_answers(request: Request) -> tuple[Answer, ...]:
    """The answers the reply is about, as shown; all of them where a decision sees none anew."""
    sees = request.cue.sees
    if not sees and request.cue.expects is not Expects.TEXT:
        sees = request.comparison.shown
    return tuple(request.comparison.answer(answer_id) for answer_id in sees)


def appeal_of(mind: Mind, request: Request, *, key: str) -> Mapping[str, float]:
    """How good each seen answer looks in this reply, by answer id, in latent standard deviations."""
    traits, comparison = mind.traits, request.comparison
    latent = latent_quality(comparison, seed=mind.seed)
    noise = noise_of(traits, mind.temperature(request))
    surface = traits.surface * _damping(request, traits)
    usual_length = _usual_log_length(comparison)
    seen = seen_answers(request)
    appeal: dict[str, float] = {}
    for place, answer in enumerate(seen):
        item = (comparison.id, answer.id)
        error = (
            math.sqrt(noise.shared) * normal(mind.seed, "u", *item)
            + math.sqrt(noise.own) * normal(mind.seed, "v", mind.card.name, *item)
            + math.sqrt(noise.fresh) * normal("w", key, *item)
        )
        if noise.place and len(seen) > 1:
            error += math.sqrt(noise.place) * normal(
                mind.seed, "p", mind.card.name, comparison.id, place
            )
        appeal[answer.id] = (
            traits.ability * latent.merit[answer.id]
            + surface * latent.lure[answer.id]
            + traits.verbosity * (log_length(answer) - usual_length)
            + (traits.self_enhancement if is_own(answer, mind.card) else 0.0)
            + (traits.machine_taste if is_machine(answer) else 0.0)
            + (traits.position_bias if place == 0 and len(seen) > 1 else 0.0)
            + error / math.sqrt(2)
        )
    return appeal


def rate(appeal: Mapping[str, float], traits: Traits, *, scale: tuple[int, int] = _RATINGS) -> int:
    """A score for the first answer seen; halfway between good and bad is the middle.

    `scale` is the worst and the best score that there is.
    """
    return min(max(scale), max(min(scale), round(_felt_rating(appeal, traits, scale))))


def rating_chances(
    appeal: Mapping[str, float], traits: Traits, *, scale: tuple[int, int] = _RATINGS
) -> Mapping[int, float]:
    """How probable each score was: the nearer to what is felt, the more. The likeliest is `rate`'s."""
    felt = _felt_rating(appeal, traits, scale)
    scores = range(min(scale), max(scale) + 1)
    doubt = _RATING_DOUBT * (len(scores) - 1) / (_RATINGS[1] - _RATINGS[0])
    nearest = min(abs(score - felt) for score in scores)
    weights = {
        score: math.exp((nearest**2 - (score - felt) ** 2) / (2 * doubt**2)) for score in scores
    }
    total = sum(weights.values())
    return {score: weight / total for score, weight in weights.items()}


def _felt_rating(appeal: Mapping[str, float], traits: Traits, scale: tuple[int, int]) -> float:
    seen = next(iter(appeal.values()))
    halfway = -traits.ability * math.sqrt(2 / math.pi) / 2
    felt = MIDDLE_RATING + RATING_STEP * (seen - halfway)
    (worst, best), (low, high) = scale, _RATINGS
    return worst + (felt - low) * (best - worst) / (high - low)


def decide(mind: Mind, request: Request, *, key: str, appeal: Mapping[str, float]) -> Decision:
    """The verdict: one's own judgement, or the stance held so far, or the others' if one gives way.

    A seat that has no stance which the cue allows forms one as if in private. Where it hears no
    reasons, or such as speak of another answer, being right does not make the others more convincing.
    """
    stances = _stances(request)
    mine = stances.pop(request.seat.id, None)
    own = None if mine is None else mine.verdict
    if own is None or not _can_be_said(own, request):
        own = _choice(appeal, tie_width=mind.traits.tie_width if request.cue.ties else 0.0)
    others = strict_majority(stance.verdict for stance in stances.values())
    verdict = own
    if others is not None and others != own and _can_be_said(others, request):
        chance = change_probability(
            mind.traits,
            leads=request.seat.role is Role.LEADER,
            right=_right(others, mind, request),
            first_turn=not _has_discussed(request),
            persuasion=fmean(one.force for one in stances.values() if one.verdict == others),
        )
        verdict = others if uniform("change", key) < chance else own
    heard = {turn.cue.seat for turn in request.heard} - {request.seat.id}
    return Decision(verdict=verdict, before=own, others=others, heard=len(heard))


def _damping(request: Request, traits: Traits) -> float:
    """How much of the surface's pull is left, by what was looked at alone or explained before."""
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


def _right(others: Verdict, mind: Mind, request: Request) -> bool | None:
    """Whether the others are right, as far as their reasons can show it."""
    if request.cue.control != "none":
        return None
    return others == latent_quality(request.comparison, seed=mind.seed).truth


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stance:
    verdict: Verdict
    force: float


def _stances(request: Request) -> dict[str, _Stance]:
    """The last readable verdict of every seat heard, the own included, and how it was pressed."""
    verdicts = stances_heard(request.heard, request.cue)
    forces: dict[str, float] = {}
    for turn in request.heard:
        verdict = turn.review.verdict
        if verdict is not None and verdict.readable and request.cue.control != "irrelevant":
            forces[turn.cue.seat] = force_of(turn.utterance.text)
    return {
        seat: _Stance(verdict=verdict, force=forces.get(seat, 0.0))
        for seat, verdict in verdicts.items()
    }


def _has_discussed(request: Request) -> bool:
    """Whether this seat has spoken in the discussion before."""
    return any(turn.cue.seat == request.seat.id and not turn.cue.private for turn in request.heard)


def _can_be_said(verdict: Verdict, request: Request) -> bool:
    if verdict == TIE:
        return request.cue.ties
    return verdict.choice in {answer.id for answer in seen_answers(request)}


def _choice(appeal: Mapping[str, float], *, tie_width: float) -> Verdict:
    ranked = sorted(appeal, key=lambda answer: -appeal[answer])
    if len(ranked) > 1 and appeal[ranked[0]] - appeal[ranked[1]] < tie_width:
        return TIE
    return Verdict.of(ranked[0])


def log_length(answer: Answer) -> float:
    """The logarithm of the answer's length, by which a taste for length goes."""
    return math.log(len(answer.text) + 1)


def _usual_log_length(comparison: Comparison) -> float:
    return sum(map(log_length, comparison.answers)) / len(comparison.answers)


def is_own(answer: Answer, card: Card) -> bool:
    """Whether the author is this reviewer or of its family: `gpt` owns `gpt-4` and `GPT3.5`."""
    author, family = _plain(answer.author), _plain(card.family)
    names = {_plain(card.name), _plain(card.name.removeprefix("sim_"))}
    return bool(author) and (author in names or (bool(family) and author.startswith(family)))


def is_machine(answer: Answer) -> bool:
    """Whether the author is known and not human."""
    author = _plain(answer.author)
    return bool(author) and "human" not in author


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())
