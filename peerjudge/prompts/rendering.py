"""Rendering of a cue as chat messages.

A prompt is a system message, then the scene (question, reference answer and answers) with the private
reviews heard, then the discussion turns heard (the seat's own as assistant messages, the others' as user
messages), and at the end the instruction. A private prompt depends only on the card, the comparison and
the seat's own words: it names no seat, so it is the same in every protocol and whichever seat leads.

The beginning of a prompt (role, question, answers) is the same in every turn of a seat, so that servers
which keep the state of a prefix read it once.

Question, answers, reference answer and the words of other reviewers are untrusted: they may have been
written to steer the reviewer. The pack chooses how they are delimited. With `lines`, every line of them
begins with `>`. With `marks`, they stand between two fence lines with one mark per prompt, which occurs
nowhere in them. Either way no text can end its own delimitation or imitate another.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Literal, cast

from peerjudge.data import (
    ARGUMENT,
    CHOICE,
    NO_CHOICE,
    RATING,
    WITHOUT_REASONS,
    Comparison,
    Cue,
    Expects,
    Message,
    PromptPack,
    Seat,
    TaskSheet,
    TitledText,
    Turn,
)
from peerjudge.errors import PromptError
from peerjudge.prompts.irrelevant import irrelevant_argument, state_choice
from peerjudge.prompts.packs import fill_template

_MARK_DIGITS = 10
_UNNAMED = "Anonymous"
"""Speaker of all words under the control `unnamed`."""
_Role = Literal["user", "assistant"]
_Said = tuple[_Role, str, str]
"""A piece of the conversation: role, text, and the seat that said it (empty for the moderator)."""


def render(
    pack: PromptPack,
    *,
    seats: Sequence[Seat],
    comparison: Comparison,
    turns: Sequence[Turn],
    cue: Cue,
    role: str = "",
) -> tuple[Message, ...]:
    """Render the whole prompt for a cue: one system message, then user and assistant in alternation.

    Raises `PromptError` when the pack lacks the task or the reply form that the cue names.

    Args:
        pack: The prompt pack.
        seats: The seats of the discussion, leader first.
        comparison: The comparison in its shown order.
        turns: All turns so far; the cue names those that are heard.
        cue: The cue.
        role: The role prompt of the speaker's card, as plain text.
    """
    prompter = Prompter(pack, seats=seats, comparison=comparison, roles={cue.seat: role})
    return prompter.render(cue, order_heard(collect_heard(turns, cue), cue))


def collect_heard(turns: Mapping[int, Turn] | Sequence[Turn], cue: Cue) -> tuple[Turn, ...]:
    """Return the turns that a cue hears; raises `PromptError` for a turn that does not exist yet."""
    try:
        return tuple([turns[index] for index in cue.hears])
    except LookupError:
        msg = f"the cue for {cue.seat!r} hears turn {max(cue.hears)}, but there are {len(turns)}"
        raise PromptError(msg) from None


def order_heard(heard: tuple[Turn, ...], cue: Cue) -> tuple[Turn, ...]:
    """Return the heard turns in the order in which they are shown.

    This is the order of turns, except that consecutive private turns of a seat about one answer each
    follow the order in which this cue shows the answers.
    """
    if not any(turn.cue.private and len(turn.cue.sees) == 1 for turn in heard):
        return heard

    def find_row(turn: Turn) -> tuple[str, str, bool]:
        return turn.cue.seat, turn.cue.task, turn.cue.private and len(turn.cue.sees) == 1

    def find_place(turn: Turn) -> int:
        (answer_id,) = turn.cue.sees
        return cue.sees.index(answer_id) if answer_id in cue.sees else len(cue.sees)

    shown: list[Turn] = []
    for (_, _, alone), group in groupby(heard, key=find_row):
        row = list(group)
        shown += sorted(row, key=find_place) if alone else row
    return tuple(shown)


def choose_mark(basis: Sequence[str], others: Iterable[str] = ()) -> str:
    """Return a fence mark that occurs in none of these texts; the same for the same texts.

    The mark is derived from `basis` as long as it does not occur in `others`: it stays the same while
    a discussion grows, so that the prompts of its turns share a long prefix.
    """
    encoded = [text.encode("utf-8", "surrogatepass") for text in basis]
    content = b"".join([b"%d:%b" % (len(text), text) for text in encoded])
    everything = "\n".join((*basis, *others))
    tried = 0
    while (mark := _hash_mark(b"%d%b" % (tried, content))) in everything:
        tried += 1
    return mark


def _hash_mark(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_MARK_DIGITS]


def fence(label: str, text: str, *, mark: str) -> str:
    """Return the text between an opening and a closing line that carry the mark."""
    return f"<<< {label} | {mark} >>>\n{text}\n<<< end of {label} | {mark} >>>"


def quote(text: str) -> str:
    """Return the text with `> ` before every line; nothing else of it changes.

    A line ends at a line feed or carriage return, and also at a form feed, a vertical tab and the
    separators of ASCII and Unicode, because a model may take any of them for a new line.
    """
    # The bar keeps what follows the last line end, also if that is nothing.
    return "> " + "> ".join(f"{text}|".splitlines(keepends=True))[:-1]


@lru_cache(maxsize=1024)
def list_labels(pack: PromptPack, answers: int) -> tuple[str, ...]:
    """Return the labels of so many answers; an answer alone has neither letter nor number."""
    places = [("", "")] if answers == 1 else [(chr(ord("a") + n), n + 1) for n in range(answers)]
    where = f"label of prompt pack {pack.name!r}"
    return tuple(
        fill_template(pack.label, {"letter": letter, "number": number}, where=where)
        for letter, number in places
    )


class Prompter:
    """Renderer of the prompts of one discussion; it keeps the parts that later prompts repeat."""

    def __init__(
        self,
        pack: PromptPack,
        *,
        seats: Sequence[Seat],
        comparison: Comparison,
        roles: Mapping[str, str],
    ) -> None:
        self._pack = pack
        self._numbers = {seat.id: number for number, seat in enumerate(seats, 1)}
        self._comparison = comparison
        self._roles = roles
        self._kept: dict[tuple[object, ...], str] = {}

    def render(self, cue: Cue, heard: tuple[Turn, ...], *, form: str = "") -> tuple[Message, ...]:
        """Render the prompt for a cue; `heard` are its turns in the order of `order_heard`.

        A text in `form` replaces the pack's form of the reply.
        """
        role = self._roles.get(cue.seat, "")
        mark = self._mark(cue.sees, [role, *[turn.utterance.text for turn in heard]])
        number, seats = self._numbers[cue.seat], len(self._numbers)
        system = self._keep(("system", mark), lambda: self._fill("system", mark=mark))
        opening = Message(role="system", text=_paragraphs((system, role.strip())))
        speaker = 0 if cue.private else number
        instruction = _render_instruction(self._pack, _wording_of(cue), speaker, seats, form)
        return (
            opening,
            *_alternate([*self._conversation(cue, heard, mark), ("user", instruction, "")]),
        )

    def lay_out(self, cue: Cue, heard: tuple[Turn, ...]) -> TaskSheet:
        """Return the parts of the prompt for a cue as a person is shown them, without a form of reply."""
        number, seats = self._numbers[cue.seat], len(self._numbers)
        labels = list_labels(self._pack, len(cue.sees))
        texts = ["" if cue.blind else self._comparison.answer(see).text for see in cue.sees]
        titled = [
            TitledText(title=self._entitle(turn, cue), text=self._find_words(turn, cue))
            for turn in sorted(heard, key=lambda turn: not turn.cue.private)
        ]
        speaker = 0 if cue.private else number
        _, instruction, _ = _render_parts(self._pack, _wording_of(cue), speaker, seats)
        return TaskSheet(
            role=self._roles.get(cue.seat, "").strip(),
            place=_render_seat(self._pack, "seat", number, seats) if speaker else "",
            question="" if cue.blind else self._comparison.question.text,
            reference="" if cue.blind else self._reference,
            answers=tuple(
                TitledText(title=label, text=text)
                for label, text in zip(labels, texts, strict=True)
            ),
            heard=tuple(one for one in titled if one.text),
            instruction=instruction,
        )

    def _entitle(self, turn: Turn, cue: Cue) -> str:
        """The title of an earlier turn for a person."""
        earlier = turn.cue
        unnamed = cue.control == "unnamed"
        own = earlier.seat == cue.seat and not unnamed
        speaker = _UNNAMED if unnamed else f"Reviewer {self._numbers[earlier.seat]}"
        about = self._about(earlier, cue) if len(earlier.sees) == 1 else ""
        if not earlier.private:
            return "You replied" if own else f"{speaker} replied"
        kind = "questions for judging the answers" if not earlier.sees else "private review"
        of = f" of {about}" if about else ""
        return f"Your {kind}{of}" if own else f"{kind.capitalize()}{of} by {speaker}"

    def _mark(self, sees: tuple[str, ...], others: Sequence[str]) -> str:
        """The mark of the fences, empty where lines are quoted."""
        if self._pack.fence != "marks":
            return ""

        def list_texts() -> list[str]:
            answers = [self._comparison.answer(answer_id).text for answer_id in sees]
            reference = [shown] if (shown := self._reference) else []
            return [self._comparison.question.text, *answers, *reference]

        mark = self._keep(("mark", sees), lambda: choose_mark(list_texts()))
        if any(mark in text for text in others):
            return choose_mark(list_texts(), others)
        return mark

    @property
    def _reference(self) -> str:
        """The reference answer that is shown; empty where the pack or the comparison has none."""
        return self._comparison.reference if self._pack.reference else ""

    def _conversation(self, cue: Cue, heard: tuple[Turn, ...], mark: str) -> Iterator[_Said]:
        """The scene, the speaker's seat, the private turns heard, and then the discussion turns heard."""
        yield "user", "" if cue.blind else self._scene(cue, mark), ""
        if not cue.private:
            number, seats = self._numbers[cue.seat], len(self._numbers)
            yield "user", _render_seat(self._pack, "seat", number, seats), ""
        for turn in heard:
            if turn.cue.private:
                yield "user", self._retell(turn, cue, mark), ""
        for turn in heard:
            speaker, text = turn.cue.seat, turn.utterance.text
            if turn.cue.private:
                continue
            if speaker != cue.seat or cue.control == "unnamed":
                if retold := self._retell(turn, cue, mark):
                    yield "user", retold, speaker
            elif text and not text.isspace():  # Some providers refuse an empty assistant message.
                yield "assistant", text, speaker

    def _scene(self, cue: Cue, mark: str) -> str:
        def fill() -> str:
            texts = [self._comparison.answer(answer_id).text for answer_id in cue.sees]
            labels = list_labels(self._pack, len(texts))
            shown = zip(labels, texts, strict=True)
            answers = tuple(_delimit(label, text, mark=mark) for label, text in shown)
            question = _delimit("Question", self._comparison.question.text, mark=mark)
            if reference := self._reference:
                told = _delimit("Reference answer", reference, mark=mark)
                question = _paragraphs((question, self._fill("reference", reference=told)))
            known = {"question": question, "answers": answers, "labels": labels}
            return self._fill("scene", task=cue.task, **known)

        task = cue.task if "task" in self._pack.scene else ""
        return self._keep(("scene", cue.sees, task, mark), fill)

    def _retell(self, turn: Turn, cue: Cue, mark: str) -> str:
        """An earlier turn as the seat of this cue is told it."""
        earlier, words = turn.cue, self._find_words(turn, cue)
        own, private, task = earlier.seat == cue.seat, earlier.private, earlier.task
        speaker = "You" if own and cue.private else f"Reviewer {self._numbers[earlier.seat]}"
        if cue.control == "unnamed":
            own, speaker = False, _UNNAMED
        about = self._about(earlier, cue) if len(earlier.sees) == 1 else ""

        def fill() -> str:
            name = f"{speaker} on {about}" if about else speaker
            delimited = _delimit(name, words, mark=mark)
            known = {"speaker": speaker, "own": own, "private": private, "task": task}
            return self._fill("heard", **known, about=about, words=delimited)

        return self._keep(("heard", speaker, own, private, task, about, words, mark), fill)

    def _find_words(self, turn: Turn, cue: Cue) -> str:
        """The words of an earlier turn, or what a control puts in their place."""
        if cue.control not in WITHOUT_REASONS or turn.cue.seat == cue.seat:
            return write_prose(turn.utterance.text)
        sees = cue.sees or self._comparison.shown
        verdict = turn.review.verdict
        position = None
        if verdict is not None and verdict.readable:
            position = -1 if verdict.choice is None else sees.index(verdict.choice)
        if cue.control == "stance":
            return state_choice(position=position, answers=len(sees))
        question = self._comparison.question.text
        return irrelevant_argument(question, turn=turn.index, position=position, answers=len(sees))

    def _about(self, earlier: Cue, cue: Cue) -> str:
        """The label of the one answer that an earlier turn saw, by its position in this cue."""
        if len(self._comparison.answers) == 1:
            return ""
        sees = cue.sees or self._comparison.shown
        if earlier.sees[0] not in sees:
            return "another answer"
        place = sees.index(earlier.sees[0])
        if cue.control == "swapped":
            # A turn about one answer holds no other label to swap than that of the answer itself.
            away = self._numbers[cue.seat] - self._numbers[earlier.seat]
            place = (place + away) % len(sees)
        return list_labels(self._pack, len(sees))[place]

    def _fill(self, part: str, **values: object) -> str:
        where = f"{part} of prompt pack {self._pack.name!r}"
        return fill_template(getattr(self._pack, part), values, where=where)

    def _keep(self, key: tuple[object, ...], make: Callable[[], str]) -> str:
        known = self._kept.get(key)
        if known is None:
            known = self._kept[key] = make()
        return known


