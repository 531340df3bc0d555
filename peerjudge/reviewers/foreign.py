"""Asks one AutoGen agent or team once: drained to the end, bounded in time, cancelled at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, TypeVar

from autogen_agentchat.base import ChatAgent, Response, Team
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, TextMessage
from autogen_core import CancellationToken

from peerjudge.reviewers.failures import AgentCancelledError, NoResponseError, TeamFailedError
from peerjudge.reviewers.messages import MODERATOR

__all__ = ["Said", "ask_agent", "ask_team", "cancellable", "staying", "within"]

T = TypeVar("T")
Said = tuple[BaseChatMessage, Sequence[BaseAgentEvent | BaseChatMessage]]
"""The message that counts, and those on the way to it."""

_GRACE = 0.5
"""Seconds that something cancelled is given to end; group chats may take any time they like."""

_STOPPED = "The group chat is stopped."


async def ask_agent(agent: ChatAgent, text: str) -> Said:
    """Put one message to an agent that has forgotten everything before.

    Raises:
        NoResponseError: The agent ended without a response, or tried to end the program.
        AgentCancelledError: The agent cancelled itself.
        Exception: Whatever the agent raised.
    """

    async def ask(token: CancellationToken) -> Said:
        try:
            return await listen(token)
        except AttributeError as cause:
            # AutoGen looks into whatever an agent returns as if it were a response.
            if cause.name != "inner_messages" or isinstance(cause.obj, Response):
                raise
            msg = f"agent {agent.name!r} returned {cause.obj!r:.80}, which is no response"
            raise NoResponseError(msg) from cause

    async def listen(token: CancellationToken) -> Said:
        await agent.on_reset(token)
        inner: list[BaseAgentEvent | BaseChatMessage] = []
        response: Response | None = None
        task = TextMessage(content=text, source=MODERATOR)
        stream = agent.on_messages_stream([task], token)
        # Drained to the end: what an agent does after its response is part of its turn.
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

    return await cancellable(ask, who=agent.name)


async def ask_team(team: Team, text: str, *, reset: bool) -> Said:
    """Put one message to a team; the last message of the team is its reply.

    Raises:
        NoResponseError: The team ended without a message.
        TeamFailedError: A group chat failed; its error is text by then, as AutoGen has it.
        AgentCancelledError: The team cancelled itself.
    """

    async def ask(token: CancellationToken) -> Said:
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
        said = [message for message in result.messages if isinstance(message, BaseChatMessage)]
        if not said:
            msg = f"team {team.name!r} ended without a message ({result.stop_reason})"
            raise NoResponseError(msg)
        return said[-1], result.messages[:-1]

    return await cancellable(ask, who=team.name)


@asynccontextmanager
async def within(seconds: float, *, who: str) -> AsyncGenerator[None]:
    """Let a turn take so long; raises `TimeoutError` with a sentence where it takes longer."""
    bound = asyncio.timeout(seconds)
    try:
        async with bound:
            yield
    except TimeoutError as cause:
        if not bound.expired():
            raise
        msg = f"{who!r} did not end its turn within {seconds:g} s"
        raise TimeoutError(msg) from cause


async def cancellable(
    work: Callable[[CancellationToken], Coroutine[Any, Any, T]], *, who: str
) -> T:
    """The result of work that takes AutoGen's token, stopped for good when this is cancelled.

    A group chat whose task is cancelled makes all its remaining calls first; its token stops it.
    """
    token = CancellationToken()
    task = asyncio.create_task(staying(work(token), who=who))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError as cause:
        current = asyncio.current_task()
        if current is not None and current.cancelling() == 0 and task.done():
            msg = f"{who!r} cancelled its own turn"
            raise AgentCancelledError(msg) from cause
        token.cancel()
        task.cancel()
        await asyncio.wait({task}, timeout=_GRACE)
        raise
    finally:
        if task.done() and not task.cancelled():
            task.exception()  # Seen, even when somebody else's failure came first.


async def staying(work: Awaitable[T], *, who: str) -> T:
    """The result of somebody else's work; `NoResponseError` where that would end the program."""
    try:
        return await work
    except SystemExit as cause:
        msg = f"{who!r} tried to end the program (exit code {cause.code})"
        raise NoResponseError(msg) from cause
