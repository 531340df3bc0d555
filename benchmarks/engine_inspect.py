"""Inspect AI with its mock model, measured in any Python that has it.

    PYTHON benchmarks/engine_inspect.py DISCUSSIONS

prints the process time per turn [microseconds]. `engine.py` runs it with the Python named by
`--inspect-python`, by the variable PEERJUDGE_INSPECT_PYTHON, or with its own if that has Inspect.
"""

from __future__ import annotations

import asyncio
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from study import AT_A_TIME, CALLS, Pair, asked, pairs, read, replies

__all__ = ["cpu_of_inspect", "python_with_inspect"]

_WARM_UP = 4


def python_with_inspect(named: str | None) -> str | None:
    """Return the Python in which Inspect is measured, if there is one."""
    if named := named or os.environ.get("PEERJUDGE_INSPECT_PYTHON"):
        return named
    return sys.executable if importlib.util.find_spec("inspect_ai") else None


def cpu_of_inspect(python: str, discussions: int) -> float:
    """Return the process time per turn in microseconds, measured in a separate process."""
    command = [python, str(Path(__file__).resolve()), str(discussions)]
    found = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  ours
    return float(found.stdout)


async def play(plan: Sequence[Pair]) -> None:
    """Play the discussions without Inspect's log of samples, which is most of its cost."""
    from inspect_ai import Task, eval_async, task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import solver

    reply = replies()

    @solver
    def discussion() -> Any:  # noqa: ANN401  Inspect's solvers are untyped functions
        async def solve(state: Any, generate: Any) -> Any:  # noqa: ANN401
            for _ in range(CALLS):
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
            # Without usage it would load a vocabulary to count tokens.
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
            max_samples=AT_A_TIME,
            max_connections=AT_A_TIME,
            log_samples=False,
            log_dir=folder,
        )
    if log.status != "success":
        raise RuntimeError(log.status)


async def measure(discussions: int) -> float:
    """Return the process time per turn in microseconds, without setup."""
    plan = pairs(discussions)
    await play(plan[:_WARM_UP])
    start = time.process_time()
    await play(plan)
    return (time.process_time() - start) / (discussions * CALLS) * 1e6


if __name__ == "__main__":
    print(asyncio.run(measure(int(sys.argv[1]))))
