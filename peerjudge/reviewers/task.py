"""The task of a discussion as AutoGen passes tasks: a comparison in a message, or as JSON text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

from autogen_agentchat.messages import BaseChatMessage, StructuredMessage, TextMessage
from pydantic import BaseModel, RootModel

from peerjudge.data import (
    Answer,
    Comparison,
    Question,
    content_hash,
    from_json,
    from_plain,
    to_json,
)
from peerjudge.errors import DataError

__all__ = ["ComparisonTask", "comparison_in", "comparison_message", "task_messages"]

_HOW = (
    "give the task as to_json(comparison), as a StructuredMessage of ComparisonTask, or as JSON "
    '{"question": "...", "answers": ["...", "..."]}'
)

_TEXTS = ("question", "answers")


class ComparisonTask(RootModel[Comparison]):
    """A comparison as the content of a `StructuredMessage`."""


def comparison_message(comparison: Comparison, *, source: str = "user") -> TextMessage:
    """The comparison as a message that every AutoGen team can pass on."""
    return TextMessage(content=to_json(comparison), source=source)


def task_messages(
    task: str | BaseChatMessage | Sequence[BaseChatMessage] | None,
) -> list[BaseChatMessage]:
    """What AutoGen's `task` argument holds, as messages."""
    if task is None:
        return []
    if isinstance(task, str):
        return [TextMessage(content=task, source="user")]
    return [task] if isinstance(task, BaseChatMessage) else list(task)


def comparison_in(messages: Sequence[BaseChatMessage]) -> Comparison | None:
    """The comparison in the last message that holds one; `None` if none looks as if it did.

    Raises:
        DataError: A message is meant to be a comparison, but is not a valid one.
    """
    for message in reversed(messages):
        if isinstance(message, StructuredMessage):
            content = cast("StructuredMessage[BaseModel]", message).content
            return _from_model(content)
        if isinstance(message, TextMessage) and message.content.lstrip().startswith("{"):
            return _from_text(message.content)
    return None


def _from_model(content: BaseModel) -> Comparison:
    if isinstance(content, ComparisonTask):
        return content.root
    return _from_plain(content.model_dump(mode="json"))


def _from_text(text: str) -> Comparison:
    try:
        plain: object = json.loads(text)
    except ValueError as cause:
        msg = f"the task starts like JSON but is none ({cause}): {_HOW}"
        raise DataError(msg) from cause
    if isinstance(plain, dict) and "schema" in plain:
        return from_json(Comparison, text)
    return _from_plain(cast("object", plain))


def _from_plain(plain: object) -> Comparison:
    """A comparison from plain data: its full form, or just the texts of question and answers."""
    given = cast("Mapping[str, object]", plain if isinstance(plain, dict) else {})
    lacking = [part for part in _TEXTS if part not in given]
    if lacking:
        msg = f"the task holds no comparison, for it has no {' and no '.join(lacking)}: {_HOW}"
        raise DataError(msg)
    question, answers = given["question"], given["answers"]
    if isinstance(question, str) and isinstance(answers, list) and len(given) == len(_TEXTS):
        texts = cast("list[object]", answers)
        if all(isinstance(text, str) for text in texts):
            return _of_texts(question, cast("list[str]", texts))
    try:
        return from_plain(Comparison, dict(given))
    except DataError as cause:
        msg = f"the task is neither a full comparison ({cause}) nor just texts: {_HOW}"
        raise DataError(msg) from cause


def _of_texts(question: str, texts: Sequence[str]) -> Comparison:
    return Comparison(
        id=content_hash(question, sorted(texts))[:12],
        question=Question(id=content_hash(question)[:12], text=question),
        answers=tuple(Answer(id=str(number), text=text) for number, text in enumerate(texts, 1)),
    )
