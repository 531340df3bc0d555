"""What makes a discussion, and a random draw within it, the same as another."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

from peerjudge.data import Comparison, Cue, Seat, Transcript, Turn, content_hash
from peerjudge.prompts import heard_turns

__all__ = ["comparison_key", "draw_of", "identify"]

Content = tuple[str, ...]


@lru_cache(maxsize=1024)
def comparison_key(comparison: Comparison) -> str:
    """The content hash of a comparison as it is shown: another order is another key."""
    question, gold = comparison.question, comparison.gold
    # Field by field, so that a field added to the noun does not make every discussion a new one.
    return content_hash(
        comparison.id,
        [question.id, question.text, question.category],
        [[answer.id, answer.text, answer.author] for answer in comparison.answers],
        None if gold is None else [gold.outcome, gold.choice],
        comparison.subset,
        sorted(comparison.meta.items()),
    )


def identify(head: Transcript, *, prompts: str, seed: int = 0, code: str = "") -> str:
    """The content hash of everything that determines a discussion, its `id`.

    That is the comparison in its shown order, the protocol with its options, the seats (reviewer,
    identity, sampling, role), the prompts, the seed and the repetition. The name of the condition
    is not part of it, nor are turns, files and times: the same discussion under another name is
    the same discussion, and is played once.

    Args:
        head: The discussion before its first turn; its own `id` is not looked at.
        prompts: The identity of the prompt pack's words.
        seed: The seed of the experiment.
        code: The digest of the protocol's code, where that is the user's own and may be edited.
    """
    options = sorted((head.options or {}).items())
    seats = [_seat_content(seat) for seat in head.seats]
    return content_hash(
        comparison_key(head.comparison),
        head.protocol,
        options,
        seats,
        prompts,
        seed,
        head.repetition,
        *([code] if code else []),
    )


def draw_content(transcript: Transcript, cue: Cue, seat: Seat, turns: Sequence[Turn]) -> Content:
    """What a draw depends on, and nothing that differs between discussions of the same content.

    What is said of an answer alone depends on the question and that answer's text, whatever other
    answers it is compared with: it is the same draw in every pair.
    """
    sampling = seat.sampling
    heard: list[str] = []
    for turn in heard_turns(turns, cue):
        heard += ("own" if turn.cue.seat == seat.id else "other", turn.utterance.text)
    comparison, sees = transcript.comparison, cue.sees
    if len(sees) > 1:
        about = (comparison.id, *sees)
    else:
        about = (comparison.question.id, *[comparison.answer(answer).text for answer in sees])
    return (
        str(len(sees)),
        *about,
        seat.reviewer,
        f"{sampling.temperature} {sampling.top_p} {sampling.seed} {sampling.max_tokens}",
        cue.task,
        *heard,
    )


def draw_of(content: Content, earlier: Sequence[Content], *, repetition: int) -> str:
    """The key of a draw. The n-th draw of one content within a discussion is a draw of its own.

    So a private review is the same draw in every protocol, and three seats of one reviewer that
    are asked the same are still three draws.
    """
    # With the lengths in front, no two contents run together into the same text.
    lengths = [len(part) for part in content]
    text = "".join((f"{repetition} {earlier.count(content)} {lengths} ", *content))
    return sha256(text.encode()).hexdigest()[:32]


def _seat_content(seat: Seat) -> object:
    sampling = seat.sampling
    return [
        seat.id,
        seat.reviewer,
        seat.role,
        seat.identity,
        [
            sampling.temperature,
            sampling.top_p,
            sampling.seed,
            sampling.max_tokens,
            sampling.logprobs,
        ],
    ]
