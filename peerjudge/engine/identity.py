"""What makes a discussion, and a random draw within it, the same as another."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

from peerjudge.data import Comparison, Cue, Seat, Transcript, Turn, content_hash
from peerjudge.prompts import collect_heard, order_heard

__all__ = ["Draws", "comparison_key", "identify"]

Content = tuple[str, ...]


# Asked for when a discussion is planned and when it begins; thousands may be planned in between.
@lru_cache(maxsize=4096)
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


class Draws:
    """The draws of one discussion, turn by turn.

    A draw depends on what is shown, on who is asked what, and on what was heard; on nothing that
    differs between discussions of the same content. What is said of an answer alone depends on the
    question and that answer's text, whatever other answers it is compared with: it is the same
    draw in every pair.

    The n-th draw of one content within a discussion is a draw of its own: so a private review is
    the same draw in every protocol, and three seats of one reviewer that are asked the same are
    still three draws.
    """

    def __init__(self, transcript: Transcript) -> None:
        self._comparison = transcript.comparison
        self._repetition = transcript.repetition
        self._speakers = {seat.id: _speaker(seat) for seat in transcript.seats}
        self._shown: dict[tuple[str, ...], Content] = {}
        self._drawn: list[str] = []

    def of(self, cue: Cue, heard: Sequence[Turn], turns: Sequence[Turn]) -> str:
        """The key of the draw for a cue; `heard` are those of all `turns` that it hears, as shown."""
        earlier = self._drawn
        del earlier[len(turns) :]
        for turn in turns[len(earlier) :]:
            heard_then = order_heard(collect_heard(turns, turn.cue), turn.cue)
            earlier.append(self._content(turn.cue, heard_then))
        content = self._content(cue, heard)
        text = f"{self._repetition} {earlier.count(content)} {content}"
        earlier.append(content)
        return sha256(text.encode()).hexdigest()[:32]

    def _content(self, cue: Cue, heard: Sequence[Turn]) -> str:
        seat, sees = cue.seat, cue.sees
        shown = self._shown.get(sees)
        if shown is None:
            shown = self._shown[sees] = self._about(sees)
        parts = [*shown, *self._speakers[seat], cue.task]
        for turn in heard:
            parts += ("own" if turn.cue.seat == seat else "other", turn.utterance.text)
        if cue.reply:
            parts.append(cue.reply)
        if cue.blind:
            parts.append("blind")
        if cue.control != "none":
            parts.append(cue.control)
        # With the lengths in front, no two contents run together into the same text.
        return f"{list(map(len, parts))} {''.join(parts)}"

    def _about(self, sees: tuple[str, ...]) -> Content:
        comparison = self._comparison
        if len(sees) > 1:
            return (str(len(sees)), comparison.id, *sees)
        texts = [comparison.answer(answer_id).text for answer_id in sees]
        return (str(len(sees)), comparison.question.id, *texts)


def _speaker(seat: Seat) -> Content:
    sampling = seat.sampling
    drawn = f"{sampling.temperature} {sampling.top_p} {sampling.seed} {sampling.max_tokens}"
    return (seat.reviewer, drawn)


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
