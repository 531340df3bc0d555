"""Form of a request to a person: its fields as the cue asks for them, and the answer made of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from string import ascii_lowercase

from peerjudge.data import Expects
from peerjudge.errors import DataError
from peerjudge.features.people.desk import (
    LONGEST_FIELD,
    DeskAnswer,
    DeskTask,
    Draft,
    Slider,
    list_sliders,
    read_confidence,
    read_scores,
    state_reply,
)
from peerjudge.features.people.stating import NONE, TIED

_MOST_BUTTONS = 11
"""A longer scale is a number field."""
_TIE_KEY = "t"
_KEYS = ascii_lowercase[: ascii_lowercase.index(_TIE_KEY)]
"""Keys of the answers in the shown order."""
_SLIDER = re.compile(r"^slider-\d{1,2}-\d{1,2}$")
_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A radio button; `key` chooses it, and is empty where none does."""

    value: str
    label: str
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormFields:
    """The fields of the form of a task.

    Attributes:
        choices: The buttons; empty for an explanation, which has no choice.
        legend: The question above the buttons.
        scale: The lowest and the highest rating, where it is typed as a number.
        text_label: Label of the text.
        text_hint: Who reads the text.
        sliders: The sliders of each answer, by its label.
    """

    choices: Sequence[Choice]
    legend: str
    scale: tuple[int, int] | None
    text_label: str
    text_hint: str
    sliders: Mapping[str, Sequence[Slider]]


def build_fields(task: DeskTask) -> FormFields:
    """Return the fields that the cue of a task asks for."""
    cannot = Choice(value=NONE, label="I cannot judge")
    heard = any(one.title.endswith("replied") for one in task.sheet.heard) or bool(task.sheet.place)
    hint = "The other reviewers will read this text." if heard else ""
    if task.expects is Expects.TEXT:
        return FormFields(
            choices=(), legend="", scale=None, text_label="Your text", text_hint=hint, sliders={}
        )
    if task.expects is Expects.RATING:
        low, high = min(task.scale), max(task.scale)
        is_long = high - low >= _MOST_BUTTONS
        return FormFields(
            choices=[cannot] if is_long else [*_list_ratings(task.scale), cannot],
            legend="Your rating",
            scale=(low, high) if is_long else None,
            text_label="Reason",
            text_hint=hint,
            sliders=_group_sliders(task),
        )
    labels = [answer.title for answer in task.sheet.answers]
    if len(labels) != task.answers:
        labels = [f"Answer {number}" for number in range(1, task.answers + 1)]
    choices = [
        Choice(value=str(number), label=label, key=_KEYS[number - 1 : number])
        for number, label in enumerate(labels, 1)
    ]
    if task.ties:
        choices.append(Choice(value=TIED, label="Tie", key=_TIE_KEY))
    return FormFields(
        choices=[*choices, cannot],
        legend="Your choice",
        scale=None,
        text_label="Reason",
        text_hint=hint,
        sliders=_group_sliders(task),
    )


def _group_sliders(task: DeskTask) -> dict[str, list[Slider]]:
    grouped: dict[str, list[Slider]] = {}
    for slider in list_sliders(task):
        grouped.setdefault(slider.label, []).append(slider)
    return grouped


def read_draft(form: Mapping[str, str]) -> Draft:
    """Return the fields of a form as a draft; browsers send line breaks as CR LF."""
    typed = form.get("rating", "").strip()
    return Draft(
        choice=form.get("choice", "").strip()[:LONGEST_FIELD] or typed[:LONGEST_FIELD],
        reason=form.get("reason", "").replace("\r\n", "\n"),
        confidence=form.get("confidence", "").strip()[:LONGEST_FIELD],
        sliders={
            name: value.strip()[:LONGEST_FIELD]
            for name, value in form.items()
            if _SLIDER.match(name) and value.strip()
        },
    )


def read_version(form: Mapping[str, str]) -> int:
    """Return the version on which a form is based; raises `DataError` if it has none."""
    given = form.get("version", "")
    if not (given.isascii() and given.isdigit() and len(given) < 16):
        msg = f"the form has no version ({given[:20]!r}); load the page again"
        raise DataError(msg)
    return int(given)


def read_seconds(form: Mapping[str, str], *, now: float) -> float:
    """Return the time in seconds that a form reports.

    The script counts `active` time since the last save. Without a script, it is the time since the
    page was `opened`, breaks included.
    """
    spent = _read_number(form.get("active", ""))
    if spent is None:
        opened = _read_number(form.get("opened", ""))
        spent = 0.0 if opened is None else now - opened
    return min(max(round(spent, 1), 0.0), _DAY)


def make_answer(task: DeskTask, draft: Draft, *, seconds: float) -> DeskAnswer:
    """Return the answer that a form states.

    Raises:
        DataError: A field is missing, or the reader of replies finds another choice in the text.
    """
    confidence = read_confidence(draft.confidence)
    if not draft.choice and task.expects is not Expects.TEXT:
        msg = "choose one of the buttons" if task.expects is Expects.VERDICT else "give a rating"
        raise DataError(msg)
    return DeskAnswer(
        task=task.id,
        text=state_reply(task, choice=draft.choice, reason=draft.reason),
        confidence=confidence,
        seconds=seconds,
        draft=draft,
        scores=read_scores(task, draft.sliders),
    )


def name_choice(task: DeskTask, draft: Draft) -> str:
    """Return the choice of a draft in words."""
    named = {choice.value: choice.label for choice in build_fields(task).choices}
    return named.get(draft.choice, draft.choice or "nothing yet")


def _list_ratings(scale: tuple[int, int]) -> list[Choice]:
    worst, best = scale
    notes = {worst: f"{worst} (worst)", best: f"{best} (best)"}
    numbers = range(min(scale), max(scale) + 1)
    return [Choice(value=str(number), label=notes.get(number, str(number))) for number in numbers]


def _read_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None
