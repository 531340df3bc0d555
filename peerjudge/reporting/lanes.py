"""One discussion as text, and as a part of a page with one lane for each seat."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from peerjudge.data import Comparison, Outcome, Seat, Transcript, Turn, Verdict
from peerjudge.marks import mark_controls
from peerjudge.reporting.formats import name_event, name_task
from peerjudge.reporting.fragments import load_templates, mark_page
from peerjudge.reporting.transcripts import TEXT_LIMIT
from peerjudge.tracker import opinion_events

_RULE = 80
_OUTCOMES = {
    Outcome.TIE: "a tie",
    Outcome.UNREADABLE: "unreadable",
    Outcome.REFUSED: "refused",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A turn in words. `lane` is the number of its seat, from 1."""

    lane: int
    seat: str
    task: str
    verdict: str
    event: str
    text: str
    inner: tuple[str, ...]


def render_text(transcript: Transcript) -> str:
    """Return the question, the answers and all turns as lines, with marks for control characters."""
    lines = [_describe(transcript), *_write_material(transcript.comparison)]
    lines += _write_turns(transcript)
    return mark_controls("\n".join(lines), keep="\n\t")


def render_texts(transcripts: Iterable[Transcript]) -> str:
    """Return several discussions as lines; question and answers stand above the first that shows them."""
    lines: list[str] = []
    shown: Comparison | None = None
    for transcript in transcripts:
        if transcript.comparison != shown:
            shown = transcript.comparison
            lines += ["=" * _RULE, *_write_material(shown)]
        lines += ["-" * _RULE, f"{_describe(transcript)}, id {transcript.id}"]
        lines += _write_turns(transcript)
    return mark_controls("\n".join(lines), keep="\n\t")


def _write_material(comparison: Comparison) -> list[str]:
    reference = comparison.reference
    return [
        f"Question: {_cut(comparison.question.text)}",
        *([f"Reference answer: {_cut(reference)}"] if reference else []),
        *(f"{name}: {text}" for name, _, text in _list_answers(comparison)),
    ]


def _write_turns(transcript: Transcript) -> list[str]:
    lines: list[str] = []
    for said in _list_turns(transcript):
        head = ", ".join(part for part in (said.seat, said.task, said.verdict, said.event) if part)
        lines += ["", f"[{head}]", *(f"  ({one})" for one in said.inner), said.text]
    return [*lines, "", _describe_end(transcript)]


def render_html(transcript: Transcript) -> str:
    """Return the discussion as a part of a page; all texts are escaped, nothing is loaded."""
    template = load_templates().get_template("lanes.html.j2")
    return mark_page(
        template.render(
            description=_describe(transcript),
            question=_cut(transcript.comparison.question.text),
            reference=_cut(transcript.comparison.reference),
            answers=_list_answers(transcript.comparison),
            lanes=len(transcript.seats),
            turns=_list_turns(transcript),
            end=_describe_end(transcript),
        )
    )


def _describe(transcript: Transcript) -> str:
    names = [transcript.condition, transcript.protocol, transcript.comparison.id]
    simulated = ["simulated"] if transcript.simulated else []
    return ", ".join(name for name in dict.fromkeys((*names, *simulated)) if name)


def _describe_end(transcript: Transcript) -> str:
    if (failure := transcript.failure) is not None:
        return f"Failed in turn {failure.turn}: {failure.kind}: {_cut(failure.message)}"
    if transcript.stop is None:
        return "Not ended yet."
    return f"Conclusion: {_name_verdict(transcript.verdict, transcript.comparison)}"


def _list_answers(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Return name, author and text of the answers, in the order in which they were shown."""
    texts = {answer.id: answer for answer in comparison.answers}
    return [
        (_name_answer(id_, comparison), texts[id_].author, _cut(texts[id_].text))
        for id_ in comparison.shown
    ]


def _list_turns(transcript: Transcript) -> list[_Said]:
    lanes = {seat.id: number for number, seat in enumerate(transcript.seats, 1)}
    events = {event.turn: name_event(event.kind) for event in opinion_events(transcript)}
    return [
        _Said(
            lane=lanes[turn.cue.seat],
            seat=_name_seat(transcript.seat(turn.cue.seat), transcript),
            task="private" if turn.cue.private else name_task(turn.cue.task),
            verdict=_name_review(turn, transcript.comparison),
            event=events.get(turn.index, ""),
            text=_cut(turn.utterance.text),
            inner=tuple(
                ", ".join(filter(None, (one.source, one.kind))) + f": {_cut(one.text)}"
                for one in turn.utterance.inner
            ),
        )
        for turn in transcript.turns
    ]


def _name_seat(seat: Seat, transcript: Transcript) -> str:
    """Return the reviewer and its role, with the temperature if the reviewer has several seats."""
    temperature = transcript.temperature(seat)
    twice = sum(one.reviewer == seat.reviewer for one in transcript.seats) > 1
    at = f" at {temperature:g}" if twice and temperature is not None else ""
    return f"{seat.reviewer}{at} ({seat.role})"


def _name_review(turn: Turn, comparison: Comparison) -> str:
    review = turn.review
    if review.score is not None:
        return f"rating {review.score:g}"
    return "" if review.verdict is None else _name_verdict(review.verdict, comparison)


def _name_verdict(verdict: Verdict, comparison: Comparison) -> str:
    if verdict.choice is not None:
        return _name_answer(verdict.choice, comparison)
    return _OUTCOMES.get(verdict.outcome, verdict.outcome.value)


def _name_answer(answer: str, comparison: Comparison) -> str:
    gold = comparison.gold
    mark = " (gold)" if gold is not None and gold.choice == answer else ""
    return f"Answer {comparison.shown.index(answer) + 1}{mark}"


def _cut(text: str) -> str:
    """Return the text, or its first 20,000 characters and what is left out."""
    if len(text) <= TEXT_LIMIT:
        return text
    return f"{text[:TEXT_LIMIT]} [... {len(text) - TEXT_LIMIT:,} more characters]"
