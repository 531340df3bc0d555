"""Turns of foreign AutoGen agents and teams, cancelled at once, and what they say before the reply."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing
from typing import Any, TypeVar

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import ChatAgent, Response, Team
from autogen_agentchat.messages import (
    BaseAgentEvent,
    BaseChatMessage,
    ModelClientStreamingChunkEvent,
    TextMessage,
    ThoughtEvent,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
)
from autogen_core import CancellationToken
from autogen_core.model_context import UnboundedChatCompletionContext

from peerjudge.data import InnerKind, InnerMessage, Message, Usage, Utterance
from peerjudge.reviewers.agent import ReviewerAgent
from peerjudge.reviewers.asking import NoResponseError
from peerjudge.reviewers.messages import MODERATOR, flatten_prompt, parse_logprobs, to_llm_messages

T = TypeVar("T")

_GRACE = 0.5
"""Seconds for a cancelled turn to end, as group chats may take any time."""

_STOPPED = "The group chat is stopped."


class AgentCancelledError(Exception):
    """Cancellation raised by an agent itself, without a request to cancel."""


class TeamFailedError(Exception):
    """Failure of a group chat, which reports its cause as text only and cannot be used again."""


async def ask_agent(agent: ChatAgent, prompt: Sequence[Message]) -> Utterance:
    """Return the reply of an agent to a prompt, after a reset.

    An agent whose context holds any number of messages gets the prompt as it is: the system message after
    its own, its earlier turns as its own words. Any other agent gets it as one message.

    Raises:
        NoResponseError: The agent ended without a response, or tried to end the program.
        AgentCancelledError: The agent cancelled itself.
        Exception: The agent's own error.
    """

    async def ask(token: CancellationToken) -> Utterance:
        try:
            return await listen(token)
        except AttributeError as cause:
            # AutoGen reads attributes of the returned value without a check of its type.
            if cause.name != "inner_messages" or isinstance(cause.obj, Response):
                raise
            msg = f"agent {agent.name!r} returned {cause.obj!r:.80}, which is no response"
            raise NoResponseError(msg) from cause

    async def listen(token: CancellationToken) -> Utterance:
        await agent.on_reset(token)
        task = await _brief(agent, prompt)
        inner: list[BaseAgentEvent | BaseChatMessage] = []
        response: Response | None = None
        stream = agent.on_messages_stream([task], token)
        # Read to the end: work after the response is part of the turn.
        async with aclosing(stream):
            async for event in stream:
                if isinstance(event, Response):
                    response = event
                else:
                    inner.append(event)
        if response is None:
            msg = f"agent {agent.name!r} ended its turn without a response"
            raise NoResponseError(msg)
        return _build_reply(response.chat_message, inner)

    return await _run_cancellable(ask, name=agent.name)


async def _brief(agent: ChatAgent, prompt: Sequence[Message]) -> TextMessage:
    """Return the message of a turn, after those before it are added to the agent's context."""
    text = flatten_prompt(prompt)
    # A context with a bound would lose the beginning of the prompt.
    if isinstance(agent, AssistantAgent | ReviewerAgent) and isinstance(
        agent.model_context, UnboundedChatCompletionContext
    ):
        *before, last = prompt
        text = last.text
        for message in to_llm_messages(before):
            await agent.model_context.add_message(message)
    return TextMessage(content=text, source=MODERATOR)


async def ask_team(team: Team, prompt: Sequence[Message]) -> Utterance:
    """Return the last message of a team's run on a prompt as one message, after a reset.

    Raises:
        NoResponseError: The team ended without a message.
        TeamFailedError: A group chat failed; AutoGen passes its error on as text.
        AgentCancelledError: The team cancelled itself.
    """

    async def ask(token: CancellationToken) -> Utterance:
        await team.reset()
        task = [TextMessage(content=flatten_prompt(prompt), source=MODERATOR)]
        try:
            result = await team.run(task=task, cancellation_token=token, output_task_messages=False)
        except RuntimeError as cause:
            first = str(cause).partition("\n")[0]
            msg = f"team {team.name!r} failed: {first}"
            raise TeamFailedError(msg) from cause
        if result.stop_reason == _STOPPED:
            msg = (
                f"team {team.name!r} has failed before, and AutoGen cannot use it again: give a "
                "function that makes the team instead of the team"
            )
            raise TeamFailedError(msg)
        messages = [message for message in result.messages if isinstance(message, BaseChatMessage)]
        if not messages:
            msg = f"team {team.name!r} ended without a message ({result.stop_reason})"
            raise NoResponseError(msg)
        return _build_reply(messages[-1], result.messages[:-1])

    return await _run_cancellable(ask, name=team.name)


def _build_reply(
    message: BaseChatMessage, before: Sequence[BaseAgentEvent | BaseChatMessage]
) -> Utterance:
    """Return the reply in a message; what comes before it is inner talk, and its tokens count."""
    used = [one.models_usage for one in (*before, message) if one.models_usage is not None]
    return Utterance(
        text=message.to_text(),
        usage=Usage(
            prompt_tokens=sum(usage.prompt_tokens for usage in used),
            completion_tokens=sum(usage.completion_tokens for usage in used),
        ),
        model=message.metadata.get("peerjudge.model", ""),
        finish_reason=message.metadata.get("peerjudge.finish_reason", "stop"),
        logprobs=parse_logprobs(message),
        inner=tuple(one for each in before for one in _read_inner(each)),
    )


def _read_inner(message: BaseAgentEvent | BaseChatMessage) -> Iterator[InnerMessage]:
    if isinstance(message, ModelClientStreamingChunkEvent):
        return  # The whole message follows.
    source = message.source
    if isinstance(message, ToolCallRequestEvent):
        for call in message.content:
            text = f"{call.name}({call.arguments})"
            yield InnerMessage(source=source, kind="tool call", text=text)
    elif isinstance(message, ToolCallExecutionEvent):
        for result in message.content:
            kind: InnerKind = "tool error" if result.is_error else "tool result"
            yield InnerMessage(source=source, kind=kind, text=f"{result.name}: {result.content}")
    else:
        kind = "thought" if isinstance(message, ThoughtEvent) else "message"
        yield InnerMessage(source=source, kind=kind, text=message.to_text())


async def _run_cancellable(
    work: Callable[[CancellationToken], Coroutine[Any, Any, T]], *, name: str
) -> T:
    """Return the result of work that takes AutoGen's token; cancelling stops it for good.

    A group chat whose task is cancelled makes all its remaining calls first; its token stops it.
    """
    token = CancellationToken()
    task = asyncio.create_task(refuse_exit(work(token), name=name))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError as cause:
        current = asyncio.current_task()
        if current is not None and current.cancelling() == 0 and task.done():
            msg = f"{name!r} cancelled its own turn"
            raise AgentCancelledError(msg) from cause
        token.cancel()
        task.cancel()
        await asyncio.wait({task}, timeout=_GRACE)
        raise
    finally:
        if task.done() and not task.cancelled():
            task.exception()  # marks it as retrieved when another error came first


async def refuse_exit(work: Awaitable[T], *, name: str) -> T:
    """Return the result of foreign work; raise `NoResponseError` for a `SystemExit`."""
    try:
        return await work
    except SystemExit as cause:
        msg = f"{name!r} tried to end the program (exit code {cause.code})"
        raise NoResponseError(msg) from cause
