"""Requests to a served judge: one JSON object, read strictly, and the replies that clients of chats take."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, TypeAlias, cast

import msgspec

from peerjudge.data import Comparison
from peerjudge.data.cleaning import is_blank
from peerjudge.errors import DataError
from peerjudge.features.judge.judgements import Judgement, build_comparison

ReplyForm: TypeAlias = Literal["index", "letter", "rubric"]

TEMPLATE = {
    "question": "the question or task",
    "answers": ["the first answer", "the second answer"],
    "criteria": ["optional, in place of those of the judge"],
    "reference": "optional, a correct answer, for a judge whose prompts show it",
    "reply": "index",
}
"""The object of a request; `criteria`, `reference` and `reply` (index, letter, rubric) may be left out."""

_WORDS = 500
"""Most characters of a reviewer's words in the reason of a rubric."""


class RequestError(DataError):
    """A request is not the one JSON object that a served judge reads."""


class NoChoiceError(DataError):
    """The verdict is a tie, or not readable, so that no answer can be replied."""


class _Given(msgspec.Struct, forbid_unknown_fields=True):
    question: str
    answers: list[str | int | float | bool | list[Any] | dict[str, Any]]
    criteria: list[str] | str = []
    reference: str = ""
    reply: ReplyForm = "index"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """A comparison to be judged, and the form of the reply."""

    comparison: Comparison
    criteria: tuple[str, ...]
    reply: ReplyForm


def read_request(body: bytes | str) -> JudgeRequest:
    """Return the request in a text that is one JSON object and nothing else.

    A key that is given twice is refused: in a template that inserts texts unescaped, a text could
    otherwise end its string and replace the answers.

    Raises:
        RequestError: The text is anything else.
    """
    plain = read_object(body)
    try:
        given = msgspec.convert(plain, _Given)
    except msgspec.ValidationError as cause:
        msg = f"the request does not fit: {cause}"
        raise RequestError(msg) from cause
    criteria = (given.criteria,) if isinstance(given.criteria, str) else tuple(given.criteria)
    try:
        answers = [_write_answer(answer) for answer in given.answers]
        _require_comparable(given.question, answers)
        comparison = build_comparison(
            given.question, answers, criteria=criteria, reference=given.reference
        )
    except DataError as cause:
        raise RequestError(str(cause)) from cause
    return JudgeRequest(comparison=comparison, criteria=criteria, reply=given.reply)


def read_chat(body: bytes | str, *, models: frozenset[str]) -> JudgeRequest:
    """Return the request in the last message of a chat completion.

    Raises:
        RequestError: The chat asks for a stream, several choices or another model, or its last message is
            not the one object.
    """
    plain = read_object(body)
    if plain.get("stream"):
        msg = "replies are not streamed; leave out stream"
        raise RequestError(msg)
    if plain.get("n") not in (None, 1):
        msg = f"a judgement is one reply, not n={plain.get('n')!r:.20}"
        raise RequestError(msg)
    model = plain.get("model")
    if not isinstance(model, str) or model not in models:
        msg = f"model {model!r:.80} is not served; choose one of {', '.join(sorted(models))}"
        raise RequestError(msg)
    messages = plain.get("messages")
    last: Any = messages[-1] if isinstance(messages, list) and messages else None  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(last, dict) or last.get("role") != "user":  # pyright: ignore[reportUnknownMemberType]
        msg = "the last message must be one of the user, with the object as its content"
        raise RequestError(msg)
    return read_request(_read_content(cast("Mapping[str, object]", last).get("content")))


def read_object(body: bytes | str) -> Mapping[str, object]:
    """Return the one JSON object in a text; raises `RequestError` for anything else."""
    try:
        text = body if isinstance(body, str) else body.decode()
        found = json.loads(
            text,
            object_pairs_hook=_build_object,
            parse_constant=_refuse_constant,
            parse_float=_read_float,
        )
    except (ValueError, RecursionError) as cause:
        msg = f"the request is not one JSON object: {cause}"
        raise RequestError(msg) from cause
    if not isinstance(found, dict):
        msg = f"the request is not one JSON object, but {type(found).__name__}"
        raise RequestError(msg)
    return cast("Mapping[str, object]", found)


def write_reply(judgement: Judgement, form: ReplyForm) -> str:
    """Return the reply of a chat: the index of the better answer (from 0), its letter, or a rubric.

    A rubric is JSON with `pass`, `score` and `reason`; it passes if the first answer is the better one.

    Raises:
        NoChoiceError: The verdict names no answer. It is never given as a number.
    """
    index = judgement.index
    if index is None:
        outcome = judgement.verdict.outcome
        msg = (
            f"the verdict is {outcome}, so no answer can be named; /v1/judge returns such verdicts"
        )
        raise NoChoiceError(msg)
    if form == "index":
        return str(index)
    if form == "letter":
        return "ABCD"[index]
    return json.dumps(
        {"pass": index == 0, "score": float(index == 0), "reason": _explain(judgement, index)},
        ensure_ascii=False,
    )


def _explain(judgement: Judgement, index: int) -> str:
    turns = judgement.transcripts[0].turns
    words = turns[-1].utterance.text.strip()[:_WORDS] if turns else ""
    return f"Answer {index + 1} is better in every order, says {judgement.by}. {words}".strip()


def _require_comparable(question: str, answers: Sequence[str]) -> None:
    """Raise `RequestError` for what no judge can tell apart, before anything is paid for it."""
    if is_blank(question):
        msg = "the question is blank; send the question or task that the answers answer"
        raise RequestError(msg)
    seen: dict[str, int] = {}
    for number, answer in enumerate(answers, 1):
        if is_blank(answer):
            msg = f"answer {number} is blank, so that nothing is to be judged; leave it out"
            raise RequestError(msg)
        if other := seen.setdefault(" ".join(answer.split()), number) - number:
            msg = (
                f"answers {number + other} and {number} are equal, so that nothing is to be judged"
            )
            raise RequestError(msg)


def _write_answer(answer: object) -> str:
    """Return an answer as text: other tools parse outputs that are JSON."""
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def _read_content(content: object) -> str:
    """Return the text of a message, which may be a list with one part."""
    if isinstance(content, list) and len(content) == 1:  # pyright: ignore[reportUnknownArgumentType]
        part: object = content[0]  # pyright: ignore[reportUnknownVariableType]
        content = part.get("text") if isinstance(part, dict) else None  # pyright: ignore
    if not isinstance(content, str):
        msg = "the content of the last message is not a text"
        raise RequestError(msg)
    return content


def _build_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        msg = f"key {twice!r:.80} is given twice"
        raise ValueError(msg)
    return found


def _read_float(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else cast("float", _refuse_constant(f"{text:.40}"))


def _refuse_constant(name: str) -> object:
    msg = f"{name} is no number that JSON can hold"
    raise ValueError(msg)
