"""From a cue to the chat messages a reviewer receives.

A prompt is a system message, then the scene (question and answers) with the private reviews heard,
then the discussion turns heard (the seat's own as assistant messages, those of others as user
messages), and at the end the instruction. What is asked for in private depends only on the card,
the comparison and the seat's own words: it names no seat, so it is the same in every protocol and
whoever leads.

Under a control, what others said is told as the control has it, see `peerjudge.data.Control`.

A `Prompter` writes the prompts of one discussion and remembers what it wrote: each seat is told every
turn once, and asked again and again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from peerjudge.data import Comparison, Cue, Message, PromptPack, Seat, Turn
from peerjudge.errors import PromptError
from peerjudge.prompts.digressions import beside_the_point
from peerjudge.prompts.listener import Listener
from peerjudge.prompts.material import Material
from peerjudge.prompts.templates import paragraphs
from peerjudge.prompts.wording import labels_of, places_of, wording_of

__all__ = ["Prompter", "heard_turns", "in_shown_order", "render"]

_words_of = attrgetter(
    *("seat", "task", "sees", "expects", "private", "ties", "aspects", "remind", "scale", "reply"),
    *("blind", "control"),
)
"""All that decides on the words of a cue's prompt, but for what it hears."""


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
    return prompter.messages(cue, in_shown_order(heard_turns(turns, cue), cue))


def heard_turns(turns: Sequence[Turn], cue: Cue) -> tuple[Turn, ...]:
    """The turns that a cue hears; raises `PromptError` for one that is yet to come."""
    try:
        return tuple([turns[index] for index in cue.hears])
    except IndexError:
        msg = f"the cue for {cue.seat!r} hears turn {max(cue.hears)}, but there are {len(turns)}"
        raise PromptError(msg) from None


def in_shown_order(heard: tuple[Turn, ...], cue: Cue) -> tuple[Turn, ...]:
    """The turns that a cue hears in the order in which they are shown.

    That is the order of turns; but what a seat said in a row about one answer each stands in the
    order in which this cue shows the answers.
    """
    for turn in heard:
        if turn.cue.private and len(turn.cue.sees) == 1:
            break
    else:
        return heard
    shown: list[Turn] = []
    for (_, _, alone), rows in groupby(heard, key=_row):
        row = list(rows)
        shown += sorted(row, key=lambda turn: _place(turn, cue)) if alone else row
    return tuple(shown)


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
        self._places = places_of(tuple([seat.id for seat in seats]))
        self._comparison = comparison
        self._roles = roles
        self._materials: dict[tuple[str, ...], Material] = {}
        self._listeners: dict[tuple[object, ...], Listener] = {}

    def messages(self, cue: Cue, heard: tuple[Turn, ...]) -> tuple[Message, ...]:
        """The whole prompt for a cue; `heard` are its turns `in_shown_order`. See `render`."""
        key: tuple[object, ...] = _words_of(cue)
        listener = self._listeners.get(key)
        news = None if listener is None else listener.news(heard)
        if listener is None or news is None:
            listener, news = self._listener(cue, heard), heard
            self._listeners[key] = listener
        if news:
            self._tell(listener, cue, news)
            listener.heard = heard
        return listener.asked()

    def _tell(self, listener: Listener, cue: Cue, turns: tuple[Turn, ...]) -> None:
        """Tell a seat of these turns, of what was said in private first."""
        for turn in turns:
            if turn.cue.private:
                listener.learn(self._retold(turn, cue, listener.mark))
        for turn in turns:
            speaker = turn.cue.seat
            if turn.cue.private:
                continue
            if speaker != cue.seat:
                listener.hear("user", self._retold(turn, cue, listener.mark), speaker)
            elif not turn.utterance.text.isspace():
                # Some providers refuse an empty assistant message, and it would tell nothing.
                listener.hear("assistant", turn.utterance.text, speaker)

    def _listener(self, cue: Cue, heard: tuple[Turn, ...]) -> Listener:
        material = self._materials.get(cue.sees)
        if material is None:
            material = self._materials[cue.sees] = Material(self._comparison, cue.sees)
        role, wording = self._roles.get(cue.seat, ""), self._wording
        mark = material.mark([role, *[turn.utterance.text for turn in heard]])
        system = material.put_into(wording.system(), mark)
        place = self._places[cue.seat]
        who = "" if cue.private else wording.seat(place)
        scene = wording.scene(cue.task, len(cue.sees))
        return Listener(
            mark=mark,
            opening=paragraphs((system, role.strip(), who)),
            scene="" if cue.blind else material.put_into(scene, mark),
            instruction=wording.instruction(cue, place),
        )

    def _retold(self, turn: Turn, cue: Cue, mark: str) -> str:
        """A turn as it is told to the one who is asked."""
        said, words = turn.cue, turn.utterance.text
        own = said.seat == cue.seat
        speaker = "You" if own and cue.private else self._places[said.seat].name
        about = self._about(said, cue) if len(said.sees) == 1 else ""
        if cue.control == "irrelevant" and not own:
            words = self._irrelevant(turn, cue)
        told = self._wording.heard((speaker, own, said.private, said.task, about))
        return told({"mark": mark, "words": words})

    def _irrelevant(self, turn: Turn, cue: Cue) -> str:
        sees = cue.sees or self._comparison.shown
        verdict = turn.review.verdict
        position = None
        if verdict is not None and verdict.readable:
            position = -1 if verdict.choice is None else sees.index(verdict.choice)
        return beside_the_point(
            self._comparison.question.text,
            turn=turn.index,
            position=position,
            answers=len(sees),
        )

    def _about(self, said: Cue, cue: Cue) -> str:
        """The one answer that was talked of: its name is its place in what is shown now."""
        if len(self._comparison.answers) == 1:
            return ""
        sees = cue.sees or self._comparison.shown
        if said.sees[0] not in sees:
            return "another answer"
        place = sees.index(said.sees[0])
        if cue.control == "swapped":
            # Of what was said of an answer alone only the label can be swapped: to the speaker's own.
            away = self._places[cue.seat].number - self._places[said.seat].number
            place = (place + away) % len(sees)
        return labels_of(len(sees))[place]
