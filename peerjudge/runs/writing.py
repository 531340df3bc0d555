"""Texts that cards write on request: answers, proposals, rewritten texts.

A text is a call like any other: it passes the same limits, retries and reply cache as a turn of a run, and
is booked in the ledger of the same place, so one budget covers texts and discussions. It is durable in the
place as soon as it arrives, and the same request again costs nothing. Failures are not kept.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from structlog.contextvars import bound_contextvars

from peerjudge.data import (
    Failure,
    ReviewerKind,
    Usage,
    Utterance,
    Writing,
    WritingMark,
    add_costs,
    content_hash,
)
from peerjudge.engine import Reviewer, speak, work_through
from peerjudge.errors import EmptyReplyError, ExperimentError, StoreError
from peerjudge.logs import get_logger
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.estimate import (
    ASSUMED_REPLY,
    Costs,
    build_token_counter,
    count_prompt,
    read_costs,
)
from peerjudge.runs.ledger import Ledger, record_calls
from peerjudge.runs.limits import Limits
from peerjudge.runs.results import CallCounts
from peerjudge.runs.reviewers import open_reviewers
from peerjudge.runs.schedule import Cast
from peerjudge.runs.texts import (
    Order,
    WritingEstimate,
    WritingResult,
    WritingTask,
    WrittenText,
    place_orders,
)
from peerjudge.shelf import Shelf
from peerjudge.simulation import SimulatedWriter
from peerjudge.store import Archive, Store, exists
from peerjudge.verdicts import refuses

_log = get_logger()


async def write_texts(
    tasks: Iterable[WritingTask],
    *,
    place: Place,
    bounds: Bounds = Bounds(),
    seed: int = 0,
    shelf: Shelf | None = None,
    environ: Mapping[str, str] | None = None,
    on_text: Callable[[WrittenText], None] | None = None,
) -> WritingResult:
    """Write the texts of these tasks, or read those that are in the place already.

    The place is open during the call only, so calls and runs into one place can alternate.

    Args:
        tasks: The tasks; equal requests under several ids are made once.
        place: Where the texts are kept.
        bounds: Limits of the calls.
        seed: Seed of simulated cards and namespace of cached replies.
        shelf: Shelf of the cards.
        environ: Environment with the API keys; by default that of the process.
        on_text: Called with every new text and every failure as it arrives.

    Raises:
        PeerJudgeError: Usage or configuration error; texts in the place stay.
        asyncio.CancelledError: The task was cancelled; texts in the place stay.
    """
    if not place.source:
        msg = "texts are kept in a place: give a folder (out) or a database URL (store)"
        raise ExperimentError(msg)
    shelf = shelf or Shelf()
    orders = place_orders(tasks, shelf, seed=seed)
    costs = read_costs(_list_cards(orders), project=shelf.project or Path.cwd())
    bounds.require_prices(costs)
    run = content_hash("writing", sorted({order.key for order in orders}))
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(Store.open(place.source))
        await stack.enter_async_context(opened.hold(run))
        kept = await opened.writings({order.key for order in orders})
        missing = {order.key: order for order in orders if order.key not in kept}
        # Cards without a missing text need no key and no client.
        cast = _list_cards(missing.values())
        ledger = await Ledger.open(opened, run=run, costs=costs)
        limits = Limits(cast=cast, costs=costs, ledger=ledger, bounds=bounds)
        reviewers = await stack.enter_async_context(
            open_reviewers(
                cast,
                seed=seed,
                prices=costs.prices,
                dataset=None,
                shelf=shelf,
                environ=os.environ if environ is None else environ,
                cache=place.replies,
                simulate=SimulatedWriter,
            )
        )
        desk = _Desk(opened, limits.apply(reviewers), limits, on_text=on_text)
        with bound_contextvars(run=run[:8]), record_calls(cast, ledger):
            await desk.write(missing.values(), max_connections=bounds.max_connections)
        texts: list[WrittenText] = []
        for order in orders:
            text = WrittenText(task=order.task, key=order.key)
            if (held := kept.get(order.key)) is not None:
                text = replace(text, utterance=held.utterance, mark=held.mark, kept=True)
            elif (new := desk.texts.get(order.key)) is not None:
                text = replace(new, task=order.task)
            texts.append(text)
        return _summarize(texts, desk, limits, costs, bounds)


async def estimate_writing(
    tasks: Iterable[WritingTask],
    *,
    place: Place | None = None,
    seed: int = 0,
    shelf: Shelf | None = None,
) -> WritingEstimate:
    """Estimate the most that these tasks take, without those whose texts are in the place already.

    Args:
        tasks: As for `write_texts`, like the other arguments.
        place: Where texts are kept, if any are.
        seed: See `tasks`.
        shelf: See `tasks`.

    Raises:
        PeerJudgeError: Usage or configuration error.
    """
    shelf = shelf or Shelf()
    orders = place_orders(tasks, shelf, seed=seed)
    cast = _list_cards(orders)
    costs, count = read_costs(cast, project=shelf.project or Path.cwd()), build_token_counter(cast)
    kept = await _read_kept(place, {order.key for order in orders})
    missing = {order.key: order for order in orders if order.key not in kept}
    usages: list[Usage] = []
    usd: list[float | None] = []
    for order in missing.values():
        request = order.build_request()
        usage = Usage(
            prompt_tokens=count_prompt(request.messages, order.card.name, count),
            completion_tokens=min(ASSUMED_REPLY, request.seat.sampling.max_tokens or ASSUMED_REPLY),
        )
        usages.append(usage)
        usd.append(costs.of(order.card.name, usage))
    return WritingEstimate(
        calls=len(missing),
        kept=sum(order.key in kept for order in orders),
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
        cost_usd=add_costs(usd),
        simulated=all(card.kind is ReviewerKind.SIMULATED for card in cast.values()),
    )


class _Desk:
    """Writing of the texts that are missing in a place.

    Args:
        store: Store of the place.
        reviewers: Reviewers by card, booked and limited.
        limits: Limits of the call.
        on_text: Called with every text and failure.
    """

    def __init__(
        self,
        store: Store,
        reviewers: Mapping[str, Reviewer],
        limits: Limits,
        *,
        on_text: Callable[[WrittenText], None] | None,
    ) -> None:
        self._store = store
        self._reviewers = reviewers
        self._limits = limits
        self._on_text = on_text
        self.texts: dict[str, WrittenText] = {}
        """New texts and failures by key."""

    async def write(self, orders: Iterable[Order], *, max_connections: int) -> None:
        """Write the texts until the last one or a limit."""
        writing = work_through(self._admit(orders), self._write, max_connections=max_connections)
        await self._limits.run(writing)

    async def _admit(self, orders: Iterable[Order]) -> AsyncIterator[Order]:
        for order in orders:
            if not await self._limits.admit_call(order.build_request()):
                return
            yield order

    async def _write(self, order: Order) -> None:
        request = order.build_request()
        reply = await speak(self._reviewers[order.card.name], request, failed="text failed")
        if isinstance(reply, Failure) and reply.kind == EmptyReplyError.__name__:
            # It was paid for, and the same request would bring the same.
            attempts = self._limits.ledger.count_attempts(request.discussion)
            reply = Utterance(text="", model=order.card.name, attempts=attempts or 1)
        if isinstance(reply, Failure):
            written = WrittenText(task=order.task, key=order.key, failure=reply)
        else:
            mark = mark_text(reply)
            if reply.simulated and not reply.cached:
                usage = reply.usage
                tokens = usage.prompt_tokens + usage.completion_tokens
                self._limits.ledger.simulated_tokens += tokens
            await self._store.keep(
                Writing(
                    key=order.key,
                    card=order.card.name,
                    task=order.task.task,
                    utterance=reply,
                    mark=mark,
                )
            )
            written = WrittenText(task=order.task, key=order.key, utterance=reply, mark=mark)
        self.texts[order.key] = written
        self._limits.end(order.key, failed=written.failure is not None)
        if self._on_text is not None:
            self._on_text(written)


def mark_text(reply: Utterance) -> WritingMark:
    """Return what is wrong with a text: no words, a refusal at its beginning, or no end."""
    if not reply.text.strip():
        return "empty"
    if reply.finish_reason == "length":
        return "cut off"
    return "refusal" if refuses(reply.text.strip().splitlines()) else ""


def _list_cards(orders: Iterable[Order]) -> Cast:
    return {order.card.name: order.card for order in orders}


async def _read_kept(place: Place | None, keys: set[str]) -> Mapping[str, Writing]:
    if place is None or not exists(place.source):
        return {}
    try:
        async with Archive.open(place.source) as opened:
            return await opened.writings(keys)
    except StoreError as cause:
        _log.warning("the place cannot be read, so no text counts as kept", cause=str(cause))
        return {}


def _summarize(
    texts: Sequence[WrittenText], desk: _Desk, limits: Limits, costs: Costs, bounds: Bounds
) -> WritingResult:
    ledger, new = limits.ledger, desk.texts.values()
    written = [text.utterance for text in new if text.utterance is not None]
    failed = [text.task.card for text in new if text.failure is not None]
    now = ledger.spent_now
    if any(costs.of(card, Usage()) is None for card in failed):
        now = replace(now, usd=None)  # Providers charge for some failed calls.
    return WritingResult(
        texts=tuple(texts),
        kept=sum(text.kept for text in texts),
        calls=CallCounts(
            paid=ledger.paid.calls,
            cached=sum(reply.cached and not reply.simulated for reply in written),
            failed=len(failed),
            simulated=sum(reply.simulated for reply in written),
            unmetered=ledger.unmetered.calls,
        ),
        spent_before=ledger.spent_before,
        spent_now=now,
        limit=bounds.limit,
        stopped=limits.stopped,
        enough=None if limits.budget is None else limits.budget.enough,
    )
