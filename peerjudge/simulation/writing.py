"""Writer of simulated texts: answers whose quality follows from the ability of the card.

The quality of an answer is invented: PRD assumes that better judges write better answers, and no
published figure says by how much. It is

    q = 4 (p - 1/2) + e / sqrt(2),    p = 1/2 + arctan(ability) / pi

with p the accuracy of the card as a judge without bias, and e ~ N(0, 1) new in every answer. So 10 points
of accuracy are worth 0.4 standard deviations of the difference of two answers. A refused or cut-off answer
loses 2. The words of an answer do not show its quality: a simulated reviewer gets it as a number.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping

from peerjudge.data import Card, Request, TokenLogprob, Usage, Utterance
from peerjudge.simulation.latent import draw_normal, draw_uniform
from peerjudge.simulation.speech import pick_phrase
from peerjudge.simulation.traits import Traits, read_traits

SKILL = 4.0
"""Quality of answers per unit of accuracy as a judge. [sd]"""
LOSS = 2.0
"""Quality that an answer loses if it is refused or cut off. [sd]"""

_LENGTH_SPREAD = 0.25
"""Standard deviation of the logarithm of the length of replies."""
_CHARACTERS_PER_TOKEN = 4
_TOPIC_WORDS = 8

_OPENINGS = (
    "This is a simulated answer to the question about {topic}.",
    "A simulated answer follows; the question is about {topic}.",
    "On {topic}, here is a simulated answer.",
)
_POINTS = (
    "The main point comes first, with the reason for it.",
    "An example makes the point concrete.",
    "A second reason supports the first one.",
    "There is an exception, and it is small.",
    "The usual objection does not change the result.",
    "Two numbers would settle the details.",
    "A reader who needs more can start from these points.",
    "The terms of the question are used in their ordinary sense.",
    "The steps are in the order in which they are done.",
    "The last point follows from the others.",
)
_REFUSAL = "I am sorry, but I cannot answer this question."

Text = tuple[str, str]
"""A text and its finish reason."""


class SimulatedWriter:
    """Writer for a card with `[traits]`, reproducible for a seed; needs no model and no network.

    Args:
        card: The card; its ability, failure rates, latency and length count.
        seed: The seed of the simulated world.

    Raises:
        CardError: A trait on the card is unknown or outside its range.
    """

    def __init__(self, card: Card, *, seed: int) -> None:
        self._card = card
        self._traits = read_traits(card)
        self._seed = seed

    @property
    def name(self) -> str:
        """Name of the card."""
        return self._card.name

    async def speak(self, request: Request) -> Utterance:
        """Write the text of a request whose task is one of `WRITERS`."""
        key = _derive_key(self._card, seed=self._seed, draw=request.draw)
        text, finish_reason = WRITERS[request.cue.task](self._traits, request, key)
        return await utter(
            text, request, self._traits, model=self.name, finish_reason=finish_reason
        )

    async def close(self) -> None:
        """Do nothing; a simulated writer holds nothing open."""


async def utter(
    text: str,
    request: Request,
    traits: Traits,
    *,
    model: str,
    finish_reason: str,
    logprobs: tuple[TokenLogprob, ...] | None = None,
) -> Utterance:
    """Return the reply to a request with this text, once its latency has passed.

    The latency follows the length of the text, and tokens are estimated from characters.
    """
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
        model=model,
        finish_reason=finish_reason,
        latency=latency,
        simulated=True,
        logprobs=logprobs,
    )


def draw_length(traits: Traits, key: str) -> float:
    """Draw the wanted length of a reply in words."""
    return traits.length * math.exp(_LENGTH_SPREAD * draw_normal("length", key))


def find_answer_quality(card: Card, *, seed: int, draw: str) -> float:
    """Return the quality of the answer that a simulated card wrote, in latent standard deviations.

    Args:
        card: The card.
        seed: The seed with which it wrote.
        draw: The random draw of the request; see `Request.draw`.
    """
    traits, key = read_traits(card), _derive_key(card, seed=seed, draw=draw)
    skill = SKILL * math.atan(traits.ability) / math.pi
    lost = LOSS if _find_fate(traits, key) != "stop" else 0.0
    return skill + draw_normal("quality", key) / math.sqrt(2) - lost


def _derive_key(card: Card, *, seed: int, draw: str) -> str:
    return f"{seed} {card.name} {draw}"


def _find_fate(traits: Traits, key: str) -> str:
    """Return how an answer ends: `refused`, `length` or `stop`."""
    fate = draw_uniform("fate", key)
    if fate < traits.refusal_rate:
        return "refused"
    return "length" if fate < traits.refusal_rate + traits.unreadable_rate else "stop"


def _write_answer(traits: Traits, request: Request, key: str) -> Text:
    fate = _find_fate(traits, key)
    if fate == "refused":
        return _REFUSAL, "stop"
    wanted = draw_length(traits, key)
    topic = " ".join(request.comparison.question.text.split()[:_TOPIC_WORDS]).rstrip("?.!,:;")
    sentences = [pick_phrase(_OPENINGS, "opening", key).format(topic=f'"{topic}"')]
    while sum(len(sentence.split()) for sentence in sentences) < wanted:
        sentences.append(pick_phrase(_POINTS, f"point {len(sentences)}", key))
    text = " ".join(sentences)
    return (text[: len(text) // 2], "length") if fate == "length" else (text, "stop")


WRITERS: Mapping[str, Callable[[Traits, Request, str], Text]] = {"answer": _write_answer}
"""Kinds of text that simulated cards write; each takes the traits, the request and the random key."""
