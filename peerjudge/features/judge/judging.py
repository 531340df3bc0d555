"""`judge`: the verdict of a discussion on one comparison, in one call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import ParamSpec

from peerjudge.data import Condition, Experiment, Question
from peerjudge.data.arguments import check_arguments
from peerjudge.errors import ExperimentError
from peerjudge.features.judge.judgements import GivenAnswers, Judgement
from peerjudge.features.judge.opened import Judge
from peerjudge.runs.blocking import block
from peerjudge.shelf import Shelf

P = ParamSpec("P")


@check_arguments
async def judge(
    question: str | Question,
    answers: GivenAnswers,
    *,
    by: str | Path | Experiment | Condition,
    criteria: Sequence[str] = (),
    reference: str = "",
    out: str | Path | None = None,
    store: str | None = None,
    cache: str | Path | None = None,
    seed: int | None = None,
    settings: Mapping[str, str] | None = None,
    seats: Mapping[str, str] | None = None,
    max_connections: int = 10,
    cost_limit: float | None = None,
    token_limit: int | None = None,
    deadline: float | None = None,
    shelf: Shelf | None = None,
    environ: Mapping[str, str] | None = None,
) -> Judgement:
    """Judge which of two, three or four answers is the best, in every order that the judge declares.

    By default that is both orders of two answers and every rotation of more, so that a preference for a
    place is seen as `INCONSISTENT`. The same call into the same place plays nothing and costs nothing.
    Without a place, replies of models are kept in the user's cache.

    Args:
        question: The question or task.
        answers: The answers, as texts, or as texts by author.
        by: A card (one judge alone), `PROTOCOL:CARD,CARD,...`, an experiment, `EXPERIMENT#CONDITION`, an
            `Experiment` or a `Condition`. An experiment with several conditions needs one named.
        criteria: Criteria in place of those of the prompt pack, the most important first.
        reference: A correct answer, for a judge whose prompt pack shows reference answers, such as
            `open_chat_reference`.
        out: Folder that keeps the discussions, readable like that of a run; by default a temporary one.
        store: As for `run`, like the arguments after it.
        cache: See `store`.
        seed: See `store`.
        settings: See `store`.
        seats: See `store`.
        max_connections: See `store`.
        cost_limit: Limit in USD on all judgements and runs in the place.
        token_limit: Limit on tokens of all judgements and runs in the place.
        deadline: Time after which a discussion fails. [s]
        shelf: See `store`.
        environ: See `store`.

    Raises:
        PeerJudgeError: Usage or configuration error.
        LimitReachedError: A limit left out a discussion; stored turns are kept.
        JudgingFailedError: A call failed for good; stored turns are kept.

    Example:
        >>> pair = ["It is 4.", "It is 5."]
        >>> found = asyncio.run(pj.judge("What is 2 + 2?", pair, by="leader_follower:sim_strong,sim_weak"))
        >>> found.readable, len(found.discussions)
        (True, 2)
    """
    async with Judge.open(
        by,
        out=out,
        store=store,
        cache=cache,
        seed=seed,
        settings=settings,
        seats=seats,
        max_connections=max_connections,
        cost_limit=cost_limit,
        token_limit=token_limit,
        deadline=deadline,
        shelf=shelf,
        environ=environ,
    ) as opened:
        return await opened.judge(question, answers, criteria=criteria, reference=reference)


def _refuse_in_loop(work: Callable[P, Judgement]) -> Callable[P, Judgement]:
    """Return a function that does the same where no event loop runs in this thread, and else refuses."""

    @wraps(work)
    def call(*args: P.args, **kwargs: P.kwargs) -> Judgement:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return work(*args, **kwargs)
        msg = (
            "judge_sync would stop the event loop that runs in this thread until the discussions have "
            "ended; write `await peerjudge.judge(...)` instead"
        )
        raise ExperimentError(msg)

    return call


judge_sync = _refuse_in_loop(block(judge))
"""`judge`, which returns its judgement; where an event loop runs, use `await judge(...)`."""
