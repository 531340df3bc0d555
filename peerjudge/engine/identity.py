"""Identities of discussions, and of the random draws within them, as content hashes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from string import ascii_lowercase

from peerjudge.data import Comparison, Cue, Seat, Transcript, Turn, content_hash
from peerjudge.errors import PromptError
from peerjudge.prompts import REREADING, collect_heard, order_heard

Content = tuple[str, ...]

_LABEL = re.compile(r"Answer \(([a-z])\)")


# Computed when a discussion is planned and when it begins, with thousands of others in between.
@lru_cache(maxsize=4096)
def comparison_key(comparison: Comparison) -> str:
    """Return the content hash of a comparison in its shown order."""
    question, gold = comparison.question, comparison.gold
    # Field by field, so that a new field of the noun does not change every identity.
    return content_hash(
        comparison.id,
        [question.id, question.text, question.category],
        [[answer.id, answer.text, answer.author] for answer in comparison.answers],
        None if gold is None else [gold.outcome, gold.choice],
        comparison.subset,
        sorted(comparison.meta.items()),
    )


def identify(head: Transcript, *, prompts: str, seed: int = 0, code: str = "") -> str:
    """Return the content hash of everything that determines a discussion, its `id`.

    This covers the comparison in its shown order, the protocol with its options, the seats (reviewer,
    identity, sampling, role), the prompts, the seed, the repetition, and the second model that rereads
    replies, and whether reviewers are asked for a choice. The name of the condition,
    turns, files and times are left out: the same discussion under another name is played once.

    Args:
        head: The discussion before its first turn; its own `id` does not matter.
        prompts: The identity of the prompt pack.
        seed: The seed of the experiment.
        code: The digest of the protocol's code, if it is the user's own and may be edited.
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
        *([["reask", head.reask]] if head.reask else []),
        *([] if head.reread is None else [[REREADING, _seat_content(head.reread)]]),
    )


class DrawKeys:
    """Keys of the random draws of one discussion, turn by turn.

    A key depends on what is shown, on the speaker and its task, and on what it heard; on nothing that
    differs between discussions of the same content. A cue that shows one answer depends on the
    question and the text of that answer: it has the same key in every pair.

    The n-th draw of one content within a discussion has a key of its own. So a private review has the
    same key in every protocol, and three seats of one reviewer have three keys for the same request.
    """

    def __init__(self, transcript: Transcript) -> None:
        self._comparison = transcript.comparison
        self._repetition = transcript.repetition
        self._speakers = {seat.id: _speaker(seat) for seat in transcript.seats}
        self._shown: dict[tuple[str, ...], Content] = {}
        self._drawn: dict[int, str] = {}

    def derive(
        self,
        index: int,
        heard: Sequence[Turn],
        cues: Mapping[int, Cue] | Sequence[Cue],
        said: Mapping[int, Turn] | Sequence[Turn],
        waves: Sequence[int] | None = None,
    ) -> str:
        """Return the key of a turn.

        Draws of one content are counted in the order of turns. A turn of a later wave does not count: it
        may hear what is not said yet.

        Args:
            index: Number of the turn.
            heard: Turns that it hears, as shown.
            cues: Cues by turn.
            said: Turns so far, by their numbers.
            waves: Waves by turn, see `Course`; by default turns are spoken one by one.
        """
        content = self._drawn[index] = self._content(cues[index], heard)
        if waves is None:
            counted = range(index)
        else:
            wave = waves[index]
            counted = [earlier for earlier in range(index) if waves[earlier] <= wave]
        same = [self._find_content(earlier, cues, said) for earlier in counted].count(content)
        text = f"{self._repetition} {same} {content}"
        return sha256(text.encode()).hexdigest()[:32]

    def _find_content(
        self,
        index: int,
        cues: Mapping[int, Cue] | Sequence[Cue],
        said: Mapping[int, Turn] | Sequence[Turn],
    ) -> str:
        """The content of an earlier turn; empty for one that is missing, or hears a missing one."""
        found = self._drawn.get(index)
        if found is None:
            try:
                cue = cues[index]
                heard = collect_heard(said, cue)
            except (LookupError, PromptError):
                return ""
            found = self._drawn[index] = self._content(cue, order_heard(heard, cue))
        return found

    def _content(self, cue: Cue, heard: Sequence[Turn]) -> str:
        seat, sees = cue.seat, cue.sees
        shown = self._shown.get(sees)
        if shown is None:
            shown = self._shown[sees] = self._shown_content(sees)
        parts = [*shown, *self._speakers[seat], cue.task]
        for turn in heard:
            parts += ("own" if turn.cue.seat == seat else "other", self._words_content(turn))
        if cue.reply:
            parts.append(cue.reply)
        if cue.blind:
            parts.append("blind")
        if cue.control != "none":
            parts.append(cue.control)
        # The lengths keep different parts from joining into the same text.
        return f"{list(map(len, parts))} {''.join(parts)}"

    def _words_content(self, turn: Turn) -> str:
        """The words of a turn; those of a simulated reviewer with numbers in place of labels.

        So the draws, and with them the results of simulated studies, do not depend on the labels.
        """
        text = turn.utterance.text
        if not turn.utterance.simulated:
            return text
        text = _LABEL.sub(lambda label: f"Answer {ascii_lowercase.index(label[1]) + 1}", text)
        answers = len(turn.cue.sees or self._comparison.shown)
        stated = {f"Answer {number}": str(number) for number in range(1, answers + 1)}
        before, line_end, last = text.rpartition("\n")
        last = last.removeprefix("Choice: ")
        last = str(answers + 1) if last == "Tie" else stated.get(last, last)
        return f"{before}{line_end}{last}"

    def _shown_content(self, sees: tuple[str, ...]) -> Content:
        comparison = self._comparison
        if len(sees) > 1:
            return (str(len(sees)), comparison.id, *sees)
        texts = [comparison.answer(answer_id).text for answer_id in sees]
        return (str(len(sees)), comparison.question.id, *texts)


def _speaker(seat: Seat) -> Content:
    sampling = seat.sampling
    drawn = f"{sampling.temperature} {sampling.top_p} {sampling.seed} {sampling.max_tokens}"
    return (seat.reviewer, " ".join([drawn, *map(str, _thinking(seat))]))


def _thinking(seat: Seat) -> list[str | int | None]:
    """The settings of the thinking, empty where none is set, as in identities of earlier versions."""
    settings = [seat.sampling.reasoning_effort, seat.sampling.thinking_tokens]
    return [] if settings == [None, None] else settings


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
            *_thinking(seat),
        ],
    ]
