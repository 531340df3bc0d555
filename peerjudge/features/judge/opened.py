"""A judge that stays open: comparisons are judged one by one, through one store, cache and budget."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import Context, copy_context
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from peerjudge.data import (
    Comparison,
    Condition,
    Dataset,
    Experiment,
    Question,
    ReviewerKind,
    StopReason,
    Transcript,
    replace as replace_noun,
    settle_orders,
)
from peerjudge.data.cleaning import clean_text
from peerjudge.errors import ExperimentError, PeerJudgeError
from peerjudge.features.judge.costs import CostBook
from peerjudge.features.judge.judgements import (
    FEWEST,
    MOST,
    GivenAnswers,
    Judgement,
    JudgementCost,
    build_comparison,
)
from peerjudge.features.judge.specs import JUDGED, build_judge
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.ledger import Ledger, record_calls
from peerjudge.runs.limits import Limits
from peerjudge.runs.manifest import record_manifest, require_own
from peerjudge.runs.playing import Player
from peerjudge.runs.resolve import Prepared, prepare
from peerjudge.runs.reviewers import open_reviewers
from peerjudge.runs.schedule import Part, PlainOrder, Plan, read_discussions
from peerjudge.shelf import Shelf
from peerjudge.store import Store

_MESSAGE_LENGTH = 300


class LimitReachedError(PeerJudgeError):
    """A limit on cost or tokens left out a discussion; `enough` is the lowest one that allows it.

    `cost` is that of what was played.
    """

    def __init__(self, message: str, *, enough: float | None) -> None:
        super().__init__(message)
        self.enough = enough
        self.cost = JudgementCost()


class JudgingFailedError(PeerJudgeError):
    """A call failed for good, so there is no verdict; stored turns are kept.

    `reason` names the reviewer that failed and its error; it is empty where the judge was closed. `cost` is
    that of what was played.
    """

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.cost = JudgementCost()


class Judge:
    """An open judge; `Judge.open` makes it.

    Several comparisons may be judged at the same time. Equal ones are played once.
    """

    def __init__(
        self,
        prepared: Prepared,
        store: Store,
        player: Player,
        limits: Limits,
        book: CostBook,
        *,
        by: str,
        place: str | None,
        max_connections: int,
    ) -> None:
        self.by = by
        self.place = place
        self._prepared = prepared
        self._store = store
        self._player = player
        self._limits = limits
        self._book = book
        self._connections = asyncio.Semaphore(max_connections)
        self._closing = False
        self._under_way: dict[tuple[str, ...], asyncio.Task[Judgement]] = {}
        # Calls are booked in the ledger of this context, also those for requests of a server.
        self._context: Context = copy_context()

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        by: str | Path | Experiment | Condition,
        *,
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
    ) -> AsyncGenerator[Self]:
        """Open a judge; arguments as for `peerjudge.judge`.

        Example:
            >>> async with pj.Judge.open("sim_strong", out="judged") as judge:
            ...     found = [await judge.judge(question, pair) for question, pair in pairs]
        """
        place = Place(out=out, store=store, cache=cache)
        bounds = Bounds(
            max_connections=max_connections,
            cost_limit=cost_limit,
            token_limit=token_limit,
            deadline=deadline,
        )
        shelf = shelf or Shelf()
        prepared = prepare_judge(by, seed=seed, settings=settings, seats=seats, shelf=shelf)
        bounds.require_prices(prepared.costs)
        folder = place.folder
        if folder is not None:
            require_own(folder, prepared.plan.experiment)
        async with AsyncExitStack() as stack:
            source = place.source
            if not source:
                # Without a named place, only the replies outlive the call, in the user's cache.
                source = stack.enter_context(TemporaryDirectory(prefix="peerjudge-"))
            opened = await stack.enter_async_context(Store.open(source))
            await stack.enter_async_context(opened.hold(prepared.run_id))
            reviewers = await stack.enter_async_context(
                open_reviewers(
                    prepared.plan.cast,
                    seed=prepared.plan.experiment.seed,
                    prices=prepared.costs.prices,
                    dataset=None,
                    shelf=shelf,
                    environ=os.environ if environ is None else environ,
                    cache=place.replies,
                )
            )
            manifest = {"run": prepared.run_id, **prepared.manifest}
            await record_manifest(opened, folder, manifest)
            ledger = await Ledger.open(opened, run=prepared.run_id, costs=prepared.costs)
            limits = Limits(
                cast=prepared.plan.cast, costs=prepared.costs, ledger=ledger, bounds=bounds
            )
            book = CostBook(ledger, prepared.costs)
            player = Player(
                prepared,
                opened,
                reviewers,
                limits,
                PlainOrder(()),
                observer=book,
                on_end=book.close,
                max_connections=max_connections,
            )
            stack.enter_context(record_calls(prepared.plan.cast, ledger))
            judge = cls(
                prepared,
                opened,
                player,
                limits,
                book,
                by=by if isinstance(by, str) else prepared.plan.experiment.name,
                place=place.name or None,
                max_connections=max_connections,
            )
            try:
                yield judge
            finally:
                await judge.cancel_all()

    @property
    def simulated(self) -> bool:
        """Whether some reviewer of the judge is simulated."""
        cast = self._prepared.plan.cast.values()
        return any(card.kind is ReviewerKind.SIMULATED for card in cast)

    async def judge(
        self,
        question: str | Question,
        answers: GivenAnswers,
        *,
        criteria: Sequence[str] = (),
        reference: str = "",
    ) -> Judgement:
        """Return the verdict on answers to a question; see `peerjudge.judge`."""
        comparison = build_comparison(question, answers, criteria=criteria, reference=reference)
        return await self.judge_comparison(comparison, criteria=criteria)

    async def judge_comparison(
        self, comparison: Comparison, *, criteria: Sequence[str] = ()
    ) -> Judgement:
        """Return the verdict on a comparison; see `peerjudge.judge`."""
        part = apply_criteria(self._choose_part(len(comparison.answers)), criteria)
        _require_reference_part(part, comparison)
        plan = replace(self._prepared.plan, parts=(part,), comparisons=(comparison,))
        key = tuple(head.id for head in plan)
        task = self._under_way.get(key)
        if task is None and self._closing:
            msg = "the judge is closed; open it again"
            raise JudgingFailedError(msg)
        if task is None:
            work = self._judge(plan, comparison)
            task = asyncio.get_running_loop().create_task(work, context=self._context.copy())
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key, None))
        # One of several equal requests may be cancelled; what is played is paid for, so it goes on.
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not (task.cancelled() and self._closing):
                raise
        msg = "the judge was closed before the discussions had ended; stored turns are kept"
        raise JudgingFailedError(msg)

    def _choose_part(self, answers: int) -> Part:
        fitting = [part for part in self._prepared.plan.parts if _takes(part, answers)]
        if not fitting:
            known = sorted({part.protocol.name for part in self._prepared.plan.parts})
            msg = (
                f"{self.by} cannot judge {answers} answers at once: protocol {' or '.join(known)} does "
                "not take them; judge by a protocol that does (panel, leader_follower, vote, n_way)"
            )
            raise ExperimentError(msg)
        return fitting[0]

    async def _judge(self, plan: Plan, comparison: Comparison) -> Judgement:
        found = await read_discussions(self._store, plan, (comparison,))
        cost = JudgementCost()
        if any(one.stop is not StopReason.COMPLETE for one in found) or len(found) < len(plan):
            async with self._connections:
                ids = {head.id for head in plan}
                try:
                    await self._player.play(plan, at_a_time=1)
                finally:
                    cost = self._book.take(ids)
                    for discussion in ids:
                        self._player.release(discussion)
            found = await read_discussions(self._store, plan, (comparison,))
        try:
            self._require_complete(plan, found)
        except (JudgingFailedError, LimitReachedError) as error:
            error.cost = cost
            raise
        return Judgement(
            comparison=comparison,
            by=self.by,
            verdict=settle_orders(found),
            transcripts=tuple(found),
            cost=cost,
            place=self.place,
        )

    def _require_complete(self, plan: Plan, transcripts: Sequence[Transcript]) -> None:
        ended = [one for one in transcripts if one.stop is StopReason.COMPLETE]
        if len(ended) == len(plan):
            return
        total = len(plan)
        for one in transcripts:
            if (failure := one.failure) is not None:
                reviewer = one.seat(failure.seat).reviewer
                reason = (
                    f"{reviewer} failed in turn {failure.turn}: {failure.kind}: "
                    f"{failure.message[:_MESSAGE_LENGTH]}"
                )
                msg = (
                    f"{total - len(ended)} of {total} discussions have no verdict: {reason}; stored turns "
                    "are kept, call again to resume"
                )
                raise JudgingFailedError(msg, reason=reason)
        stopped = self._limits.stopped or "limit"
        budget = self._limits.budget
        enough = None if budget is None else budget.enough
        needed = "" if enough is None else f" of {enough:.4g} or more"
        msg = (
            f"{total - len(ended)} of {total} discussions were not played: stopped at the {stopped}; stored "
            f"turns are kept, call again with a {stopped}{needed}"
        )
        raise LimitReachedError(msg, enough=enough)

    async def cancel_all(self) -> None:
        """Cancel what is under way, and refuse what comes; callers get a `JudgingFailedError`."""
        self._closing = True
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def prepare_judge(
    by: str | Path | Experiment | Condition,
    *,
    seed: int | None = None,
    settings: Mapping[str, str] | None = None,
    seats: Mapping[str, str] | None = None,
    shelf: Shelf,
) -> Prepared:
    """Resolve a judge without calling a model.

    Raises:
        PeerJudgeError: A name is unknown, parts do not fit together, a reviewer replays recorded reviews,
            or two conditions of the experiment could judge the same number of answers.
    """
    prepared = prepare(
        build_judge(by, shelf),
        seed=seed,
        settings=settings,
        seats=seats,
        shelf=shelf,
        dataset=Dataset(name=JUDGED, description="comparisons given one by one", comparisons=()),
    )
    for card in prepared.plan.cast.values():
        if card.kind is ReviewerKind.RECORDED:
            msg = f"card {card.name!r} replays recorded reviews, so it cannot judge other answers"
            raise ExperimentError(msg)
    parts = prepared.plan.parts
    for answers in range(FEWEST, MOST + 1):
        names = [part.condition.name for part in parts if _takes(part, answers)]
        if len(names) > 1:
            name = prepared.plan.experiment.name
            msg = (
                f"experiment {name!r} has {len(names)} conditions that judge {answers} answers; choose one "
                f"with {name}#CONDITION: {', '.join(map(repr, names))}"
            )
            raise ExperimentError(msg)
    return prepared


def _takes(part: Part, answers: int) -> bool:
    least, most = part.protocol.answers
    return least <= answers <= (most or MOST)


def _require_reference_part(part: Part, comparison: Comparison) -> None:
    if comparison.reference and not part.pack.reference:
        msg = (
            f"prompt pack {part.pack.name!r} of condition {part.condition.name!r} shows no reference answer; "
            "leave it out, or choose a pack that does, such as open_chat_reference"
        )
        raise ExperimentError(msg)


def apply_criteria(part: Part, criteria: Sequence[str]) -> Part:
    """Return the part with these criteria in place of those of its prompt pack.

    Criteria are not templates, so nothing in them is executed; each becomes one line.

    Raises:
        ExperimentError: A criterion has no words, or the prompts of the condition name no criteria.
    """
    if isinstance(criteria, str):
        msg = "criteria is a list of texts, such as ['accuracy', 'brevity'], not one text"
        raise ExperimentError(msg)
    aspects = tuple(" ".join(clean_text(one).split()) for one in criteria)
    if not aspects:
        return part
    if not all(aspects):
        msg = "a criterion has no words; leave it out"
        raise ExperimentError(msg)
    if not part.protocol.settings().get("aspects", True) or "aspects" not in part.pack.criteria:
        msg = (
            f"the prompts of condition {part.condition.name!r} name no criteria; leave them out, or set "
            "aspects=true, or choose a pack with criteria, such as long_form"
        )
        raise ExperimentError(msg)
    return replace(part, pack=replace_noun(part.pack, aspects=aspects))
