"""Excerpts of discussions, chosen by rule: the first opinion event of each kind, in the order of the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from peerjudge.data import (
    Direction,
    EventKind,
    OpinionEvent,
    Outcome,
    Transcript,
    Turn,
    Verdict,
    stances_in,
)
from peerjudge.tracker import opinion_events

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~])")
_SHORT = 18
"""Words of an answer or an earlier reply in a short excerpt."""
_LIST = re.compile(r"^(\d+)([.)])|^([-+])(?=\s)")

_KINDS: Mapping[str, Callable[[OpinionEvent, Transcript], bool]] = {
    "Altered to the right answer": lambda event, _: (
        event.kind is EventKind.ALTERED and event.gold is Direction.TOWARDS
    ),
    "Altered to the wrong answer": lambda event, _: (
        event.kind is EventKind.ALTERED and event.gold is Direction.AWAY
    ),
    "Held the right answer": lambda event, transcript: (
        event.kind is EventKind.HELD and event.after == transcript.comparison.gold
    ),
    "Altered after agreement": lambda event, _: event.kind is EventKind.ALTERED_AFTER_AGREEMENT,
}
"""Kinds of events in the order of the report; the first that occurs is shown in the README."""

RULE = (
    "Of each kind of event, the first one in the order of the file, between the two models if there "
    "is one: chosen by this rule, not by hand."
)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One discussion and the event for which it is shown."""

    kind: str
    transcript: Transcript
    event: OpinionEvent


def choose_excerpts(transcripts: Sequence[Transcript]) -> tuple[Excerpt, ...]:
    """Return the first event of each kind; discussions between two models come first."""
    between = [one for one in transcripts if len({seat.reviewer for seat in one.seats}) > 1]
    within = [one for one in transcripts if len({seat.reviewer for seat in one.seats}) == 1]
    found: dict[str, Excerpt] = {}
    for excerpt in _list_events((*between, *within)):
        found.setdefault(excerpt.kind, excerpt)
    return tuple(found[kind] for kind in _KINDS if kind in found)


def write_excerpt(excerpt: Excerpt, names: Mapping[str, str]) -> list[str]:
    """Return the whole discussion up to the event, as lines of Markdown.

    Args:
        excerpt: the discussion and its event.
        names: titles of the models by card.
    """
    transcript = excerpt.transcript
    turns = transcript.turns[: excerpt.event.turn + 1]
    return [
        *_write_scene(transcript),
        *(line for turn in turns for line in _write_turn(transcript, turn, names)),
    ]


def write_short_excerpt(excerpt: Excerpt, names: Mapping[str, str]) -> list[str]:
    """Return the question, the answers in short, three verdicts, and the last reply.

    The verdicts are that of the seat before, the last one that it heard, and that of the event.
    """
    transcript, event = excerpt.transcript, excerpt.event
    now = transcript.turns[event.turn]
    earlier = transcript.turns[: event.turn]
    own = [turn for turn in earlier if turn.cue.seat == event.seat and _is_readable(turn)]
    heard = [turn for turn in earlier if turn.cue.seat in event.heard and _is_readable(turn)]
    before = sorted((*own[-1:], *heard[-1:]), key=lambda turn: turn.index)
    return [
        *(_shorten(line) for line in _write_scene(transcript)),
        *(
            f"- {_describe_turn(transcript, turn, names)}: {_shorten(escape(turn.utterance.text))}"
            for turn in before
        ),
        f"- {_describe_turn(transcript, now, names)}:",
        "",
        quote(now.utterance.text),
    ]


def _shorten(text: str) -> str:
    words = text.split(" ")
    return text if len(words) <= _SHORT else " ".join([*words[:_SHORT], "[...]"])


def _list_events(transcripts: Iterable[Transcript]) -> Iterator[Excerpt]:
    for transcript in transcripts:
        for event in opinion_events(transcript):
            for kind, holds in _KINDS.items():
                if holds(event, transcript):
                    yield Excerpt(kind, transcript, event)


def _is_readable(turn: Turn) -> bool:
    return bool(stances_in([turn]))


def _write_scene(transcript: Transcript) -> Iterator[str]:
    comparison = transcript.comparison
    yield f"**Question:** {escape(comparison.question.text)}"
    yield ""
    for number, answer in enumerate(comparison.answers, 1):
        gold = " (gold)" if comparison.gold == Verdict.of(answer.id) else ""
        yield f"**Answer {number}{gold}:** {escape(answer.text)}"
        yield ""


def _write_turn(transcript: Transcript, turn: Turn, names: Mapping[str, str]) -> Iterator[str]:
    yield f"{_describe_turn(transcript, turn, names)}:"
    yield ""
    yield quote(turn.utterance.text)
    yield ""


def _describe_turn(transcript: Transcript, turn: Turn, names: Mapping[str, str]) -> str:
    seat = transcript.seat(turn.cue.seat)
    heat = seat.sampling.temperature
    place = "in private" if turn.cue.private else "in the discussion"
    verdict = turn.review.verdict
    said = f"verdict: {_name_verdict(transcript, verdict)}" if verdict is not None else "explains"
    return (
        f"{names.get(seat.reviewer, seat.reviewer)}, {seat.role} at temperature {heat:g}, "
        f"{place} ({said})"
    )


def _name_verdict(transcript: Transcript, verdict: Verdict) -> str:
    if verdict.outcome is not Outcome.CHOICE:
        return verdict.outcome.value
    return f"Answer {transcript.comparison.shown.index(str(verdict.choice)) + 1}"


def escape(text: str) -> str:
    """Return text on one line that Markdown shows as it is."""
    plain = _MARKDOWN.sub(r"\\\1", " ".join(text.split()))
    return _LIST.sub(lambda found: _escape_mark(found), plain)


def quote(text: str) -> str:
    """Return text as a Markdown quotation that keeps its line breaks."""
    lines = text.strip().splitlines() or ["(an empty reply)"]
    quoted = "\n".join(f"> {escape(line)}  " if line.strip() else ">" for line in lines)
    return quoted.removesuffix("  ")


def _escape_mark(found: re.Match[str]) -> str:
    return f"{found[1]}\\{found[2]}" if found[1] else f"\\{found[3]}"