def _alternate(said: Iterable[_Said]) -> list[Message]:
    """One message for all neighbours of one role, because some providers demand alternating roles.

    A message that holds the words of several seats, or of the moderator, has no source.
    """
    merged: list[tuple[_Role, list[str], str]] = []
    for role, text, source in said:
        if merged and merged[-1][0] == role:
            _, texts, earlier = merged[-1]
            texts.append(text)
            merged[-1] = (role, texts, source if source == earlier else "")
        else:
            merged.append((role, [text], source))
    return [
        Message(role=role, text=_paragraphs(texts), source=source) for role, texts, source in merged
    ]


def _wording_of(cue: Cue) -> Cue:
    """The cue without everything that its instruction does not depend on."""
    return Cue(
        seat="",
        task=cue.task,
        sees=("",) * len(cue.sees),
        expects=cue.expects,
        ties=cue.ties,
        aspects=cue.aspects,
        remind=cue.remind,
        scale=cue.scale,
        reply=cue.reply,
    )


@lru_cache(maxsize=1024)
def _render_instruction(pack: PromptPack, cue: Cue, speaker: int, seats: int, form: str) -> str:
    """The reminder, the task with its criteria, and the form of the reply; speaker 0 is in private."""
    remind, task, usual = _render_parts(pack, cue, speaker, seats)
    return _paragraphs((remind, task, form or usual))


