"""From a cue to the chat messages a reviewer receives.

A prompt is a system message, then the scene (question and answers) with the private reviews heard,
then the discussion turns heard (the seat's own as assistant messages, those of others as user
messages), and at the end the instruction. What is asked for in private depends only on the card,
the comparison and the seat's own words: it names no seat, so it is the same in every protocol and
whoever leads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from peerjudge.data import Comparison, Cue, Expects, Message, PromptPack, Seat, Turn
from peerjudge.errors import PromptError
from peerjudge.prompts.fence import fence, unused_mark
from peerjudge.prompts.templates import fill

__all__ = ["heard_turns", "render"]


def render(
    pack: PromptPack,
    *,
    seats: Sequence[Seat],
    comparison: Comparison,
    turns: Sequence[Turn],
    cue: Cue,
    role: str = "",
) -> tuple[Message, ...]:
    """The whole prompt for a cue: one system message, then user and assistant in alternation.

    `role` is the role prompt of the card that speaks (plain text, may be empty); `turns` are all
    turns so far, of which the cue says which are heard. The same input gives the same messages.
    Raises `PromptError` when the pack lacks the task or the reply form that the cue names.
    """
    heard = heard_turns(turns, cue)
    seen = [comparison.answer(answer_id).text for answer_id in cue.sees]
    mark = unused_mark(
        (comparison.question.text, *seen), [role, *(turn.utterance.text for turn in heard)]
    )
    prompt = _Prompt(
        pack=pack, seats=tuple(seats), comparison=comparison, cue=cue, mark=mark, role=role
    )
    return tuple(_merged(prompt.messages(heard)))


@dataclass(frozen=True, kw_only=True)
class _Prompt:
    """Everything that the parts of one prompt have in common."""

    pack: PromptPack
    seats: tuple[Seat, ...]
    comparison: Comparison
    cue: Cue
    mark: str
    role: str

    def messages(self, heard: Sequence[Turn]) -> Iterator[Message]:
        yield Message(role="system", text=self.opening())
        yield Message(role="user", text=self.scene())
        for turn in heard:
            if turn.cue.private:
                yield Message(role="user", text=self.heard(turn), source=turn.cue.seat)
        for turn in heard:
            if turn.cue.private:
                continue
            if turn.cue.seat != self.cue.seat:
                yield Message(role="user", text=self.heard(turn), source=turn.cue.seat)
            # Some providers refuse an empty assistant message, and it would tell nothing.
            elif turn.utterance.text.strip():
                yield Message(role="assistant", text=turn.utterance.text, source=turn.cue.seat)
        yield Message(role="user", text=self.instruction())

    def opening(self) -> str:
        parts = [self.fill("system", self.pack.system, {"mark": self.mark}), self.role.strip()]
        if not self.cue.private:
            parts.append(self.fill("seat", self.pack.seat, self.places()))
        return _paragraphs(parts)

    def scene(self) -> str:
        answers = tuple(
            fence(label, self.comparison.answer(answer_id).text, mark=self.mark)
            for label, answer_id in zip(self.labels(), self.cue.sees, strict=True)
        )
        question = fence("Question", self.comparison.question.text, mark=self.mark)
        values = {"question": question, "answers": answers, "task": self.cue.task}
        return self.fill("scene", self.pack.scene, values)

    def heard(self, turn: Turn) -> str:
        own = turn.cue.seat == self.cue.seat
        speaker = "You" if self.cue.private and own else f"Reviewer {self.number(turn.cue.seat)}"
        sees = turn.cue.sees
        about = self.label(sees[0]) if len(sees) == 1 < len(self.comparison.answers) else ""
        label = f"{speaker} on {about}" if about else speaker
        values = {
            "speaker": speaker,
            "own": own,
            "private": turn.cue.private,
            "task": turn.cue.task,
            "about": about,
            "words": fence(label, turn.utterance.text, mark=self.mark),
        }
        return self.fill("heard", self.pack.heard, values)

    def instruction(self) -> str:
        cue, pack = self.cue, self.pack
        aspects = pack.aspects if cue.aspects else ()
        labels = self.labels()
        criteria = self.fill("criteria", pack.criteria, {"aspects": aspects, "labels": labels})
        task = _named(pack.tasks, cue.task, what="task", pack=pack)
        values = {"criteria": criteria, "labels": labels, **self.scale()}
        parts = [self.fill(f"tasks.{cue.task}", task, values)]
        if cue.remind and not cue.private:
            parts.insert(0, self.fill("remind", pack.remind, self.places()))
        if cue.expects is not Expects.TEXT:
            kind = _reply_kind(cue)
            form = _named(pack.reply, kind, what="reply form", pack=pack)
            parts.append(self.fill(f"reply.{kind}", form, {**self.numbers(), **self.scale()}))
        return _paragraphs(parts)

    def places(self) -> Mapping[str, object]:
        number = self.number(self.cue.seat)
        others = tuple(n for n in range(1, len(self.seats) + 1) if n != number)
        return {"number": number, "others": others}

    def numbers(self) -> Mapping[str, object]:
        most = len(self.cue.sees)
        return {"numbers": tuple(range(1, most + 1)), "tie": most + 1}

    def scale(self) -> Mapping[str, object]:
        worst, best = self.cue.scale
        return {"low": min(worst, best), "high": max(worst, best), "worst": worst, "best": best}

    def number(self, seat_id: str) -> int:
        """A seat's place in the discussion, from 1: the leader is reviewer 1."""
        return next(n for n, seat in enumerate(self.seats, 1) if seat.id == seat_id)

    def label(self, answer_id: str) -> str:
        """The name of an answer, by its place in what this cue shows; alone it has no number."""
        sees = self.cue.sees or self.comparison.shown
        if answer_id not in sees:
            return "another answer"
        return "Answer" if len(sees) == 1 else f"Answer {sees.index(answer_id) + 1}"

    def labels(self) -> tuple[str, ...]:
        return tuple(self.label(answer_id) for answer_id in self.cue.sees)

    def fill(self, part: str, text: str, values: Mapping[str, object]) -> str:
        return fill(text, values, where=f"{part} of prompt pack {self.pack.name!r}")


