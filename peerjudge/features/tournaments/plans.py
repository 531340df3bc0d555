"""Plans of answers: the questions, the contestants and the request for each answer.

All contestants get the same prompt: the question, and one sentence that asks for an answer. The role of a
card is that of a judge, and is not sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from peerjudge.data import Card, Message, Question, content_hash, replace
from peerjudge.errors import DataError, ExperimentError
from peerjudge.features.tournaments.questions import read_questions
from peerjudge.runs.texts import WritingTask
from peerjudge.shelf import Shelf

MAX_TOKENS = 1024
"""Default limit on the tokens of an answer, the same for all contestants."""

SYSTEM = "Answer the question. Write only the answer."
"""System message of every request for an answer."""

_TASK = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPlan:
    """Questions, contestants and their tasks: everything that determines the answers.

    `cards` is by contestant. `count` is the number of answers by each contestant to each question.
    """

    questions: tuple[Question, ...]
    cards: Mapping[str, Card]
    tasks: tuple[WritingTask, ...]
    count: int
    seed: int

    @property
    def folder(self) -> Path:
        """Default folder, the same for the same questions and cards."""
        identity = content_hash([task.drawn for task in self.tasks], list(self.cards), self.seed)
        return Path("runs") / f"answers-{identity[:8]}"


def plan_answers(
    questions: str | Sequence[str | Question],
    *,
    by: Sequence[str],
    count: int = 1,
    limit: int | None = None,
    max_tokens: int = MAX_TOKENS,
    seed: int = 0,
    shelf: Shelf | None = None,
) -> AnswerPlan:
    """Return the questions, contestants and tasks; arguments as for `answers`.

    Raises:
        DataError: There are no questions, or two are the same.
        ExperimentError: There are fewer than two contestants, two are the same, or a number is below 1.
        ShelfError: A card is not on the shelf.
    """
    shelf = shelf or Shelf()
    for noun, number in (("answers", count), ("max_tokens", max_tokens)):
        if number < 1:
            msg = f"{noun} is 1 or more, not {number}"
            raise ExperimentError(msg)
    cards = _list_contestants((by,) if isinstance(by, str) else by, shelf)
    asked = (
        read_questions(questions, limit=limit)
        if isinstance(questions, str)
        else _list_questions(questions)[:limit]
    )
    tasks = tuple(
        build_task(question, card, draw=draw, max_tokens=max_tokens)
        for question in asked
        for card in cards.values()
        for draw in range(count)
    )
    return AnswerPlan(questions=asked, cards=cards, tasks=tasks, count=count, seed=seed)


def build_task(question: Question, card: Card, *, draw: int, max_tokens: int) -> WritingTask:
    """Return the task of one answer; thinking tokens of a card come on top of `max_tokens`."""
    sampling = card.sampling
    return WritingTask(
        id=f"{question.id} by {card.name}, {draw + 1}",
        card=card.name,
        task=_TASK,
        messages=(Message(role="system", text=SYSTEM), Message(role="user", text=question.text)),
        draw=draw,
        sampling=replace(
            sampling, max_tokens=max_tokens + (sampling.thinking_tokens or 0), logprobs=False
        ),
        question=question,
    )


def _list_contestants(by: Sequence[str], shelf: Shelf) -> Mapping[str, Card]:
    if repeated := sorted({name for name in by if by.count(name) > 1}):
        msg = f"card {repeated[0]!r} is named twice; name each contestant once"
        raise ExperimentError(msg)
    cards: dict[str, Card] = {}
    for card in map(shelf.card, by):
        name = card.contestant or card.name
        if name in cards:
            msg = (
                f"cards {cards[name].name!r} and {card.name!r} are both the contestant {name!r}; name one "
                "of them"
            )
            raise ExperimentError(msg)
        cards[name] = card
    if len(cards) < 2:
        named = ", ".join(by) or "none"
        msg = f"a comparison of answers needs 2 or more contestants; the cards are: {named}"
        raise ExperimentError(msg)
    return cards


def _list_questions(given: Sequence[str | Question]) -> tuple[Question, ...]:
    questions = tuple(
        each
        if isinstance(each, Question)
        else Question(id=f"q-{content_hash(each)[:12]}", text=each)
        for each in given
    )
    ids = [question.id for question in questions]
    if not ids:
        msg = "there are no questions; give one or more"
        raise DataError(msg)
    if repeated := sorted({name for name in ids if ids.count(name) > 1}):
        msg = f"two questions have the id {repeated[0]!r}; give each question once"
        raise DataError(msg)
    return questions
