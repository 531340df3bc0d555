"""How a persuasive reviewer presses its point in words, and how a simulated listener hears that.

Persuasiveness travels in the text, not beside it: each step of it is one more sentence that presses
the point. A listener weighs what it reads, so a resumed or forked discussion weighs the same, and a
verdict that is stated without a word persuades nobody more than another.
"""

from __future__ import annotations

from peerjudge.simulation.latent import uniform
from peerjudge.simulation.traits import PERSUASIVE_STEP

__all__ = ["force_of", "pressing"]

_PRESSING = (
    "This point alone should settle the matter.",
    "I do not see how one could weigh it otherwise.",
    "Whoever goes back to the question will come to the same conclusion.",
    "What can be said for the other side does not outweigh it.",
    "The difference is plain once one looks for it.",
    "I would stake my name on this judgement.",
)


def pressing(persuasiveness: float, key: str) -> str:
    """The sentences that press a point; none where there is no persuasiveness."""
    count = round(persuasiveness / PERSUASIVE_STEP)
    start = int(uniform(key, "pressing") * len(_PRESSING))
    return " ".join(_PRESSING[(start + step) % len(_PRESSING)] for step in range(count))


def force_of(text: str) -> float:
    """The persuasiveness that a text was written with, in logits."""
    return PERSUASIVE_STEP * sum(sentence in text for sentence in _PRESSING)