def _reply_kind(cue: Cue) -> str:
    if cue.reply:
        return cue.reply
    if cue.expects is Expects.RATING:
        return "rating"
    return "verdict_or_tie" if cue.ties else "verdict"


def heard_turns(turns: Sequence[Turn], cue: Cue) -> tuple[Turn, ...]:
    """The turns that a cue hears, in the order in which they are shown.

    That is the order of turns; but what a seat said in a row about one answer each stands in the
    order in which this cue shows the answers. Raises `PromptError` for a turn that is yet to come.
    """
    if cue.hears and max(cue.hears) >= len(turns):
        msg = f"the cue for {cue.seat!r} hears turn {max(cue.hears)}, but there are {len(turns)}"
        raise PromptError(msg)
    heard: list[Turn] = []
    for (_, _, alone), rows in groupby([turns[index] for index in cue.hears], key=_row):
        row = list(rows)
        heard += sorted(row, key=lambda turn: _place(turn, cue)) if alone else row
    return tuple(heard)


def _row(turn: Turn) -> tuple[str, str, bool]:
    return turn.cue.seat, turn.cue.task, turn.cue.private and len(turn.cue.sees) == 1


def _place(turn: Turn, cue: Cue) -> int:
    (answer_id,) = turn.cue.sees
    return cue.sees.index(answer_id) if answer_id in cue.sees else len(cue.sees)


def _named(table: Mapping[str, str], key: str, *, what: str, pack: PromptPack) -> str:
    if key not in table:
        msg = f"prompt pack {pack.name!r} has no {what} {key!r}; it has {sorted(table)}"
        raise PromptError(msg)
    return table[key]


def _paragraphs(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)


def _merged(messages: Iterable[Message]) -> Iterator[Message]:
    """Neighbours of one role as one message: some providers demand that roles alternate."""
    for _, group in groupby(messages, key=lambda message: message.role):
        same = tuple(group)
        sources = {message.source for message in same}
        yield replace(
            same[0],
            text=_paragraphs(message.text for message in same),
            source=sources.pop() if len(sources) == 1 else "",
        )
