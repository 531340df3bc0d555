"""Edits of GRIPS: delete, swap, add and paraphrase, of a place in a text or of every occurrence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from peerjudge.features.search.nouns import SearchOptions, Target
from peerjudge.features.search.texts import Span, Unit, list_units

__all__ = ["Edit", "Operation", "apply_edit", "describe_edit", "draw_edit"]

Operation: TypeAlias = Literal["delete", "swap", "add", "paraphrase"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One edit of a text.

    Attributes:
        operation: the kind of edit.
        spans: the units it changes: two of a swap; of an addition the empty span where it is made.
        texts: the texts of these units; of an addition the unit before it, or empty at the beginning.
        level: the kind of these units.
        new: the text that is added, or that replaces the unit; empty until the proposer gave it.
    """

    operation: Operation
    spans: tuple[Span, ...]
    texts: tuple[str, ...]
    level: Unit = "phrases"
    new: str = ""


def draw_edit(
    text: str,
    *,
    target: Target,
    options: SearchOptions,
    deleted: Sequence[str],
    random: np.random.Generator,
    paraphrase: bool,
) -> Edit | None:
    """Draw an edit of a text, each possible operation with the same probability.

    `None` where the text has nothing to edit.

    Args:
        text: the present text of the target.
        target: the target, for its form.
        options: level, protection and occurrences.
        deleted: texts that were deleted before; only these may be added.
        random: the source of the draw.
        paraphrase: whether a paraphrase may be drawn.
    """
    level = _draw_level(text, target, options, random)
    units = list_units(text, form=target.form, level=level, protect=options.protect)
    operations = list_operations(len(units), deleted=deleted, paraphrase=paraphrase)
    if not operations:
        return None
    operation = operations[int(random.integers(len(operations)))]
    if operation == "add":
        # Before the first unit, or after any of them.
        place = int(random.integers(-1, len(units)))
        at = units[place].end if place >= 0 else units[0].start
        new = deleted[int(random.integers(len(deleted)))]
        before = text[units[place].start : units[place].end] if place >= 0 else ""
        return Edit(operation="add", spans=(Span(at, at),), texts=(before,), level=level, new=new)
    drawn = random.choice(len(units), size=2 if operation == "swap" else 1, replace=False)
    spans = tuple(sorted(units[int(one)] for one in drawn))
    return Edit(
        operation=operation, spans=spans, texts=tuple(text[a:b] for a, b in spans), level=level
    )


def _draw_level(
    text: str, target: Target, options: SearchOptions, random: np.random.Generator
) -> Unit:
    """Draw the kind of unit of an edit; of mixed ones sentences, where there are some, or phrases."""
    if options.level != "mixed":
        return options.level
    if int(random.integers(2)):
        return "phrases"
    sentences = list_units(text, form=target.form, level="sentences", protect=options.protect)
    return "sentences" if sentences else "phrases"


def list_operations(
    units: int, *, deleted: Sequence[str], paraphrase: bool
) -> tuple[Operation, ...]:
    """Return the operations that a text with so many units allows."""
    possible: list[Operation] = []
    if units:
        possible.append("delete")
        if paraphrase:
            possible.append("paraphrase")
    if units > 1:
        possible.append("swap")
    if units and deleted:
        possible.append("add")
    return tuple(possible)


def apply_edit(text: str, edit: Edit, *, target: Target, options: SearchOptions) -> str:
    """Return the edited text: at the drawn place, or with `every_occurrence` at all equal texts.

    Every occurrence is every equal unit; without protection it is every equal string, in other words
    too, as in the code of the GRIPS paper.
    """
    if options.every_occurrence and not options.protect:
        return _replace_strings(text, edit)
    if not options.every_occurrence:
        changes = _list_changes(edit)
    else:
        units = list_units(text, form=target.form, level=edit.level, protect=options.protect)
        changes = _list_all_changes(text, edit, units)
    for span, new in sorted(changes, reverse=True):
        text = _put(text, span, new)
    return text


def describe_edit(edit: Edit) -> str:
    """Return the edit in words, as a report shows it."""
    match edit.operation:
        case "delete":
            return f'delete "{edit.texts[0]}"'
        case "swap":
            return f'swap "{edit.texts[0]}" and "{edit.texts[1]}"'
        case "add":
            place = f'after "{edit.texts[0]}"' if edit.texts[0] else "at the beginning"
            return f'add "{edit.new}" {place}'
        case "paraphrase":
            return f'write "{edit.new}" for "{edit.texts[0]}"'


_Change: TypeAlias = tuple[Span, str]


def _list_changes(edit: Edit) -> list[_Change]:
    match edit.operation:
        case "swap":
            return list(zip(edit.spans, reversed(edit.texts), strict=True))
        case "delete":
            return [(edit.spans[0], "")]
        case _:
            return [(edit.spans[0], edit.new)]


def _list_all_changes(text: str, edit: Edit, units: Sequence[Span]) -> list[_Change]:
    """The same edit at all units with an equal text."""
    if edit.operation == "add":
        if not edit.texts[0]:
            return _list_changes(edit)
        places = [unit for unit in units if text[unit.start : unit.end] == edit.texts[0]]
        return [(Span(unit.end, unit.end), edit.new) for unit in places]
    new = dict(zip(edit.texts, [new for _, new in _list_changes(edit)], strict=True))
    found = [(unit, text[unit.start : unit.end]) for unit in units]
    return [(unit, new[one]) for unit, one in found if one in new]


def _put(text: str, span: Span, new: str) -> str:
    """Return the text with another part, and with one space where two would meet."""
    before, after = text[: span.start], text[span.end :]
    if new and span.start == span.end:  # An addition.
        left = "" if not before or before[-1].isspace() else " "
        right = " " if after[:1].isalnum() else ""
        return f"{before}{left}{new}{right}{after}"
    if new:
        return before + new + after
    starts_line = not before or before.endswith("\n")
    if starts_line and after.startswith("\n"):
        return before + after[1:]  # The line is empty.
    if starts_line or before[-1].isspace():
        after = after.removeprefix(" ")
    if (not after or after[0] in "\n,.;:!?") and before.endswith(" "):
        before = before[:-1]
    return before + after


def _replace_strings(text: str, edit: Edit) -> str:
    """The edit at every equal string: with the space before it, else after it, else alone."""
    one = edit.texts[0]
    match edit.operation:
        case "delete":
            return _replace_all(text, one, lambda found: found.replace(one, ""))
        case "add" if not one:
            return f"{edit.new} {text}"
        case "add":
            return _replace_all(text, one, lambda found: found.replace(one, f"{one} {edit.new}"))
        case "paraphrase":
            return _replace_all(text, one, lambda found: found.replace(one, edit.new))
        case "swap":
            other = edit.texts[1]
            pattern = "|".join(
                re.escape(unit) for unit in sorted({one, other}, key=len, reverse=True)
            )
            new = {one: other, other: one}
            return re.sub(pattern, lambda found: new[found[0]], text)


def _replace_all(text: str, string: str, change: Callable[[str], str]) -> str:
    for form in (f" {string}", f"{string} ", string):
        if form in text:
            return text.replace(form, change(form))
    return text
