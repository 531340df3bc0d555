"""The same discussion in other hands: what `engine.py` is measured against.

Every rival plays two private reviews and four turns with a model that answers at once or after a
pause, and reads a verdict out of every reply with one regular expression.
"""

from __future__ import annotations

import asyncio
import importlib.util
import io
import logging
import random
import re
import tempfile
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import redirect_stderr, redirect_stdout
from itertools import cycle
from typing import Any

from peerjudge.data import Answer, Comparison, Question

CALLS = 6
AT_A_TIME = 64

Model = Callable[[object], Awaitable[str]]
Play = Callable[[Sequence[Comparison], float, int], Awaitable[None]]
"""Plays these comparisons, with this latency, so many at a time."""

_VERDICT = re.compile(r"([12])\W*$")
_WORDS = (
    "the",
    "sky",
    "light",
    "air",
    "waves",
    "scatter",
    "blue",
    "because",
    "better",
    "clear",
    "claim",
)


def texts(seed: int, count: int, words: int) -> list[str]:
    """So many texts of so many words."""
    draw = random.Random(seed)  # noqa: S311  texts, not secrets
    return [" ".join(draw.choices(_WORDS, k=words)).capitalize() + "." for _ in range(count)]


def comparisons(count: int) -> list[Comparison]:
    """Different questions with two answers of a hundred words each."""
    answers = texts(1, 2 * count, 100)
    return [
        Comparison(
            id=f"c{n}",
            question=Question(id=f"q{n}", text=f"Question {n}: why is the sky blue?"),
            answers=(
                Answer(id="a", text=answers[2 * n], author="x"),
                Answer(id="b", text=answers[2 * n + 1], author="y"),
            ),
        )
        for n in range(count)
    ]


def replies() -> Callable[[], str]:
    """Replies of sixty words that end as they are asked to, one after the other."""
    said = texts(2, 997, 60)
    return cycle(f"{text}\n\n{n % 2 + 1}" for n, text in enumerate(said)).__next__


def model(latency: float) -> Model:
    """A model that gives others their turn, as every call does, and then answers."""
    reply = replies()

    async def call(messages: object) -> str:
        await asyncio.sleep(latency)
        return reply()

    return call


def read(text: str) -> int | None:
    """The verdict at the end of a reply."""
    found = _VERDICT.search(text)
    return int(found[1]) if found else None


def asked(comparison: Comparison) -> str:
    """The question and its answers."""
    one, two = comparison.answers
    return (
        f"{comparison.question.text}\n\nAnswer 1:\n{one.text}\n\nAnswer 2:\n{two.text}\n\n"
        "Which is better? End with the number 1 or 2."
    )


async def in_parallel(
    plan: Iterable[Comparison], play: Callable[[Comparison], Awaitable[object]], at_a_time: int
) -> None:
    """Play every comparison, so many at a time."""
    waiting = iter(plan)

    async def work() -> None:
        for comparison in waiting:
            await play(comparison)

    async with asyncio.TaskGroup() as group:
        for _ in range(at_a_time):
            group.create_task(work())


async def plain(plan: Sequence[Comparison], latency: float, at_a_time: int) -> None:
    """A loop that keeps both histories and reads the opinions, and does nothing else."""
    call = model(latency)

    async def play(comparison: Comparison) -> list[int | None]:
        system = {"role": "system", "content": "You are a careful and fair reviewer."}
        ask = {"role": "user", "content": asked(comparison)}
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


def _client(latency: float) -> Any:  # noqa: ANN401  AutoGen is imported only where it is measured
    from autogen_core.models import (
        ChatCompletionClient,
        CreateResult,
        ModelCapabilities,
        ModelInfo,
        RequestUsage,
    )

    call = model(latency)

    class Fake(ChatCompletionClient):
        """Answers, and counts nothing."""

        async def create(self, messages: object, **_: object) -> CreateResult:
            return CreateResult(
                finish_reason="stop",
                content=await call(messages),
                usage=RequestUsage(prompt_tokens=0, completion_tokens=0),
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


async def assistants(plan: Sequence[Comparison], latency: float, at_a_time: int) -> None:
    """AutoGen's AssistantAgents, called one after the other."""
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.messages import TextMessage
    from autogen_core import CancellationToken

    client = _client(latency)

    async def play(comparison: Comparison) -> list[int | None]:
        agents = [AssistantAgent(name, model_client=client) for name in ("leader", "follower")]
        ask = TextMessage(content=asked(comparison), source="user")
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


async def round_robin(plan: Sequence[Comparison], latency: float, at_a_time: int) -> None:
    """AutoGen's RoundRobinGroupChat, a new team for every discussion."""
    from autogen_agentchat.agents import AssistantAgent
    from autogen_agentchat.conditions import MaxMessageTermination
    from autogen_agentchat.messages import TextMessage
    from autogen_agentchat.teams import RoundRobinGroupChat

    logging.getLogger("autogen_core").setLevel(logging.ERROR)
    client = _client(latency)

    async def play(comparison: Comparison) -> list[int | None]:
        agents = [AssistantAgent(name, model_client=client) for name in ("leader", "follower")]
        team = RoundRobinGroupChat(
            [*agents], termination_condition=MaxMessageTermination(CALLS + 1)
        )
        result = await team.run(task=asked(comparison))
        said = [message for message in result.messages[1:] if isinstance(message, TextMessage)]
        assert len(said) == CALLS
        return [read(message.content) for message in said]

    await in_parallel(plan, play, at_a_time)


async def inspect(plan: Sequence[Comparison], latency: float, at_a_time: int) -> None:
    """Inspect AI with its mock model and without its sample log; needs the package."""
    from inspect_ai import Task, eval_async, task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import solver

    reply = replies()

    @solver
    def discussion() -> Any:  # noqa: ANN401  Inspect's solvers are untyped functions
        async def solve(state: Any, generate: Any) -> Any:  # noqa: ANN401
            for _ in range(CALLS):
                if latency:
                    await asyncio.sleep(latency)
                state = await generate(state)
                read(state.output.completion)
                state.messages.append(ChatMessageUser(content="What do you say now?"))
            return state

        return solve

    @task
    def judging() -> Task:
        return Task(dataset=[Sample(input=asked(each)) for each in plan], solver=discussion())

    def outputs() -> Iterator[ModelOutput]:
        while True:
            output = ModelOutput.from_content("mockllm/model", reply())
            # Else it would load a vocabulary to count tokens.
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            yield output

    with (
        tempfile.TemporaryDirectory() as folder,
        redirect_stdout(io.StringIO()),
        redirect_stderr(io.StringIO()),
    ):
        (log,) = await eval_async(
            judging(),
            model=get_model("mockllm/model", custom_outputs=outputs(), memoize=False),
            max_samples=at_a_time,
            max_connections=at_a_time,
            log_samples=False,
            log_dir=folder,
        )
    if log.status != "success":
        raise RuntimeError(log.status)


def rivals() -> Mapping[str, Play | None]:
    """Who is measured, slowest last; `None` for those who are not installed."""
    installed = importlib.util.find_spec("inspect_ai") is not None
    return {
        "AssistantAgent": assistants,
        "RoundRobinGroupChat": round_robin,
        "Inspect AI": inspect if installed else None,
    }
