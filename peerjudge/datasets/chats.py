"""Questions and answers from conversations: chat messages of a row, or the files of FastChat.

Of messages, the question is the first one of the user, with a system message before it. The answer is
everything after it: the reply alone where there is one, else all messages with their speakers.

FastChat keeps the messages of the user in `question.jsonl` (`turns`), and the replies of each model in a file
of the folder `model_answer` beside it (`choices[0].turns`).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import cast

from peerjudge.datasets.lines import Row, read_rows

_SPEAKERS = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}


def read_chat(row: Row, key: str, left_out: Counter[str]) -> tuple[str, str]:
    """Return the question and the answer in the messages of this key.

    A message has `role` and `content`; content is a text, or a list of parts of which those with
    `text` are read, and the others are counted in `left_out`. A text instead of a list is an answer without
    its question.

    Raises:
        DataError: with the place, for another form, or where the user says nothing.
    """
    value = row.fields.get(key)
    if isinstance(value, str):
        return "", value
    said = [(one.text("role").lower(), _read_content(one, left_out)) for one in row.parts(key)]
    asked = next((place for place, (role, _) in enumerate(said) if role == "user"), None)
    if asked is None:
        msg = f"{key!r} has no message of the user (roles: {[role for role, _ in said]})"
        raise row.error(msg)
    question = "\n\n".join(text for _, text in said[: asked + 1] if text)
    return question, _join(said[asked + 1 :])


def join_messages(row: Row, key: str, left_out: Counter[str]) -> str:
    """Return all messages of this key as one text: the only one alone, else each after its speaker.

    Parts that are no text are counted in `left_out`.
    """
    said = ((one.text("role").lower(), _read_content(one, left_out)) for one in row.parts(key))
    return _join(list(said))


def list_turns(row: Row, key: str, left_out: Counter[str]) -> list[Row]:
    """Return the turns of this key as objects with `speaker` and `text`, from any of the layouts of chats.

    The layouts are turns themselves, messages with `role` (and `name`) and `content`, messages of AutoGen
    with `source` and `content`, and the state of a team of AutoGen, which holds such messages. Messages of
    the system and the user are the task, not turns of a discussion; these, and messages without text, such as
    calls of tools, are counted in `left_out`.
    """
    holder, name = _find_thread(row, key)
    turns: list[Row] = []
    for one in holder.parts(name):
        if "speaker" in one.fields or not {"role", "source"} & one.fields.keys():
            turns.append(one)
            continue
        role = one.label("role").lower() or one.label("source")
        speaker = one.label("name") or one.label("source") or role
        if role in ("system", "developer", "user"):
            left_out["messages of the system and the user"] += 1
            continue
        text = _read_content(one, left_out)
        if not text.strip():
            left_out["messages without text"] += 1
            continue
        turns.append(one.enter({**one.fields, "speaker": speaker, "text": text}))
    if not turns:
        msg = f"{key!r} has no message of a speaker beside the system and the user"
        raise row.error(msg)
    return turns


def _find_thread(row: Row, key: str) -> tuple[Row, str]:
    """Return the object and the key that hold the messages: those of a saved team are in its manager."""
    if not isinstance(row.fields.get(key), dict):
        return row, key
    team = row.part(key)
    states = team.part("agent_states")
    for name, state in states.fields.items():
        if isinstance(state, dict) and "message_thread" in state:
            return states.part(name), "message_thread"
    msg = "the saved state of the team has no 'message_thread'; save it after the discussion"
    raise team.error(msg)


def join_turns(asked: list[str], replies: list[str]) -> str:
    """Return the answer of which these are the replies, between the further messages of the user."""
    said: list[tuple[str, str]] = []
    for place, reply in enumerate(replies):
        said += [("user", asked[place - 1])] if 0 < place <= len(asked) else []
        said.append(("assistant", reply))
    return _join(said)


def find_questions(path: Path) -> Path | None:
    """Return FastChat's `question.jsonl` in the folder of a file or above it; `None` where there is none."""
    places = (folder / "question.jsonl" for folder in list(path.resolve().parents)[:2])
    return next((place for place in places if place.is_file()), None)


def read_questions(path: Path | None) -> dict[str, Row]:
    """Return the rows of FastChat's questions by their id; none without a path."""
    return {} if path is None else {row.label("question_id"): row for row in read_rows(path)}


def read_replies(folder: Path) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the replies of all models in FastChat's folder `model_answer`, by question and model."""
    return {
        (row.label("question_id"), row.text("model_id")): row.parts("choices")[0].texts("turns")
        for file in sorted((folder / "model_answer").glob("*.jsonl"))
        for row in read_rows(file)
    }


def _join(said: list[tuple[str, str]]) -> str:
    if len(said) == 1:
        return said[0][1]
    return "\n\n".join(f"{_SPEAKERS.get(role, role)}:\n{text}" for role, text in said)


def _read_content(message: Row, left_out: Counter[str]) -> str:
    content = message.fields.get("content")
    if isinstance(content, list):
        texts: list[str] = []
        for part in cast("list[object]", content):
            text = cast("dict[str, object]", part).get("text") if isinstance(part, dict) else part
            if isinstance(text, str):
                texts.append(text)
            else:
                left_out["parts of messages that are not text"] += 1
        return "\n".join(texts)
    return "" if content is None else message.text("content")
