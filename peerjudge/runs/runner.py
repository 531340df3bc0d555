"""Runner of experiments: opens the store and reviewers, and runs or resumes the discussions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from structlog.contextvars import bound_contextvars

from peerjudge.analysis.stopping import Decision, StopRule
from peerjudge.data import Experiment, to_plain
from peerjudge.data import replace as replace_noun
from peerjudge.logs import get_logger
from peerjudge.runs.answered import add_answers, write_run_answers
from peerjudge.runs.arguments import check_arguments, choose_data, read_order
from peerjudge.runs.batches import (
    apply_batch_prices,
    check_batch,
    check_detach,
    choose_connections,
    open_batch_mode,
)
from peerjudge.runs.displays import observe
from peerjudge.runs.ledger import Ledger, Spending
from peerjudge.runs.limits import Limits, check_limits
from peerjudge.runs.manifest import (
    DECISION,
    NEXT,
    chose_by_results,
    default_folder,
    read_decision,
    require_own,
    write_manifest,
)
from peerjudge.runs.open_pairs import OpenPairsFirst, list_contestants
from peerjudge.runs.opening import choose_cache, open_budget, record_calls
from peerjudge.runs.order import PlainOrder
from peerjudge.runs.people import check_people, open_people
from peerjudge.runs.playing import Player
from peerjudge.runs.progress import Counting, Observer
from peerjudge.runs.resolve import Prepared, prepare
from peerjudge.runs.results import DETACHED, WAITING, RunSummary
from peerjudge.runs.reviewers import open_reviewers
from peerjudge.runs.sources import hide_password
from peerjudge.runs.spans import RunSpans
from peerjudge.runs.stopping import UntilDecided, require_primary
from peerjudge.shelf import Shelf
from peerjudge.store import Store

_log = get_logger()


async def run(
    experiment: str | Path | Experiment,
    *,
    data: str | None = None,
    questions: str | None = None,
    out: str | Path | None = None,
    store: str | None = None,
    cache: str | Path | None = None,
    limit: int | None = None,
    seed: int | None = None,
    settings: Mapping[str, str] | None = None,
    seats: Mapping[str, str] | None = None,
    max_connections: int | None = None,
    cost_limit: float | None = None,
    token_limit: int | None = None,
    fail_on_error: float | None = None,
    deadline: float | None = None,
    until: str | None = None,
    order: Literal["plain", "open"] = "plain",
    batch: bool = False,
    detach: bool = False,
    wait: bool = False,
    progress: bool | None = None,
    observer: Observer | None = None,
    shelf: Shelf | None = None,
    environ: Mapping[str, str] | None = None,
) -> RunSummary:
    """Run an experiment, or resume an earlier run of it.

    Stored turns are not requested again: the same call resumes a run, a larger `limit` extends it,
    and a complete run does nothing. Failed discussions resume at the turn that failed.

    Args:
        experiment: As for `prepare`, like `data`, `limit`, `seed`, `settings`, `seats` and `shelf`.
        data: See `experiment`.
        questions: File or dataset with questions, in place of `data`: the cards that the experiment seats
            answer them first, into the same place and with the same limits, and then judge all pairs.
        limit: See `experiment`.
        seed: See `experiment`.
        settings: See `experiment`.
        seats: See `experiment`.
        shelf: See `experiment`.
        out: Run folder; by default `runs/NAME-xxxxxxxx`, the same for the same experiment.
        store: Database URL instead of a folder.
        cache: File or folder of the reply cache, which several runs may share; by default the run
            folder, or the user's cache folder for a run in a database. `"none"` keeps replies in
            memory only.
        max_connections: Most discussions, and so calls, in flight at a time; by default 10, with `batch`
            2,000.
        cost_limit: Limit in USD on this run and earlier runs into the same place. The run stops
            between discussions, with `stopped = "cost limit"`.
        token_limit: Limit on prompt and completion tokens, simulated ones included, of this run and
            earlier runs into the same place.
        fail_on_error: Stop when 5 discussions and this share of the ended ones have failed.
        deadline: Time after which a discussion fails. [s]
        until: Rule that ends the run when the primary contrast of the experiment is decided; see
            `parse_rule`. Questions are then played in a random order, and `limit` is their most.
        order: `open` plays comparisons of contestants whose order is open first, in blocks that follow
            from the results so far; `plain` plays the comparisons in the order of the data.
        batch: Send the calls of OpenAI and Anthropic cards as batches, at half price and within 24 hours. A
            run that is interrupted leaves its batches at the provider; the same call collects them.
        detach: With `batch`, collect the batches that have ended, send what is ready, and end with
            `stopped = "waiting for batches"`; the same call goes on later.
        wait: Wait for people who are seated as reviewers, and take up their answers as they come. Without
            it the run ends with `stopped = "waiting for people"`, and the same call goes on later.
        progress: Show discussions done, failures, tokens, cost and time left; by default in a notebook
            only. Outside of one, progress goes to stderr.
        observer: Receiver of progress events, in place of this display.
        environ: Environment with the API keys; by default that of the process.

    Raises:
        PeerJudgeError: Usage or configuration error; stored turns are kept.
        asyncio.CancelledError: The task was cancelled; stored turns are kept and the run can resume.

    Example:
        >>> summary = asyncio.run(pj.run("quickstart", limit=4, out="study"))
        >>> summary.discussions.failed, summary.cost_usd
        (0, 0.0)
    """
    connections = choose_connections(max_connections, batch=batch)
    check_detach(detach=detach, batch=batch, wait=wait)
    if batch:
        check_batch(deadline=deadline, questions=questions)
    check_arguments(out=out, store=store, connections=connections)
    check_limits(cost=cost_limit, tokens=token_limit, deadline=deadline, failure_rate=fail_on_error)
    rule, active = read_order(until=until, order=order)
    shelf = shelf or Shelf()
    shuffled = active or rule is not None
    prepare_with = partial(
        prepare,
        experiment,
        data=choose_data(data, questions),
        limit=None if active else limit,
        seed=seed,
        settings=settings,
        seats=seats,
        shuffled=shuffled,
        shelf=shelf,
    )
    prepared = prepare_with()
    if batch:
        limited = cost_limit is not None or token_limit is not None
        prepared = apply_batch_prices(prepared, limited=limited)
    if rule is not None:
        require_primary(prepared.plan)
    if active:
        list_contestants(prepared.plan)
    written = await write_run_answers(
        prepared,
        out=out,
        store=store,
        cache=cache,
        max_connections=connections,
        cost_limit=cost_limit,
        token_limit=token_limit,
        fail_on_error=fail_on_error,
        deadline=deadline,
        shelf=shelf,
        environ=environ,
        observer=observer,
    )
    if written is not None:
        prepared = prepare_with(dataset=written.list_pairs(None if shuffled else limit))
    summary = await run_prepared(
        prepared,
        out=out,
        store=store,
        cache=cache,
        limit=limit,
        max_connections=connections,
        cost_limit=cost_limit,
        token_limit=token_limit,
        fail_on_error=fail_on_error,
        deadline=deadline,
        rule=rule,
        active=active,
        batch=batch,
        detach=detach,
        wait=wait,
        progress=progress,
        observer=observer,
        shelf=shelf,
        environ=environ,
        plays=written is None or written.stopped is None,
    )
    return add_answers(summary, written)


async def run_prepared(
    prepared: Prepared,
    *,
    out: str | Path | None = None,
    store: str | None = None,
    cache: str | Path | None = None,
    limit: int | None = None,
    max_connections: int = 10,
    cost_limit: float | None = None,
    token_limit: int | None = None,
    fail_on_error: float | None = None,
    deadline: float | None = None,
    rule: StopRule | None = None,
    active: bool = False,
    batch: bool = False,
    detach: bool = False,
    wait: bool = False,
    progress: bool | None = None,
    observer: Observer | None = None,
    shelf: Shelf,
    environ: Mapping[str, str] | None = None,
    plays: bool = True,
) -> RunSummary:
    """Run an experiment that was resolved before, or resume an earlier run of it.

    Args:
        prepared: The experiment, its data and prices.
        out: As for `run`, like the arguments that are not described.
        store: See `out`.
        cache: See `out`.
        limit: See `out`.
        max_connections: See `out`.
        cost_limit: See `out`.
        token_limit: See `out`.
        fail_on_error: See `out`.
        deadline: See `out`.
        rule: Rule that ends the run, if any.
        batch: See `out`.
        detach: See `out`.
        wait: See `out`.
        active: Whether results choose the comparisons that are played next.
        progress: See `out`.
        observer: See `out`.
        shelf: Shelf on which the experiment was resolved.
        environ: See `out`.
        plays: `False` records the run and leaves its discussions for later.
    """
    for note in prepared.notes:
        _log.warning(note)
    for remark in prepared.remarks:
        _log.info(remark)
    if cost_limit is not None:
        prepared.costs.require_known()
    folder = None if store else Path(out) if out else default_folder(prepared.plan.experiment)
    if folder is not None:
        require_own(folder, prepared.plan.experiment)
    place: str | Path = store or folder or ""
    check_people(prepared.plan, chooses=rule is not None or active)
    async with (
        RunSpans.open(prepared.run_id) as spans,
        observe(observer, progress=progress) as watching,
        Store.open(place) as opened,
        opened.hold(prepared.run_id),
        open_people(prepared.plan.cast, place) as people,
        open_batch_mode(
            choose_cache(cache, folder), batch=batch, detach=detach, say=_choose_note(watching)
        ) as batch_mode,
        open_reviewers(
            prepared.plan.cast,
            seed=prepared.plan.experiment.seed,
            prices=prepared.costs.prices,
            dataset=prepared.dataset,
            shelf=shelf,
            environ=os.environ if environ is None else environ,
            cache=choose_cache(cache, folder),
            batch=batch_mode,
            people=people,
        ) as reviewers,
    ):
        before = await _read_manifest(opened, prepared)
        chosen = active or chose_by_results(before)
        earlier = _mark_decision(read_decision(before), goes_on=rule is None)
        await _record(opened, prepared, folder, earlier, chosen=chosen)
        ledger = await Ledger.open(opened, run=prepared.run_id, costs=prepared.costs)
        limits = Limits(
            cast=prepared.plan.cast,
            costs=prepared.costs,
            ledger=ledger,
            budget=open_budget(ledger, tokens=token_limit, usd=cost_limit),
            deadline=deadline,
            failure_rate=fail_on_error,
        )
        plan = prepared.plan
        until_decided = None if rule is None else UntilDecided(plan, opened, rule)
        runner = Player(
            prepared,
            opened,
            reviewers,
            limits,
            until_decided
            or (
                OpenPairsFirst(plan, opened, limit=limit)
                if active
                else PlainOrder(plan.comparisons)
            ),
            observer=watching,
            spans=spans,
            people=people if wait else None,
            say=_choose_note(watching),
        )
        if watching is not None:
            most = plan if limit is None else replace(plan, comparisons=plan.comparisons[:limit])
            watching.planned(replace(prepared, plan=most), runner.journal)
        with bound_contextvars(run=prepared.run_id[:8]), record_calls(prepared.plan.cast, ledger):
            if plays:
                try:
                    await runner.run_all(
                        max_connections=max_connections,
                        stops=() if batch_mode is None else (batch_mode.detached,),
                    )
                finally:
                    if batch_mode is not None:
                        await batch_mode.close()
        decision = None if until_decided is None else until_decided.decision
        if decision is not None and decision.anytime.n:
            await _record(opened, prepared, folder, decision, chosen=chosen)
    return runner.journal.summarize(
        run=prepared.run_id,
        store=hide_password(place),
        folder=None if folder is None else str(folder),
        limit=Spending(tokens=token_limit, usd=cost_limit),
        stopped=limits.stopped
        or (decision.stop_reason if decision is not None else None)
        or (DETACHED if batch_mode is not None and batch_mode.detached.is_set() else None)
        or (WAITING if runner.journal.discussions.waiting else None),
        decision=decision,
        enough=None if limits.budget is None else limits.budget.enough,
    )


def _choose_note(observer: Observer | None) -> Callable[[str], None]:
    """Return what shows a sentence during the run."""
    return observer.note if isinstance(observer, Counting) else _log.info


async def _record(
    store: Store,
    prepared: Prepared,
    folder: Path | None,
    decision: Decision | None,
    *,
    chosen: bool,
) -> None:
    manifest = {"run": prepared.run_id, **prepared.manifest}
    if decision is not None:
        manifest[DECISION] = to_plain(decision)
    if chosen:
        manifest[NEXT] = "open"
    await store.record_run(prepared.run_id, manifest)
    if folder is not None:
        write_manifest(folder, manifest)


async def _read_manifest(store: Store, prepared: Prepared) -> Mapping[str, object]:
    """Return the manifest of an earlier part of this run; empty without one."""
    found = [one for one in await store.runs() if one.id == prepared.run_id]
    return found[0].manifest if found else {}


def _mark_decision(decision: Decision | None, *, goes_on: bool) -> Decision | None:
    """Return what an earlier early stop of this run decided, marked if the run goes on after it."""
    if decision is None or not goes_on or decision.questions == decision.available:
        return decision
    return replace_noun(decision, continued=True)