def _render_parts(pack: PromptPack, cue: Cue, speaker: int, seats: int) -> tuple[str, str, str]:
    """The parts of `_render_instruction`."""
    where = f"of prompt pack {pack.name!r}"
    answers, labels = len(cue.sees), list_labels(pack, len(cue.sees))
    worst, best = cue.scale
    scale = {"low": min(worst, best), "high": max(worst, best), "worst": worst, "best": best}
    others = _others(speaker, seats) if speaker else ()
    remind = _render_seat(pack, "remind", speaker, seats) if speaker and cue.remind else ""
    aspects = {"aspects": pack.aspects if cue.aspects else (), "labels": labels}
    criteria = fill_template(pack.criteria, aspects, where=f"criteria {where}")
    text = _look_up(pack, "task", pack.tasks, cue.task)
    values = {"criteria": criteria, "labels": labels, "others": others, **scale}
    task = fill_template(text, values, where=f"tasks.{cue.task} {where}")
    if cue.expects is Expects.TEXT:
        return remind, task, ""
    usual = "verdict_or_tie" if cue.ties else "verdict"
    form = cue.reply or ("rating" if cue.expects is Expects.RATING else usual)
    text = _look_up(pack, "reply form", pack.reply, form)
    numbers = {"numbers": tuple(range(1, answers + 1)), "tie": answers + 1}
    values = {"task": cue.task, "labels": labels, "others": others, **numbers, **scale}
    return remind, task, fill_template(text, values, where=f"reply.{form} {where}")


