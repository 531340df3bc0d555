"""From a cue to the chat messages a reviewer receives.

A prompt is a system message, then the scene (question and answers) with the private reviews heard,
then the discussion turns heard (the seat's own as assistant messages, those of others as user
messages), and at the end the instruction. What is asked for in private depends only on the card,
the comparison and the seat's own words: it names no seat, so it is the same in every protocol and
whoever leads.

A `Prompter` writes the prompts of one discussion and remembers what it wrote: a turn that several
seats hear several times is checked and fenced once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from peerjudge.data import Comparison, Cue, Message, PromptPack, Seat, Turn
from peerjudge.errors import PromptError
from peerjudge.prompts.fence import fence, unused_mark
from peerjudge.prompts.wording import Place, Said, labels_of, paragraphs, wording_of

__all__ = ["Prompter", "heard_turns", "render"]


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
    prompter = Prompter(pack, seats=seats, comparison=comparison, roles={cue.seat: role})
    return prompter.messages(cue, heard_turns(turns, cue))


def heard_turns(turns: Sequence[Turn], cue: Cue) -> tuple[Turn, ...]:
    """The turns that a cue hears, in the order in which they are shown.

    That is the order of turns; but what a seat said in a row about one answer each stands in the
    order in which this cue shows the answers. Raises `PromptError` for a turn that is yet to come.
    """
    if cue.hears and max(cue.hears) >= len(turns):
        msg = f"the cue for {cue.seat!r} hears turn {max(cue.hears)}, but there are {len(turns)}"
        raise PromptError(msg)
    found = [turns[index] for index in cue.hears]
    if not any(turn.cue.private and len(turn.cue.sees) == 1 for turn in found):
        return tuple(found)
    heard: list[Turn] = []
    for (_, _, alone), rows in groupby(found, key=_row):
        row = list(rows)
        heard += sorted(row, key=lambda turn: _place(turn, cue)) if alone else row
    return tuple(heard)


def _row(turn: Turn) -> tuple[str, str, bool]:
    return turn.cue.seat, turn.cue.task, turn.cue.private and len(turn.cue.sees) == 1


def _place(turn: Turn, cue: Cue) -> int:
    (answer_id,) = turn.cue.sees
    return cue.sees.index(answer_id) if answer_id in cue.sees else len(cue.sees)


class Prompter:
    """Writes the prompts of one discussion; `roles` are the role prompts by seat id."""

    def __init__(
        self,
        pack: PromptPack,
        *,
        seats: Sequence[Seat],
        comparison: Comparison,
        roles: Mapping[str, str],
    ) -> None:
        self._wording = wording_of(pack)
        self._places = {seat.id: Place(n, len(seats)) for n, seat in enumerate(seats, 1)}
        self._comparison = comparison
        self._roles = roles
        self._marks: dict[tuple[str, ...], str] = {}
        self._unmarked: set[tuple[str, str]] = set()
        self._openings: dict[tuple[str, bool, str], Message] = {}
        self._scenes: dict[tuple[tuple[str, ...], str, str], str] = {}
        self._retellings: dict[tuple[int, str, str, str], tuple[Turn, str]] = {}

    def messages(self, cue: Cue, heard: Sequence[Turn]) -> tuple[Message, ...]:
        """The whole prompt for a cue; `heard` are its `heard_turns`. See `render`."""
        mark = self._mark(cue, heard)
        talk = _Talk(self._opening(cue, mark), self._scene(cue, mark))
        for turn in heard:
            if turn.cue.private:
                talk.said(self._retold(turn, cue, mark), turn.cue.seat)
        for turn in heard:
            if turn.cue.private:
                continue
            if turn.cue.seat != cue.seat:
                talk.said(self._retold(turn, cue, mark), turn.cue.seat)
            # Some providers refuse an empty assistant message, and it would tell nothing.
            elif turn.utterance.text.strip():
                talk.answered(turn.utterance.text, cue.seat)
        talk.said(self._wording.instruction(cue, self._places[cue.seat]))
        return talk.whole()

    def _mark(self, cue: Cue, heard: Sequence[Turn]) -> str:
        """The mark of a prompt: that of what is shown, unless it occurs in what else is said."""
        mark = self._marks.get(cue.sees)
        if mark is None:
            mark = self._marks[cue.sees] = unused_mark(self._shown(cue))
        others = [self._roles.get(cue.seat, ""), *[turn.utterance.text for turn in heard]]
        for text in others:
            if (mark, text) not in self._unmarked:
                if mark in text:
                    return unused_mark(self._shown(cue), others)
                self._unmarked.add((mark, text))
        return mark

    def _shown(self, cue: Cue) -> tuple[str, ...]:
        comparison = self._comparison
        seen = [comparison.answer(answer_id).text for answer_id in cue.sees]
        return (comparison.question.text, *seen)

    def _opening(self, cue: Cue, mark: str) -> Message:
        key = (cue.seat, cue.private, mark)
        known = self._openings.get(key)
        if known is None:
            system = self._wording.system()({"mark": mark})
            parts = [system, self._roles.get(cue.seat, "").strip()]
            if not cue.private:
                parts.append(self._wording.seat(self._places[cue.seat]))
            known = self._openings[key] = Message(role="system", text=paragraphs(parts))
        return known

    def _scene(self, cue: Cue, mark: str) -> str:
        key = (cue.sees, cue.task, mark)
        known = self._scenes.get(key)
        if known is None:
            question, *seen = self._shown(cue)
            labels = labels_of(len(seen))
            answers = [fence(*each, mark=mark) for each in zip(labels, seen, strict=True)]
            scene = self._wording.scene(cue.task, len(answers))
            known = self._scenes[key] = scene(
                {"question": fence("Question", question, mark=mark), "answers": tuple(answers)}
            )
        return known

    def _retold(self, turn: Turn, cue: Cue, mark: str) -> str:
        """A turn as it is told to the one who is asked."""
        said = turn.cue
        own = said.seat == cue.seat
        speaker = "You" if own and cue.private else f"Reviewer {self._places[said.seat].number}"
        about = self._about(said, cue)
        key = (turn.index, f"{own} {speaker}", about, mark)
        known = self._retellings.get(key)
        if known is None or known[0] is not turn:
            told = self._wording.heard(
                Said(speaker=speaker, own=own, private=said.private, task=said.task, about=about)
            )
            label = f"{speaker} on {about}" if about else speaker
            words = fence(label, turn.utterance.text, mark=mark)
            known = self._retellings[key] = (turn, told({"words": words}))
        return known[1]

    def _about(self, said: Cue, cue: Cue) -> str:
        """What was talked of, if it was one answer: its name is its place in what is shown now."""
        if len(said.sees) != 1 or len(self._comparison.answers) == 1:
            return ""
        sees = cue.sees or self._comparison.shown
        if said.sees[0] not in sees:
            return "another answer"
        return labels_of(len(sees))[sees.index(said.sees[0])]


class _Talk:
    """A prompt as it grows. Neighbours of one role are one message: some providers demand that.

    What the moderator says has no source, and neither has a message that holds some of it.
    """

    def __init__(self, opening: Message, scene: str) -> None:
        self._messages = [opening]
        self._own = False
        self._parts = [scene]
        self._source = ""

    def said(self, text: str, source: str = "") -> None:
        """To the one who is asked."""
        self._add(text, source, own=False)

    def answered(self, text: str, source: str) -> None:
        """By the one who is asked."""
        self._add(text, source, own=True)

    def whole(self) -> tuple[Message, ...]:
        """The prompt."""
        return (*self._messages, self._last())

    def _add(self, text: str, source: str, *, own: bool) -> None:
        if own is self._own:
            self._parts.append(text)
            if source != self._source:
                self._source = ""
        else:
            self._messages.append(self._last())
            self._own, self._parts, self._source = own, [text], source

    def _last(self) -> Message:
        role = "assistant" if self._own else "user"
        return Message(role=role, text=paragraphs(self._parts), source=self._source)
