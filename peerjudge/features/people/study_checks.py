"""Attention checks of a study, made of tasks that the person has answered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from peerjudge.data import Expects, TitledText, replace
from peerjudge.features.people.desk import DeskTask
from peerjudge.features.people.nouns import CheckKind, Claim
from peerjudge.features.people.stating import TIED

_PAIR = 2


Check = tuple[Claim, DeskTask]
"""The claim on a check, without a task of its own, and the task that is shown."""


def make_check(
    kind: CheckKind,
    judged: Sequence[Claim],
    choices: Mapping[str, str],
    *,
    used: Collection[str],
    read: Callable[[str], tuple[DeskTask, ...]],
    draw: str,
) -> Check:
    """Return a check of this kind; where it cannot be made, one that says which answer to choose.

    `judged` are the answered claims of the person, the earliest first, and `choices` the answers by task.
    Items in `used` were shown in the reverse order before. `read` returns the tasks of an item by order, and
    `draw` are hex digits that choose among the possible checks.
    """
    number = int(draw[:8], 16)
    if kind is CheckKind.REVERSED:
        made = _reverse(judged, choices, used=used, read=read, number=number)
        if made is not None:
            return made
    claim = judged[number % len(judged)]
    tasks = read(claim.item)
    if kind is CheckKind.PLAIN and _is_pair(tasks[claim.order]):
        other = judged[(number + 1) % len(judged)]
        made = _replace_answer(claim, tasks, read(other.item)[other.order], number=number)
        if made is not None:
            return made
    return _tell(claim, tasks[claim.order], number=number)


def _tell(claim: Claim, task: DeskTask, *, number: int) -> Check:
    """Return the task with a sentence in the question that says what to choose."""
    sheet = task.sheet
    if task.expects is Expects.RATING:
        low, high = min(task.scale), max(task.scale)
        expected = str(low + number % (high - low + 1))
        wanted = f"give the rating {expected}"
    else:
        place = number % task.answers
        expected = str(place + 1)
        wanted = f"choose {sheet.answers[place].title}"
    instruction = f"(This is an attention check: {wanted} here, and go on.)"
    question = f"{sheet.question}\n\n{instruction}"
    made = replace(task, sheet=replace(sheet, question=question))
    return _declare(claim, CheckKind.TOLD, expected), made


def _replace_answer(
    claim: Claim, tasks: Sequence[DeskTask], other: DeskTask, *, number: int
) -> Check | None:
    """Return the pair with one of its answers replaced by one to another question."""
    task = tasks[claim.order]
    if not other.sheet.answers or other.sheet.question == task.sheet.question:
        return None
    place = (number // 7) % _PAIR
    foreign = TitledText(title=task.sheet.answers[place].title, text=other.sheet.answers[0].text)
    answers = list(task.sheet.answers)
    answers[place] = foreign
    made = replace(task, sheet=replace(task.sheet, answers=tuple(answers)))
    return _declare(claim, CheckKind.PLAIN, str(_PAIR - place)), made


def _reverse(
    judged: Sequence[Claim],
    choices: Mapping[str, str],
    *,
    used: Collection[str],
    read: Callable[[str], tuple[DeskTask, ...]],
    number: int,
) -> Check | None:
    """Return a pair that was judged before, in the other order; the earlier ones are more likely."""
    able = [
        claim
        for claim in judged
        if choices[claim.task] in {"1", "2", TIED} and claim.item not in used
    ]
    early = able[: max(len(able) // 2, 1)]
    for offset in range(len(early)):
        claim = early[(number + offset) % len(early)]
        task = read(claim.item)[claim.order]
        if not _is_pair(task):
            continue
        sheet = task.sheet
        first, second = sheet.answers
        turned = (
            TitledText(title=first.title, text=second.text),
            TitledText(title=second.title, text=first.text),
        )
        chosen = choices[claim.task]
        expected = TIED if chosen == TIED else str(3 - int(chosen))
        made = replace(task, sheet=replace(sheet, answers=turned))
        return _declare(claim, CheckKind.REVERSED, expected), made
    return None


def _declare(claim: Claim, kind: CheckKind, expected: str) -> Claim:
    """Return the claim on a check that is made of an item as it was judged."""
    return replace(claim, task="", check=kind, expected=expected, answered=False)


def _is_pair(task: DeskTask) -> bool:
    return task.expects is Expects.VERDICT and len(task.sheet.answers) == _PAIR
