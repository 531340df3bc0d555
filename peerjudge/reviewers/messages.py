"""Conversion between PeerJudge and AutoGen: prompts, replies, turns, verdicts and tasks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from string import ascii_lowercase
from typing import cast

from autogen_agentchat.messages import BaseChatMessage, StructuredMessage, TextMessage
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionTokenLogprob,
    CreateResult,
    LLMMessage,
    RequestUsage,
    SystemMessage,
    UserMessage,
)
from pydantic import BaseModel, RootModel, TypeAdapter

from peerjudge.clients import Billing, bill_to
from peerjudge.data import (
    Answer,
    Comparison,
    Message,
    Question,
    Request,
    StopReason,
    TokenLogprob,
    Transcript,
    Turn,
    Utterance,
    content_hash,
    from_json,
    from_plain,
    to_json,
)
from peerjudge.data.cleaning import clean_text
from peerjudge.errors import DataError
from peerjudge.verdicts import split_thinking

MODERATOR = "moderator"
"""Sender of every prompt. Seats are never named to a server, as names could sway a model."""

_SELF = "reviewer"
_LOGPROBS = TypeAdapter(tuple[TokenLogprob, ...])
_TEXTS = ("question", "answers")
_HOW = (
    "give a Comparison, a StructuredMessage of ComparisonTask, or JSON "
    '{"question": "...", "answers": ["...", "..."]}'
)
_USER = "user"
"""Source that AutoGen gives to a task in words."""

Task = str | Comparison | BaseChatMessage | Sequence[str | Comparison | BaseChatMessage] | None
"""What a discussion takes as AutoGen's `task` argument: one comparison, alone or among messages."""


def to_llm_messages(messages: Sequence[Message]) -> list[LLMMessage]:
    """Return a prompt as messages for a model client."""
    return [_to_llm_message(message) for message in messages]


def _to_llm_message(message: Message) -> LLMMessage:
    if message.role == "system":
        return SystemMessage(content=message.text)
    if message.role == "assistant":
        return AssistantMessage(content=message.text, source=_SELF)
    return UserMessage(content=message.text, source=MODERATOR)


def merge_system(messages: Sequence[LLMMessage]) -> list[LLMMessage]:
    """Return a prompt without system messages: their text leads the first message of a user."""
    head = "\n\n".join(each.content for each in messages if isinstance(each, SystemMessage))
    others: list[LLMMessage] = [each for each in messages if not isinstance(each, SystemMessage)]
    if not head:
        return others
    first = next(iter(others), None)
    if not isinstance(first, UserMessage):
        return [UserMessage(content=head, source=MODERATOR), *others]
    text = first.content
    content = f"{head}\n\n{text}" if isinstance(text, str) else [head, *text]
    return [first.model_copy(update={"content": content}), *others[1:]]


def flatten_prompt(messages: Sequence[Message]) -> str:
    """Return a prompt as one text, for agents that take one message and keep no history."""
    return "\n\n".join(
        f"What you said before:\n{message.text}" if message.role == "assistant" else message.text
        for message in messages
        if message.text
    )


def bill_turn(request: Request, *, reviewer: str) -> AbstractContextManager[Billing]:
    """Bill the calls made inside to the turn of a request."""
    return bill_to(
        reviewer=reviewer, discussion=request.discussion, turn=request.turn, draw=request.draw
    )


def build_utterance(
    result: CreateResult,
    bill: Billing,
    *,
    model: str,
    simulated: bool = False,
    unset: tuple[str, ...] = (),
) -> Utterance:
    """Return a model's reply as an utterance, with tokens, latency and attempts from the bill.

    `unset` names the settings of the seat that were left out of the call.
    """
    thinking, text = split_thinking(result.content if isinstance(result.content, str) else "")
    return Utterance(
        text=text,
        usage=bill.usage,
        model=model,
        finish_reason=result.finish_reason,
        latency=bill.latency,
        attempts=bill.attempts,
        cached=bill.cached,
        simulated=simulated,
        logprobs=read_token_logprobs(result.logprobs),
        thinking="\n".join(filter(None, (result.thought, thinking))),
        unset=unset,
    )


