"""The same discussion played by a plain loop and by AutoGen.

Each plays the study of `study.py` with the same model, and reads the verdict of each reply with one
regular expression. Inspect AI is in a separate file.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from study import CALLS, Pair, asked, model, read

__all__ = ["RIVALS", "Play", "fake_client", "plain"]

Play = Callable[[Sequence[Pair], float, int], Awaitable[None]]
"""Plays a discussion of each pair, given the latency and the number at a time."""


async def in_parallel(
    plan: Iterable[Pair], play: Callable[[Pair], Awaitable[object]], at_a_time: int
) -> None:
    """Play every pair, some at a time."""
    waiting = iter(plan)

    async def work() -> None:
        for pair in waiting:
            await play(pair)

    async with asyncio.TaskGroup() as group:
        for _ in range(at_a_time):
            group.create_task(work())


async def plain(plan: Sequence[Pair], latency: float, at_a_time: int) -> None:
    """Play with a plain loop that keeps both histories and reads the verdicts."""
    call = model(latency)

    async def play(pair: Pair) -> list[int | None]:
        system = {"role": "system", "content": "You are a careful and fair reviewer."}
        ask = {"role": "user", "content": asked(pair)}
        histories: tuple[list[dict[str, str]], ...] = ([system, ask], [system, ask])
        opinions: list[int | None] = []
        for turn in range(CALLS):
            own, other = histories[turn % 2], histories[1 - turn % 2]
            text = await call(own)
            opinions.append(read(text))
            own.append({"role": "assistant", "content": text})
            other.append({"role": "user", "content": f"The other reviewer said:\n{text}"})
        return opinions

    await in_parallel(plan, play, at_a_time)


def fake_client(latency: float) -> Any:  # noqa: ANN401  AutoGen is imported only where it is measured
    """Return a model client of AutoGen for the scripted model."""
    from autogen_core.models import (
        ChatCompletionClient,
        CreateResult,
        ModelCapabilities,
        ModelInfo,
        RequestUsage,
    )

    call = model(latency)

    class Fake(ChatCompletionClient):
        """Replies with usage, as servers do."""

        async def create(self, messages: object, **_: object) -> CreateResult:
            return CreateResult(
                finish_reason="stop",
                content=await call(messages),
                usage=RequestUsage(prompt_tokens=500, completion_tokens=60),
                cached=False,
            )

        async def create_stream(self, *_: object, **__: object) -> AsyncGenerator[str, None]:
            raise NotImplementedError
            yield ""

        async def close(self) -> None:
            pass

        def actual_usage(self) -> RequestUsage:
            return RequestUsage(prompt_tokens=0, completion_tokens=0)

        total_usage = actual_usage

        def count_tokens(self, *_: object, **__: object) -> int:
            return 0

        def remaining_tokens(self, *_: object, **__: object) -> int:
            return 100_000

        @property
        def capabilities(self) -> ModelCapabilities:
            return ModelCapabilities(vision=False, function_calling=False, json_output=False)

        @property
        def model_info(self) -> ModelInfo:
            return ModelInfo(
                vision=False,
                function_calling=False,
                json_output=False,
                family="unknown",
                structured_output=False,
            )

    return Fake()


async def assistants(plan: Sequence[Pair], latency: float, at_a_time: int) -> None:
    """Play with AutoGen's AssistantAgents, called in turn."""
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.messages import TextMessage
    from autogen_core import CancellationToken

    client = fake_client(latency)

    async def play(pair: Pair) -> list[int | None]:
        agents = [AssistantAgent(name, model_client=client) for name in ("leader", "follower")]
        ask = TextMessage(content=asked(pair), source="user")
        unheard: list[list[TextMessage]] = [[ask], [ask]]
        opinions: list[int | None] = []
        for turn in range(CALLS):
            heard, unheard[turn % 2] = unheard[turn % 2], []
            response = await agents[turn % 2].on_messages(heard, CancellationToken())
            said = response.chat_message
            assert isinstance(said, TextMessage)
            opinions.append(read(said.content))
            unheard[1 - turn % 2].append(said)
        return opinions

    await in_parallel(plan, play, at_a_time)


async def round_robin(plan: Sequence[Pair], latency: float, at_a_time: int) -> None:
    """Play with AutoGen's RoundRobinGroupChat, a new team per discussion."""
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.conditions import MaxMessageTermination
    from autogen_agentchat.messages import TextMessage
    from autogen_agentchat.teams import RoundRobinGroupChat

    logging.getLogger("autogen_core").setLevel(logging.ERROR)
    client = fake_client(latency)

    async def play(pair: Pair) -> list[int | None]:
        agents = [AssistantAgent(name, model_client=client) for name in ("leader", "follower")]
        team = RoundRobinGroupChat(
            [*agents], termination_condition=MaxMessageTermination(CALLS + 1)
        )
        result = await team.run(task=asked(pair))
        said = [message for message in result.messages[1:] if isinstance(message, TextMessage)]
        assert len(said) == CALLS
        return [read(message.content) for message in said]

    await in_parallel(plan, play, at_a_time)


RIVALS: Mapping[str, Play] = {
    "plain": plain,
    "AssistantAgent": assistants,
    "RoundRobinGroupChat": round_robin,
}
"""The other engines in this process, fastest first."""
