"""Sliders of a request to a person: a score from 0 to 10 for each aspect of each answer that is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from peerjudge.data import Expects
from peerjudge.errors import DataError
from peerjudge.store.desk import AspectScore, DeskTask

LOWEST, HIGHEST = 0, 10


class Slider(NamedTuple):
    """A slider: the field of the form, the number and label of the answer as shown, and the aspect."""

    field: str
    answer: int
    label: str
    aspect: str


def list_sliders(task: DeskTask) -> tuple[Slider, ...]:
    """Return the sliders of a task, by answer and aspect; an explanation has none."""
    if task.expects is Expects.TEXT:
        return ()
    labels = [one.title for one in task.sheet.answers]
    if len(labels) != task.answers:
        labels = [f"Answer {number}" for number in range(1, task.answers + 1)]
    return tuple(
        Slider(field=f"slider-{answer}-{number}", answer=answer, label=label, aspect=aspect)
        for answer, label in enumerate(labels, 1)
        for number, aspect in enumerate(task.aspects, 1)
    )


def read_scores(task: DeskTask, sliders: Mapping[str, str]) -> tuple[AspectScore, ...]:
    """Return the scores that a form states; a slider that was not moved has none.

    Args:
        task: The task.
        sliders: What the fields hold, by name; an empty text is no answer.

    Raises:
        DataError: A value is no whole number from 0 to 10.
    """
    scores: list[AspectScore] = []
    for slider in list_sliders(task):
        given = sliders.get(slider.field, "").strip()
        if not given:
            continue
        if not (given.isascii() and given.isdigit() and LOWEST <= int(given) <= HIGHEST):
            msg = (
                f"score {slider.aspect!r} of {slider.label} with a whole number from {LOWEST} to {HIGHEST}, "
                f"not {given[:20]!r}"
            )
            raise DataError(msg)
        scores.append(AspectScore(answer=slider.answer, aspect=slider.aspect, score=int(given)))
    return tuple(scores)
