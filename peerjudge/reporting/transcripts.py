"""Transcripts as data for the script of a page: small rows to filter, and texts in chunks.

A page has one index of all discussions and many chunks of texts. The script reads the index at once
and a chunk only when a discussion in it is opened or searched, so that a page of ten thousand
discussions stays usable. Browsers decompress the chunks (`DecompressionStream`, in all since 2023).
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from peerjudge.analysis.listing import find_flags, find_tone, mark_verdict
from peerjudge.data import (
    Comparison,
    Direction,
    OpinionEvent,
    Seat,
    Transcript,
    Turn,
    Verdict,
    content_hash,
)
from peerjudge.marks import mark_page_controls
from peerjudge.reporting.formats import name_event, name_task

TEXT_LIMIT = 20_000
"""Characters of one text in the page; the page states how many are left out."""
MOST_LISTED = 1_000
"""About the most discussions in a page; the viewer shows runs of any size."""
_CHUNK = 200
_PREVIEW = 180


def embed_json(value: object) -> str:
    """Return JSON that cannot end the script element around it, for all strings."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


class TranscriptData:
    """Collector of transcripts for a page, which keeps only compressed texts.

    A verdict is a mark: the number of the answer in the shown order of the discussion, `=` a tie,
    `?` unreadable, `!` refused, `-` no verdict. The last value of a row has the place of each shown answer
    among the sorted ids, from 1: a colour that belongs to the answer in both orders.

    Args:
        expected: about how many discussions there are. Of more than `MOST_LISTED`, those of some
            comparisons are listed, chosen by the hash of their ids, with all their conditions and orders.
    """

    def __init__(self, *, expected: int = 0) -> None:
        self._share = min(1.0, MOST_LISTED / max(expected, 1))
        self.total = 0
        """Number of all discussions, listed or not."""
        self._conditions = _Numbers()
        self._reviewers = _Numbers()
        self._seatings = _Numbers()
        self._questions = _Numbers()
        self._rows: list[list[object]] = []
        self._full: list[str] = []
        self._chunk = _Chunk()

    def count(self, comparison: str) -> bool:
        """Count a discussion of the comparison of this id, and return whether it is to be listed."""
        self.total += 1
        if self._share == 1.0:
            return True
        return int(content_hash(comparison)[:8], 16) / 16**8 < self._share

    def add(self, transcript: Transcript, events: Sequence[OpinionEvent]) -> None:
        """List a discussion with its opinion events."""
        self._add_row(transcript, events)
        self._chunk.add(transcript, events)
        if len(self._chunk.discussions) == _CHUNK:
            self._full.append(self._chunk.packed())
            self._chunk = _Chunk()

    def chunks(self) -> tuple[str, ...]:
        """Return the texts in chunks of 200 discussions: JSON, compressed by zlib (RFC 1950), in base64."""
        rest = (self._chunk.packed(),) if self._chunk.discussions else ()
        return (*self._full, *rest)

    def index(self) -> str:
        """Return the rows of all discussions as JSON."""
        return embed_json(
            {
                "chunk": _CHUNK,
                "conditions": _mark_texts(list(self._conditions)),
                "reviewers": _mark_texts(list(self._reviewers)),
                "seatings": [json.loads(seating) for seating in self._seatings],
                "questions": _mark_texts(list(self._questions)),
                "rows": self._rows,
            }
        )

    def __len__(self) -> int:
        return len(self._rows)

    def _add_row(self, transcript: Transcript, events: Iterable[OpinionEvent]) -> None:
        comparison = transcript.comparison
        flags = find_flags(transcript, events)
        places = {seat.id: number for number, seat in enumerate(transcript.seats)}
        seating = json.dumps([self._seat(seat, transcript) for seat in transcript.seats])
        moves = [
            [
                places[turn.cue.seat],
                mark_verdict(turn.review.verdict, comparison),
                int(turn.cue.private),
            ]
            for turn in transcript.turns
        ]
        self._rows.append(
            [
                transcript.id,
                self._conditions.of(transcript.condition),
                self._questions.of(" ".join(comparison.question.text[:_PREVIEW].split())),
                self._seatings.of(seating),
                int(flags),
                moves,
                mark_verdict(transcript.verdict, comparison),
                mark_verdict(comparison.gold, comparison),
                "unfinished" if transcript.stop is None else transcript.stop.value,
                [find_tone(Verdict.of(id_), comparison) for id_ in comparison.shown],
            ]
        )

    def _seat(self, seat: Seat, transcript: Transcript) -> list[object]:
        return [self._reviewers.of(seat.reviewer), seat.role, transcript.temperature(seat)]


