"""The parts of a pack's prompts, filled once with whatever no question, answer or reply is part of.

What remains for a prompt is to put the material into them. All of this follows from the pack and a
few numbers, so it is remembered for as long as the pack is in use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from peerjudge.data import Cue, Expects, PromptPack
from peerjudge.errors import PromptError
from peerjudge.prompts.fence import fence
from peerjudge.prompts.templates import Fill, fill, hole, paragraphs, prefilled

__all__ = ["Place", "Telling", "Wording", "labels_of", "places_of", "wording_of"]

Telling = tuple[str, bool, bool, str, str]
"""How a turn is told: its speaker, whether that is who listens, whether it was private, its task,
and the label of the one answer it was about."""


class Place(NamedTuple):
    """A seat's place in its discussion: its number, from 1, among so many; others know it by name."""

    number: int
    seats: int
    name: str


@lru_cache(maxsize=64)
def places_of(seats: tuple[str, ...]) -> Mapping[str, Place]:
    """The places of these seats, by their ids."""
    return {
        seat: Place(number, len(seats), f"Reviewer {number}")
        for number, seat in enumerate(seats, 1)
    }


@lru_cache(maxsize=64)
def wording_of(pack: PromptPack) -> Wording:
    """The wording of a pack."""
    return Wording(pack)


class Wording:
    """How a pack says things. Every method raises `PromptError` where its templates cannot."""

    def __init__(self, pack: PromptPack) -> None:
        self._pack = pack
        # One for each combination of a few names and numbers: remembering them stays small.
        self.system = cache(self._system)
        self.seat = cache(self._seat)
        self.heard = cache(self._heard)
        self.scene = cache(self._scene)
        self._scenes = cache(self._scene_of)
        self._instructions: dict[tuple[object, ...], str] = {}

    def instruction(self, cue: Cue, place: Place) -> str:
        """What a cue asks for: the reminder, the task with its criteria, and the form of the reply."""
        reminded = place if cue.remind and not cue.private else None
        task, answers = cue.task, len(cue.sees)
        key = (task, answers, cue.aspects, reminded, cue.expects, cue.reply, cue.ties, cue.scale)
        known = self._instructions.get(key)
        if known is None:
            known = self._instructions[key] = paragraphs(self._instruction(cue, reminded))
        return known

    def _system(self) -> Fill:
        """The system part; open is `mark`."""
        return self._prefilled("system", {}, {"mark": hole("mark")})

    def _seat(self, place: Place) -> str:
        """Who is who."""
        return self._fill("seat", self._pack.seat, _places(place))

    def _heard(self, telling: Telling) -> Fill:
        """An earlier turn, told according to who said it to which task; open are `mark` and `words`."""
        speaker, own, private, task, about = telling
        known = {"speaker": speaker, "own": own, "private": private, "task": task, "about": about}
        label = f"{speaker} on {about}" if about else speaker
        return self._prefilled("heard", known, {"words": _fenced(label, "words")})

    def _scene(self, task: str, answers: int) -> Fill:
        """The question and so many answers: open are `mark`, `question`, `answer1`, `answer2`, ..."""
        return self._scenes(task if "task" in self._pack.scene else "", answers)

    def _scene_of(self, task: str, answers: int) -> Fill:
        shown = [_fenced(label, f"answer{n}") for n, label in enumerate(labels_of(answers), 1)]
        fenced = {"question": _fenced("Question", "question"), "answers": tuple(shown)}
        return self._prefilled("scene", {"task": task}, fenced)

    def _instruction(self, cue: Cue, reminded: Place | None) -> Iterable[str]:
        pack, answers = self._pack, len(cue.sees)
        worst, best = cue.scale
        scale = {"low": min(worst, best), "high": max(worst, best), "worst": worst, "best": best}
        labels = labels_of(answers)
        if reminded is not None:
            yield self._fill("remind", pack.remind, _places(reminded))
        aspects = pack.aspects if cue.aspects else ()
        criteria = self._fill("criteria", pack.criteria, {"aspects": aspects, "labels": labels})
        task = self._named(pack.tasks, cue.task, what="task")
        values = {"criteria": criteria, "labels": labels, **scale}
        yield self._fill(f"tasks.{cue.task}", task, values)
        if cue.expects is not Expects.TEXT:
            kind = _reply_kind(cue)
            form = self._named(pack.reply, kind, what="reply form")
            numbers = {"numbers": tuple(range(1, answers + 1)), "tie": answers + 1}
            yield self._fill(f"reply.{kind}", form, {**numbers, **scale})

    def _named(self, table: Mapping[str, str], key: str, *, what: str) -> str:
        if key not in table:
            msg = f"prompt pack {self._pack.name!r} has no {what} {key!r}; it has {sorted(table)}"
            raise PromptError(msg)
        return table[key]

    def _fill(self, part: str, text: str, values: Mapping[str, object]) -> str:
        return fill(text, values, where=self._where(part))

    def _prefilled(
        self,
        part: str,
        known: Mapping[str, object],
        left_open: Mapping[str, str | tuple[str, ...]],
    ) -> Fill:
        text: str = getattr(self._pack, part)
        return prefilled(text, known, left_open, where=self._where(part))

    def _where(self, part: str) -> str:
        return f"{part} of prompt pack {self._pack.name!r}"


def labels_of(answers: int) -> tuple[str, ...]:
    """The names of so many answers on show: an answer alone has no number."""
    return ("Answer",) if answers == 1 else tuple(f"Answer {n}" for n in range(1, answers + 1))


def _reply_kind(cue: Cue) -> str:
    if cue.reply:
        return cue.reply
    if cue.expects is Expects.RATING:
        return "rating"
    return "verdict_or_tie" if cue.ties else "verdict"


def _places(place: Place) -> Mapping[str, object]:
    others = tuple(n for n in range(1, place.seats + 1) if n != place.number)
    return {"number": place.number, "others": others}


def _fenced(label: str, name: str) -> str:
    return fence(label, hole(name), mark=hole("mark"))
