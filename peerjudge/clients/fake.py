"""Model client that answers from the prompt alone, for tests, demonstrations and dry runs.

AutoGen's replay client hands out replies in the order of calls and so mixes them up when discussions
run at the same time. This client gives the same prompt the same reply at any concurrency.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from autogen_core import Component
from autogen_core.models import (
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

from peerjudge.clients.calls import CallRequest, RequestClient
from peerjudge.clients.tokens import add_usage, estimate_tokens
from peerjudge.data import TokenLogprob


@dataclass(frozen=True, slots=True, kw_only=True)
class FakePrompt:
    """Prompt given to a fake client: messages, their joined text, and sampling.

    `attempt` numbers, from 1, the calls with exactly this prompt and sampling.
    """

    messages: tuple[LLMMessage, ...]
    text: str
    sampling: Mapping[str, object]
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeReply:
    """Reply with more than its text. Without `usage` (prompt, reply), tokens are estimated."""

    text: str
    finish_reason: FinishReasons = "stop"
    logprobs: tuple[TokenLogprob, ...] | None = None
    usage: tuple[int, int] | None = None


Answer = Callable[[FakePrompt], str | FakeReply | BaseException]
"""Function from a prompt to its reply; an exception that it returns is raised."""


class FakeChatConfig(BaseModel):
    """Component form: replies by a part of the prompt, and the reply to any other prompt."""

    replies: dict[str, str] = {}
    default: str = ""


class FakeChatClient(RequestClient, Component[FakeChatConfig]):
    """Model client that replies by a function of the prompt or by a text found in the prompt.

    Args:
        replies: Function from prompt to reply, or replies by a text; the first text found counts.
        default: Reply to a prompt that contains no such text.
        delay: Awaited before every reply, to control its timing in a test.
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
        self._calls: Counter[str] = Counter()
        self._usage = RequestUsage(prompt_tokens=0, completion_tokens=0)

    async def reply(self, request: CallRequest) -> CreateResult:
        """Return the reply to the prompt."""
        prompt = self._record_prompt(request.messages, request.extra)
        if self._delay is not None:
            waiting = asyncio.ensure_future(self._delay())
            if request.token is not None:
                request.token.link_future(waiting)
            await waiting
        answer = self._answer(prompt)
        if isinstance(answer, BaseException):
            raise answer
        reply = FakeReply(text=answer) if isinstance(answer, str) else answer
        used = reply.usage or (estimate_tokens(prompt.text), estimate_tokens(reply.text))
        usage = RequestUsage(prompt_tokens=used[0], completion_tokens=used[1])
        self._usage = add_usage(self._usage, usage)
        return CreateResult(
            finish_reason=reply.finish_reason,
            content=reply.text,
            usage=usage,
            cached=False,
            logprobs=None
            if reply.logprobs is None
            else [_to_autogen(logprob) for logprob in reply.logprobs],
        )

    async def stream(self, request: CallRequest) -> AsyncGenerator[str | CreateResult, None]:
        """Return the reply word by word, then the result."""
        result = await self.reply(request)
        for word in str(result.content).split(" "):
            yield word + " "
        yield result

    def _record_prompt(
        self, messages: Sequence[LLMMessage], sampling: Mapping[str, object]
    ) -> FakePrompt:
        text = "\n".join(str(message.content) for message in messages)
        key = f"{sorted(sampling.items())}\n{text}"
        self._calls[key] += 1
        prompt = FakePrompt(
            messages=tuple(messages),
            text=text,
            sampling=dict(sampling),
            attempt=self._calls[key],
        )
        self.prompts.append(prompt)
        return prompt

    def _answer(self, prompt: FakePrompt) -> str | FakeReply | BaseException:
        if callable(self._replies):
            return self._replies(prompt)
        return next(
            (reply for part, reply in self._replies.items() if part in prompt.text), self._default
        )

    async def close(self) -> None:
        """Note that the client was closed."""
        self.closed = True

    def total_usage(self) -> RequestUsage:
        """Return the tokens of all replies."""
        return self._usage

    def count_tokens(
        self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()
    ) -> int:
        """Estimate the tokens of a prompt."""
        return estimate_tokens("\n".join(str(message.content) for message in messages))

    def remaining_tokens(
        self, messages: Sequence[LLMMessage], *, tools: Sequence[Tool | ToolSchema] = ()
    ) -> int:
        """Return the tokens left of a context of a million."""
        return 1_000_000 - self.count_tokens(messages)

    @property
    def model_info(self) -> ModelInfo:
        """Return the capabilities of the fake model."""
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


def _to_autogen(token: TokenLogprob) -> ChatCompletionTokenLogprob:
    return ChatCompletionTokenLogprob(
        token=token.token,
        logprob=token.logprob,
        bytes=list(token.token.encode()),
        # AutoGen names alternatives by their bytes only.
        top_logprobs=[
            TopLogprob(logprob=logprob, bytes=list(text.encode())) for text, logprob in token.top
        ],
    )
