"""A model client that answers from the prompt alone, for tests, demonstrations and dry runs.

Unlike AutoGen's replay client, which hands out replies in the order of calls and so mixes them up
as soon as two discussions run at once, it gives the same prompt the same reply at any concurrency.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from autogen_core import CancellationToken, Component
from autogen_core.models import (
    ChatCompletionClient,
    ChatCompletionTokenLogprob,
    CreateResult,
    FinishReasons,
    LLMMessage,
    ModelFamily,
    ModelInfo,
    RequestUsage,
    TopLogprob,
)
from autogen_core.tools import Tool, ToolSchema
from pydantic import BaseModel

from peerjudge.clients.tokens import estimate_tokens
from peerjudge.data import TokenLogprob

__all__ = ["Answer", "FakeChatClient", "FakeChatConfig", "FakePrompt", "FakeReply"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FakePrompt:
    """What the fake is asked: the messages, their texts joined, the sampling, and the attempt.

    `attempt` counts from 1 how often exactly this prompt has been asked with this sampling.
    """

    messages: tuple[LLMMessage, ...]
    text: str
    sampling: Mapping[str, object]
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeReply:
    """A reply with more to it than its text. Without `usage` tokens are estimated."""

    text: str
    finish_reason: FinishReasons = "stop"
    logprobs: tuple[TokenLogprob, ...] | None = None
    usage: tuple[int, int] | None = None


Answer = Callable[[FakePrompt], str | FakeReply | BaseException]
"""Gives the reply to a prompt; an exception given is raised."""


class FakeChatConfig(BaseModel):
    """The component form: replies by a piece of the prompt, and one for every other prompt."""

    replies: dict[str, str] = {}
    default: str = ""


class FakeChatClient(ChatCompletionClient, Component[FakeChatConfig]):
    """Answers by function of the prompt, or by the first key that the prompt contains.

    Args:
        replies: The answering function, or replies by a piece of text found in the prompt.
        default: The reply to a prompt in which no key is found.
        delay: Awaited before every answer, so that a test decides when the model speaks.
    """

    component_type = "model"
    component_config_schema = FakeChatConfig
    component_provider_override = "peerjudge.clients.fake.FakeChatClient"

    def __init__(
        self,
        replies: Answer | Mapping[str, str] | None = None,
        *,
        default: str = "",
        delay: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.prompts: list[FakePrompt] = []
        self.closed = False
        self._replies: Answer | Mapping[str, str] = {} if replies is None else replies
        self._default = default
        self._delay = delay
        self._asked: Counter[str] = Counter()
        self._usage = RequestUsage(prompt_tokens=0, completion_tokens=0)

    async def create(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: Tool | Literal["auto", "required", "none"] = "auto",
        json_output: bool | type[BaseModel] | None = None,
        extra_create_args: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> CreateResult:
        """The reply to this prompt."""
        prompt = self._prompt(messages, extra_create_args or {})
        if self._delay is not None:
            waiting = asyncio.ensure_future(self._delay())
            if cancellation_token is not None:
                cancellation_token.link_future(waiting)
            await waiting
        answer = self._answer(prompt)
        if isinstance(answer, BaseException):
            raise answer
        reply = FakeReply(text=answer) if isinstance(answer, str) else answer
        spent = reply.usage or (estimate_tokens(prompt.text), estimate_tokens(reply.text))
        usage = RequestUsage(prompt_tokens=spent[0], completion_tokens=spent[1])
        self._usage = RequestUsage(
            prompt_tokens=self._usage.prompt_tokens + usage.prompt_tokens,
            completion_tokens=self._usage.completion_tokens + usage.completion_tokens,
        )
        return CreateResult(
            finish_reason=reply.finish_reason,
            content=reply.text,
            usage=usage,
            cached=False,
            logprobs=None
            if reply.logprobs is None
            else [_logprob(each) for each in reply.logprobs],
        )

    async def create_stream(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[Tool | ToolSchema] = (),
        tool_choice: Tool | Literal["auto", "required", "none"] = "auto",
        json_output: bool | type[BaseModel] | None = None,
        extra_create_args: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> AsyncGenerator[str | CreateResult, None]:
        """The reply word by word, then as a whole."""
        result = await self.create(
            messages, extra_create_args=extra_create_args, cancellation_token=cancellation_token
        )
        for word in str(result.content).split(" "):
            yield word + " "
        yield result

    def _prompt(self, messages: Sequence[LLMMessage], sampling: Mapping[str, object]) -> FakePrompt:
        text = "\n".join(str(message.content) for message in messages)
        same = f"{sorted(sampling.items())}\n{text}"
        self._asked[same] += 1
        prompt = FakePrompt(
            messages=tuple(messages),
            text=text,
            sampling=dict(sampling),
            attempt=self._asked[same],
        )
        self.prompts.append(prompt)
        return prompt

    def _answer(self, prompt: FakePrompt) -> str | FakeReply | BaseException:
        if callable(self._replies):
            return self._replies(prompt)
        return next(
            (reply for piece, reply in self._replies.items() if piece in prompt.text), self._default
        )

    async def close(self) -> None:
        """Note that it was closed."""
        self.closed = True

    def actual_usage(self) -> RequestUsage:
        """Tokens of all replies."""
        return self._usage

    def total_usage(self) -> RequestUsage:
        """Tokens of all replies."""
        return self._usage

    def count_tokens(
        self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()
    ) -> int:
        """Tokens of a prompt, estimated."""
        return estimate_tokens("\n".join(str(message.content) for message in messages))

    def remaining_tokens(
        self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()
    ) -> int:
        """As many as anybody could want."""
        return 1_000_000 - self.count_tokens(messages)

    @property
    def capabilities(self) -> ModelInfo:
        """What the fake can do, under the former name."""
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        """What the fake can do."""
        return {
            "vision": False,
            "function_calling": False,
            "json_output": True,
            "structured_output": True,
            "family": ModelFamily.UNKNOWN,
            "multiple_system_messages": True,
        }

    def _to_config(self) -> FakeChatConfig:
        if callable(self._replies):
            msg = "a fake that answers by a function cannot be dumped; give it replies by text"
            raise TypeError(msg)
        return FakeChatConfig(replies=dict(self._replies), default=self._default)

    @classmethod
    def _from_config(cls, config: FakeChatConfig) -> Self:
        return cls(config.replies, default=config.default)


def _logprob(token: TokenLogprob) -> ChatCompletionTokenLogprob:
    return ChatCompletionTokenLogprob(
        token=token.token,
        logprob=token.logprob,
        bytes=list(token.token.encode()),
        # AutoGen names alternatives by their bytes alone.
        top_logprobs=[
            TopLogprob(logprob=logprob, bytes=list(text.encode())) for text, logprob in token.top
        ],
    )