def read_token_logprobs(
    logprobs: Sequence[ChatCompletionTokenLogprob] | None,
) -> tuple[TokenLogprob, ...] | None:
    """Return log-probabilities by token, without the alternatives that AutoGen gives no bytes."""
    if logprobs is None:
        return None
    return tuple(
        TokenLogprob(
            token=logprob.token,
            logprob=logprob.logprob,
            top=tuple(
                (bytes(top.bytes).decode(errors="replace"), top.logprob)
                for top in logprob.top_logprobs or ()
                if top.bytes
            ),
        )
        for logprob in logprobs
    )


def build_metadata(utterance: Utterance) -> dict[str, str]:
    """Return model, cost and log-probabilities of an utterance as metadata of an AutoGen message."""
    metadata = {
        "peerjudge.model": utterance.model,
        "peerjudge.finish_reason": utterance.finish_reason,
        "peerjudge.latency": f"{utterance.latency:.6f}",
        "peerjudge.attempts": str(utterance.attempts),
        "peerjudge.cached": str(utterance.cached).lower(),
    }
    if utterance.logprobs is not None:
        metadata["peerjudge.logprobs"] = _LOGPROBS.dump_json(utterance.logprobs).decode()
    return metadata


def parse_logprobs(message: BaseChatMessage) -> tuple[TokenLogprob, ...] | None:
    """Return the log-probabilities in the metadata of a `ReviewerAgent`'s message."""
    text = message.metadata.get("peerjudge.logprobs")
    return None if text is None else _LOGPROBS.validate_json(text)


def build_turn_message(transcript: Transcript, turn: Turn) -> TextMessage:
    """Return a turn as a message of its reviewer, with verdict or score in the metadata."""
    utterance = turn.utterance
    verdict = turn.review.verdict
    return TextMessage(
        content=utterance.text,
        source=transcript.seat(turn.cue.seat).reviewer,
        models_usage=RequestUsage(utterance.usage.prompt_tokens, utterance.usage.completion_tokens),
        metadata=build_metadata(utterance)
        | {
            "peerjudge.turn": str(turn.index),
            "peerjudge.seat": turn.cue.seat,
            "peerjudge.role": transcript.seat(turn.cue.seat).role,
            "peerjudge.private": str(turn.cue.private).lower(),
            "peerjudge.verdict": "" if verdict is None else str(verdict),
            "peerjudge.score": "" if turn.review.score is None else f"{turn.review.score:g}",
        },
    )


def build_verdict_message(transcript: Transcript, *, source: str) -> TextMessage:
    """Return the outcome of a discussion as a message of its team.

    `peerjudge.verdict` is the id of the chosen answer (or the outcome without one), and
    `peerjudge.answer` its place in the shown order, from 1.
    """
    verdict = transcript.verdict
    shown = transcript.comparison.shown
    place = "" if verdict.choice is None else str(shown.index(verdict.choice) + 1)
    words = f"The verdict is: {verdict}."
    if verdict.choice is not None:
        words = f"Answer ({ascii_lowercase[shown.index(verdict.choice)]}) is the better one."
    failed = transcript.stop is StopReason.FAILED
    return TextMessage(
        content=describe_stop(transcript) if failed else words,
        source=source,
        metadata={
            "peerjudge.verdict": str(verdict),
            "peerjudge.outcome": verdict.outcome.value,
            "peerjudge.answer": place,
            "peerjudge.stop": "" if transcript.stop is None else transcript.stop.value,
            "peerjudge.discussion": transcript.id,
        },
    )


def describe_stop(transcript: Transcript) -> str:
    """Return the reason why a discussion ended, as a sentence."""
    failure = transcript.failure
    if failure is None:
        return f"The discussion is complete ({transcript.protocol})."
    return f"The discussion failed in turn {failure.turn}: {failure.kind}: {failure.message}"