@lru_cache(maxsize=1024)
def _render_seat(pack: PromptPack, part: str, number: int, seats: int) -> str:
    """The part that names the speaker's place among the seats: `seat` or `remind`."""
    where = f"{part} of prompt pack {pack.name!r}"
    values = {"number": number, "others": _others(number, seats)}
    return fill_template(getattr(pack, part), values, where=where)


def _others(number: int, seats: int) -> tuple[int, ...]:
    return tuple(n for n in range(1, seats + 1) if n != number)


def _look_up(pack: PromptPack, kind: str, table: Mapping[str, str], key: str) -> str:
    if key not in table:
        msg = f"prompt pack {pack.name!r} has no {kind} {key!r}; it has {sorted(table)}"
        raise PromptError(msg)
    return table[key]


def _delimit(label: str, text: str, *, mark: str) -> str:
    return fence(label, text, mark=mark) if mark else quote(text)


def write_prose(text: str) -> str:
    """Return a verdict or rating as JSON as others are told it, and any other text unchanged."""
    if not text.startswith("{"):
        return text
    try:
        found = cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return text
    members = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    argument, key = members.get(ARGUMENT), RATING if RATING in members else CHOICE
    stated = members.get(key)
    if not (isinstance(argument, str) and isinstance(stated, str | int | float) and argument):
        return text
    return argument if stated == NO_CHOICE else f"{argument}\n{key.capitalize()}: {stated}"


def _paragraphs(parts: Iterable[str]) -> str:
    """The parts that are not empty, with a blank line between them."""
    return "\n\n".join(filter(None, parts))
