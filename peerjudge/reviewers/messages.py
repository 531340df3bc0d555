"""Between PeerJudge's words and AutoGen's: prompts one way, replies the other."""

from __future__ import annotations

from collections.abc import Sequence

from autogen_core.models import (
    AssistantMessage,
    ChatCompletionTokenLogprob,
    CreateResult,
    LLMMessage,
    SystemMessage,
    UserMessage,
)

from peerjudge.clients import Billing
from peerjudge.data import Message, TokenLogprob, Utterance

__all__ = ["MODERATOR", "flattened", "llm_messages", "token_logprobs", "utterance"]

MODERATOR = "moderator"
"""The sender of every prompt. Seats are never named to a server: names could sway a model."""

_SELF = "reviewer"


def llm_messages(messages: Sequence[Message]) -> list[LLMMessage]:
    """The prompt as a model client takes it."""
    return [_llm_message(message) for message in messages]


def _llm_message(message: Message) -> LLMMessage:
    if message.role == "system":
        return SystemMessage(content=message.text)
    if message.role == "assistant":
        return AssistantMessage(content=message.text, source=_SELF)
    return UserMessage(content=message.text, source=MODERATOR)


def flattened(messages: Sequence[Message]) -> str:
    """The whole prompt as one text, for agents that take one message and remember nothing."""
    return "\n\n".join(
        f"What you said before:\n{message.text}" if message.role == "assistant" else message.text
        for message in messages
        if message.text
    )


def utterance(
    result: CreateResult, bill: Billing, *, model: str, simulated: bool = False
) -> Utterance:
    """What a model said, with what it took according to the bill."""
    return Utterance(
        text=result.content if isinstance(result.content, str) else "",
        usage=bill.usage,
        model=model,
        finish_reason=result.finish_reason,
        latency=bill.latency,
        attempts=bill.attempts,
        cached=bill.cached,
        simulated=simulated,
        logprobs=token_logprobs(result.logprobs),
    )


def token_logprobs(
    logprobs: Sequence[ChatCompletionTokenLogprob] | None,
) -> tuple[TokenLogprob, ...] | None:
    """Log-probabilities by token. AutoGen names alternatives by their bytes; nameless ones go."""
    if logprobs is None:
        return None
    return tuple(
        TokenLogprob(
            token=each.token,
            logprob=each.logprob,
            top=tuple(
                (bytes(top.bytes).decode(errors="replace"), top.logprob)
                for top in each.top_logprobs or ()
                if top.bytes
            ),
        )
        for each in logprobs
    )