class ComparisonTask(RootModel[Comparison]):
    """Comparison as the content of a `StructuredMessage`."""


def read_task(task: Task) -> list[BaseChatMessage]:
    """Return the value of AutoGen's `task` argument as a list of messages.

    Raises:
        DataError: The task has two comparisons, or an object of another type.
    """
    alone = task is None or isinstance(task, str | Comparison | BaseChatMessage)
    given: object = [] if task is None else [task] if alone else task
    parts = cast("Sequence[object]", given if isinstance(given, Sequence) else [given])
    for part in parts:
        if not isinstance(part, str | Comparison | BaseChatMessage):
            msg = f"a task cannot hold an object of type {type(part).__name__!r}: {_HOW}"
            raise DataError(msg)
    if (count := sum(isinstance(part, Comparison) for part in parts)) > 1:
        msg = f"the task holds {count} comparisons: run the discussion once for each"
        raise DataError(msg)
    return [
        part
        if isinstance(part, BaseChatMessage)
        else TextMessage(content=part if isinstance(part, str) else to_json(part), source=_USER)
        for part in cast("Sequence[str | Comparison | BaseChatMessage]", parts)
    ]


def find_comparison(messages: Sequence[BaseChatMessage]) -> Comparison | None:
    """Return the comparison in the last message that looks like one.

    `None` without such a message, if there are no messages or others than a user wrote some, as in a
    group chat, whose other JSON does not matter.

    Raises:
        DataError: A user's message holds no valid comparison, or the user's task has none.
    """
    for message in reversed(messages):
        try:
            found = _read_comparison(message)
        except DataError:
            if message.source == _USER:
                raise
            continue
        if found is not None:
            return found
    if messages and all(message.source == _USER for message in messages):
        msg = f"the task holds no comparison: {_HOW}"
        raise DataError(msg)
    return None


def _read_comparison(message: BaseChatMessage) -> Comparison | None:
    if isinstance(message, StructuredMessage):
        content = cast("StructuredMessage[BaseModel]", message).content
        if isinstance(content, ComparisonTask):
            return content.root
        return _parse_plain(content.model_dump(mode="json"))
    if isinstance(message, TextMessage) and message.content.lstrip().startswith("{"):
        return _parse_text(message.content)
    return None


def _parse_text(text: str) -> Comparison:
    try:
        plain: object = json.loads(text)
    except ValueError as cause:
        msg = f"the task starts like JSON but is none ({cause}): {_HOW}"
        raise DataError(msg) from cause
    if isinstance(plain, dict) and "schema" in plain:
        return from_json(Comparison, text)
    return _parse_plain(cast("object", plain))


def _parse_plain(plain: object) -> Comparison:
    """Return a comparison from its full form or from the texts of question and answers."""
    # JSON can hold half a character, which has no UTF-8 form.
    plain = json.loads(clean_text(json.dumps(plain, ensure_ascii=False)))
    given = cast("Mapping[str, object]", plain if isinstance(plain, dict) else {})
    missing = [part for part in _TEXTS if part not in given]
    if missing:
        msg = f"the task holds no comparison, for it has no {' and no '.join(missing)}: {_HOW}"
        raise DataError(msg)
    question, answers = given["question"], given["answers"]
    if isinstance(question, str) and isinstance(answers, list) and len(given) == len(_TEXTS):
        texts = cast("list[object]", answers)
        if all(isinstance(text, str) for text in texts):
            return _from_texts(question, cast("list[str]", texts))
    try:
        return from_plain(Comparison, dict(given))
    except DataError as cause:
        msg = f"the task is neither a full comparison ({cause}) nor just texts: {_HOW}"
        raise DataError(msg) from cause


def _from_texts(question: str, texts: Sequence[str]) -> Comparison:
    return Comparison(
        id=content_hash(question, sorted(texts))[:12],
        question=Question(id=content_hash(question)[:12], text=question),
        answers=tuple(Answer(id=str(number), text=text) for number, text in enumerate(texts, 1)),
    )
