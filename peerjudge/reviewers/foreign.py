"""Turns of foreign AutoGen agents and teams: bounded in time, and cancelled at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any, TypeVar

from autogen_agentchat.base import ChatAgent, Response, Team
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, TextMessage
from autogen_core import CancellationToken

from peerjudge.reviewers.messages import MODERATOR

T = TypeVar("T")
AgentReply = tuple[BaseChatMessage, Sequence[BaseAgentEvent | BaseChatMessage]]
"""The reply, and the messages before it."""

_GRACE = 0.5
"""Seconds for a cancelled turn to end, as group chats may take any time."""

_STOPPED = "The group chat is stopped."


class NoResponseError(Exception):
    """Turn of an agent or team without a message. An empty message is a reply."""


class AgentCancelledError(Exception):
    """Cancellation raised by an agent itself, without a request to cancel."""


class TeamFailedError(Exception):
    """Failure of a group chat, which reports its cause as text only and cannot be used again."""


async def ask_agent(agent: ChatAgent, text: str) -> AgentReply:
    """Return the reply of an agent to one message, after a reset.

    Raises:
        NoResponseError: The agent ended without a response, or tried to end the program.
        AgentCancelledError: The agent cancelled itself.
        Exception: The agent's own error.
    """

    async def ask(token: CancellationToken) -> AgentReply:
        try:
            return await listen(token)
        except AttributeError as cause:
            # AutoGen reads attributes of the returned value without a check of its type.
            if cause.name != "inner_messages" or isinstance(cause.obj, Response):
                raise
            msg = f"agent {agent.name!r} returned {cause.obj!r:.80}, which is no response"
            raise NoResponseError(msg) from cause

    async def listen(token: CancellationToken) -> AgentReply:
        await agent.on_reset(token)
        inner: list[BaseAgentEvent | BaseChatMessage] = []
        response: Response | None = None
        task = TextMessage(content=text, source=MODERATOR)
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
        return response.chat_message, inner

    return await run_cancellable(ask, name=agent.name)


async def ask_team(team: Team, text: str, *, reset: bool) -> AgentReply:
    """Return the last message of a team's run on one message.

    Raises:
        NoResponseError: The team ended without a message.
        TeamFailedError: A group chat failed; AutoGen passes its error on as text.
        AgentCancelledError: The team cancelled itself.
    """

    async def ask(token: CancellationToken) -> AgentReply:
        if reset:
            await team.reset()
        task = [TextMessage(content=text, source=MODERATOR)]
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
        return messages[-1], result.messages[:-1]

    return await run_cancellable(ask, name=team.name)


async def run_cancellable(
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
