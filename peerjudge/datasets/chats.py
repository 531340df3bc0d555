"""Question and answer from a conversation in the form of chat messages.

The question is the first message of the user, with a system message before it. The answer is everything
after it: the reply alone where there is one, else all messages with their speakers.
"""

from __future__ import annotations

from typing import cast

from peerjudge.datasets.lines import Row

_SPEAKERS = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}


def read_chat(row: Row, key: str) -> tuple[str, str]:
    """Return the question and the answer in the messages of this key.

    A message has `role` and `content`; content is a text, or a list of parts of which those with
    `text` are read. A text instead of a list is an answer without its question.

    Raises:
        DataError: with the place, for another form, or where the user says nothing.
    """
    value = row.fields.get(key)
    if isinstance(value, str):
        return "", value
    said = [(one.text("role").lower(), _read_content(one)) for one in row.parts(key)]
    asked = next((place for place, (role, _) in enumerate(said) if role == "user"), None)
    if asked is None:
        msg = f"{key!r} has no message of the user (roles: {[role for role, _ in said]})"
        raise row.error(msg)
    question = "\n\n".join(text for _, text in said[: asked + 1] if text)
    return question, _join(said[asked + 1 :])


def join_messages(row: Row, key: str) -> str:
    """Return all messages of this key as one text: the only one alone, else each after its speaker."""
    return _join([(one.text("role").lower(), _read_content(one)) for one in row.parts(key)])


def join_turns(asked: list[str], replies: list[str]) -> str:
    """Return the answer of which these are the replies, between the further messages of the user."""
    said: list[tuple[str, str]] = []
    for place, reply in enumerate(replies):
        said += [("user", asked[place - 1])] if 0 < place <= len(asked) else []
        said.append(("assistant", reply))
    return _join(said)


def _join(said: list[tuple[str, str]]) -> str:
    if len(said) == 1:
        return said[0][1]
    return "\n\n".join(f"{_SPEAKERS.get(role, role)}:\n{text}" for role, text in said)


def _read_content(message: Row) -> str:
    content = message.fields.get("content")
    if isinstance(content, list):
        parts = [
            cast("dict[str, object]", part)
            for part in cast("list[object]", content)
            if isinstance(part, dict)
        ]
        texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
        return "\n".join(cast("list[str]", texts))
    return "" if content is None else message.text("content")
