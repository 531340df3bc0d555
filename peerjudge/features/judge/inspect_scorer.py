"""Scorer for Inspect: a discussion compares a model's output with the target, or with another log."""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportUntypedFunctionDecorator=false
# inspect-ai is an extra, so type checkers need not find it.

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any

from inspect_ai.log import read_eval_log_async
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    PARTIAL,
    Score,
    Scorer,
    Target,
    accuracy,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from peerjudge.data import TIE, Outcome
from peerjudge.errors import ExperimentError
from peerjudge.features.judge.judgements import Judgement
from peerjudge.features.judge.opened import Judge, JudgingFailedError, LimitReachedError

TARGET = "target"
"""Value of `against` that compares with the target of the sample."""

_REASONS = {
    Outcome.INCONSISTENT: "inconsistent",
    Outcome.UNREADABLE: "grader_failed",
    Outcome.REFUSED: "grader_failed",
}


@scorer(metrics=[accuracy(), stderr()])
def discussed(
    by: str | list[str],
    against: str = TARGET,
    out: str | None = None,
    criteria: list[str] | str | None = None,
    settings: dict[str, str] | None = None,
    cost_limit: float | None = None,
    token_limit: int | None = None,
    max_connections: int = 10,
    seed: int | None = None,
) -> Scorer:
    """Score outputs by a discussion that compares each with another answer, in both orders.

    A better output is `C`, a worse one `I`, a tie `P`. Without a readable verdict, with orders that
    disagree, or after a failed call or a limit, the sample is unscored and the reason is recorded.

    Args:
        by: Judge, as for `peerjudge.judge`. A list is joined by commas, as Inspect's `-S` splits at them.
        against: `target`, or the path of a log whose output for the same sample and epoch is compared.
        out: Folder that keeps the discussions; scoring a log again then costs nothing.
        criteria: Criteria in place of those of the prompt pack.
        settings: Settings of the judge.
        cost_limit: Limit in USD on the judgements in the folder.
        token_limit: Limit on the tokens of the judgements in the folder.
        max_connections: Most comparisons judged at a time.
        seed: Seed of simulated reviewers.
    """
    shared = SharedJudge(
        partial(
            Judge.open,
            by if isinstance(by, str) else ",".join(by),
            out=out,
            settings=settings,
            cost_limit=cost_limit,
            token_limit=token_limit,
            max_connections=max_connections,
            seed=seed,
        )
    )
    named = [criteria] if isinstance(criteria, str) else criteria or []
    outputs: dict[tuple[str, int], str] = {}

    async def score(state: TaskState, target: Target) -> Score:
        _require_asyncio()
        if against != TARGET and not outputs:
            outputs.update(await _read_outputs(against))
        other = _find_other(state, target, against, outputs)
        if other is None:
            where = f"{against} has no output for sample {state.sample_id!r}, epoch {state.epoch}"
            return Score.unscored(
                reason="scoring_failed",
                explanation="the sample has no target" if against == TARGET else where,
            )
        answers = {"output": state.output.completion, "other": other}
        try:
            async with shared.use() as judge:
                judgement = await judge.judge(state.input_text, answers, criteria=named)
        except JudgingFailedError as error:
            return Score.unscored(reason="grader_failed", explanation=str(error))
        except LimitReachedError as error:
            return Score.unscored(reason="scoring_failed", explanation=str(error))
        return build_score(judgement)

    return score


def build_score(judgement: Judgement) -> Score:
    """Return the score of the first answer; unscored where the verdict is no choice and no tie."""
    metadata = {"peerjudge": judgement.document()}
    if not judgement.readable:
        return Score.unscored(
            reason=_REASONS[judgement.verdict.outcome],
            explanation=judgement.transcript,
            metadata=metadata,
        )
    value = PARTIAL if judgement.verdict == TIE else CORRECT if judgement.index == 0 else INCORRECT
    return Score(value=value, explanation=judgement.transcript, metadata=metadata)


def _find_other(
    state: TaskState, target: Target, against: str, outputs: Mapping[tuple[str, int], str]
) -> str | None:
    if against == TARGET:
        return target.text or None
    return outputs.get((str(state.sample_id), state.epoch))


async def _read_outputs(log: str) -> dict[tuple[str, int], str]:
    """Return the outputs of a log by id and epoch of their samples."""
    found: Any = await read_eval_log_async(log, resolve_attachments=True)
    outputs = {
        (str(sample.id), int(sample.epoch)): str(sample.output.completion)
        for sample in found.samples or []
        if sample.error is None
    }
    if not outputs:
        msg = f"log {log} has no samples with an output; choose a log that was not stopped before"
        raise ExperimentError(msg)
    return outputs


def _require_asyncio() -> None:
    import sniffio

    if (library := sniffio.current_async_library()) != "asyncio":
        msg = f"discussions run on asyncio, not on {library}; unset INSPECT_ASYNC_BACKEND"
        raise ExperimentError(msg)


class SharedJudge:
    """A judge for a scorer, which cannot close it: opened by its first user, closed after the last.

    A task of its own opens and closes the judge, because users come and go in tasks of theirs. A judge
    that is opened again waits until the earlier one has closed its store.

    Args:
        open_judge: Opens the judge.
    """

    def __init__(self, open_judge: Callable[[], AbstractAsyncContextManager[Judge]]) -> None:
        self._open_judge = open_judge
        self._users = 0
        self._ready: asyncio.Future[Judge] | None = None
        self._unused = asyncio.Event()
        self._owner: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def use(self) -> AsyncGenerator[Judge]:
        """Yield the judge; raises the error with which it could not be opened."""
        loop = asyncio.get_running_loop()
        if self._owner is not None and self._owner.get_loop() is not loop:
            self._owner = None  # It belongs to a loop that has ended, and so has ended as well.
            self._users = 0
        if not self._users or self._ready is None:
            self._ready, self._unused = loop.create_future(), asyncio.Event()
            work = self._own(self._owner, self._ready, self._unused)
            self._owner = loop.create_task(work)
        self._users += 1
        ready, unused, owner = self._ready, self._unused, self._owner
        try:
            yield await asyncio.shield(ready)
        finally:
            self._users -= 1
            if not self._users:
                unused.set()
                if owner is not None:
                    await asyncio.shield(owner)

    async def _own(
        self,
        earlier: asyncio.Task[None] | None,
        ready: asyncio.Future[Judge],
        unused: asyncio.Event,
    ) -> None:
        if earlier is not None:
            await asyncio.wait({earlier})
        try:
            async with self._open_judge() as judge:
                ready.set_result(judge)
                await unused.wait()
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)