@dataclass(slots=True)
class _Chunk:
    """Consecutive discussions with all their texts, each text once."""

    texts: _Numbers = field(default_factory=lambda: _Numbers())
    lengths: dict[int, int] = field(default_factory=lambda: dict[int, int]())
    comparisons: dict[str, list[object]] = field(default_factory=lambda: dict[str, list[object]]())
    discussions: list[dict[str, object]] = field(default_factory=lambda: list[dict[str, object]]())

    def add(self, transcript: Transcript, events: Iterable[OpinionEvent]) -> None:
        comparison = transcript.comparison
        if comparison.id not in self.comparisons:
            self.comparisons[comparison.id] = self._comparison(comparison)
        by_turn = {event.turn: event for event in events}
        failure = transcript.failure
        self.discussions.append(
            {
                "comparison": comparison.id,
                "shown": comparison.shown,
                "protocol": transcript.protocol,
                "turns": [self._turn(t, by_turn.get(t.index)) for t in transcript.turns],
                "failure": failure and f"{failure.kind} in turn {failure.turn}: {failure.message}",
            }
        )

    def packed(self) -> str:
        plain = {
            "texts": list(self.texts),
            "lengths": self.lengths,
            "comparisons": self.comparisons,
            "discussions": self.discussions,
        }
        text = json.dumps(_mark_texts(plain), ensure_ascii=False, separators=(",", ":"))
        # A lone surrogate has no UTF-8 form: it becomes `?`, as in the whole page.
        return b64encode(zlib.compress(text.encode("utf-8", errors="replace"))).decode("ascii")

    def _comparison(self, comparison: Comparison) -> list[object]:
        question = comparison.question
        answers = {a.id: [a.author, self._text(a.text)] for a in comparison.answers}
        reference = self._text(shown) if (shown := comparison.reference) else None
        return [self._text(question.text), question.category, comparison.subset, answers, reference]

    def _turn(self, turn: Turn, event: OpinionEvent | None) -> list[object]:
        said = turn.utterance
        event_words = "" if event is None else name_event(event.kind)
        direction = event.gold if event is not None else None
        moved = "" if direction in (None, Direction.NEITHER) else str(direction)
        # The rule of a verdict that a second model read names that model.
        task = name_task(turn.cue.task)
        if turn.asked is not None or turn.reread is not None:
            task += f", {turn.review.rule}"
        inner = [[one.source, one.kind, self._text(one.text)] for one in said.inner]
        return [
            self._text(said.text),
            task,
            said.model,
            event_words,
            moved,
            *([inner] if inner else []),
        ]

    def _text(self, text: str) -> int:
        number = self.texts.of(text[:TEXT_LIMIT])
        if len(text) > TEXT_LIMIT:
            self.lengths[number] = len(text)
        return number


class _Numbers(dict[str, int]):
    """Numbers of texts in order of their first appearance."""

    def of(self, text: str) -> int:
        return self.setdefault(text, len(self))


def _mark_texts(value: object) -> object:
    """Return plain values with marks for the control characters of all texts, keys included."""
    if isinstance(value, str):
        return mark_page_controls(value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {_mark_texts(key): _mark_texts(item) for key, item in pairs}
    if isinstance(value, list | tuple):
        return [_mark_texts(item) for item in cast("Sequence[object]", value)]
    return value
