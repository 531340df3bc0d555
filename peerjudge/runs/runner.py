"""Runner of experiments: opens the store and reviewers, and runs or resumes the discussions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from structlog.contextvars import bound_contextvars

from peerjudge.analysis.stopping import Decision, StopRule, parse_rule
from peerjudge.data import Experiment, replace as replace_noun
from peerjudge.data.arguments import check_arguments
from peerjudge.logs import get_logger
from peerjudge.runs.awaited import check_awaited, open_awaited
from peerjudge.runs.blocking import block
from peerjudge.runs.bounds import Bounds, Place
from peerjudge.runs.deliveries import Delivery, choose_connections, choose_delivery, open_delivery
from peerjudge.runs.displays import observe
from peerjudge.runs.first_texts import add_written, write_data
from peerjudge.runs.ledger import Ledger, record_calls
from peerjudge.runs.limits import Limits
from peerjudge.runs.manifest import (
    LIMITS,
    default_folder,
    read_decision,
    record_manifest,
    require_own,
)
from peerjudge.runs.playing import Player
from peerjudge.runs.progress import Counting, Observer
from peerjudge.runs.resolve import Prepared, prepare
from peerjudge.runs.results import DETACHED, WAITING, RunSummary
from peerjudge.runs.reviewers import open_reviewers
from peerjudge.runs.schedule import OrderOfPlay, PlainOrder, Plan
from peerjudge.runs.shards import check_divided, check_place, divide, divide_rates
from peerjudge.runs.stopping import UntilDecided, require_primary
from peerjudge.runs.written_data import choose_data
from peerjudge.shelf import Shelf
from peerjudge.store import Store

_log = get_logger()


@check_arguments
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
    shard: str | None = None,
    batch: bool = False,
    detach: bool = False,
    wait: bool = False,
    progress: bool | None = None,
    observer: Observer | None = None,
    shelf: Shelf | None = None,
    environ: Mapping[str, str] | None = None,
) -> RunSummary:
    """Run an experiment; repeat it to resume.

    Stored turns are not requested again. A larger limit of comparisons extends a run, and a complete run does
    nothing. Failed discussions resume at the turn that failed.

    Args:
        experiment: A name from `peerjudge list experiments`, or the path of a .py file; in Python also a
            declaration.
        data: Dataset `NAME`, `NAME:PATH` or `FILE.py:PATH` in place of the declared one.
        questions: Questions without answers, in place of data: a .txt, .csv or .jsonl file, or a dataset. The
            seated cards answer them first, with the same limits, and then judge all pairs of answers.
        limit: Number of comparisons to run; by default all.
        seed: Seed of all random choices, in place of the declared one.
        settings: As for `prepare`, like `seats` and `shelf`.
        seats: See `settings`.
        shelf: See `settings`.
        out: Run folder. By default a folder under runs/, the same for the same experiment.
        store: Database URL (sqlite or postgresql) instead of a folder.
        cache: File or folder of the reply cache, which several runs may share; by default the run
            folder, or the user's cache folder for a run in a database. `"none"` keeps replies in
            memory only.
        max_connections: Most calls in flight at a time, and most discussions open; by default 10, with
            `batch` 2,000 discussions.
        cost_limit: Limit in USD on this run and earlier runs into the same place. The run stops
            between discussions, with `stopped = "cost limit"`.
        token_limit: Limit on prompt and completion tokens, simulated ones included, of this run and
            earlier runs into the same place.
        fail_on_error: Stop when 5 discussions and this share of the ended ones have failed.
        deadline: Time after which a discussion fails. [s]
        until: Stop when the primary contrast of the experiment is decided: `decided` (above or below 0),
            `decided within 0.05` (that, or between -0.05 and 0.05) or `ci<0.05` (half of the width of its
            interval). Questions are played in a random order, `limit` is the most, and the first look is
            after 20. Declare the contrast with `primary` in the experiment or its settings.
        shard: Play part K of N of the questions, as `K/N` with K from 1: those whose hash falls into it, of
            the ones within `limit`, with all their discussions. `merge` makes one run of all N. Limits on
            cost and tokens are of the whole, of which a part has its share of the estimate; the rates of
            cards are divided by N, or with `K/N%M` by the M parts that run at a time.
        batch: Send the calls of OpenAI and Anthropic cards as batches: half the price, within 24 hours. A
            batch goes out when every open discussion waits for one; 2,000 are open by default. An
            interrupted run leaves it at the provider; repeat the run to collect it.
        detach: With `batch`: collect the batches that have ended, send what is ready, and stop (exit code 3).
            Do the same later, for example from cron, to go on.
        wait: Wait for people who are seated as reviewers and take up their answers as they come, instead of
            stopping with exit code 3. They answer meanwhile with `peerjudge annotate`.
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
    delivery = choose_delivery(batch=batch, detach=detach, wait=wait)
    if delivery is not None:
        delivery.check(deadline=deadline, questions=questions)
    if shard is not None:
        check_divided(until=until, batch=batch, writes=questions is not None)
        check_place(store, limited=cost_limit is not None or token_limit is not None)
    place = Place(out=out, store=store, cache=cache)
    bounds = Bounds(
        max_connections=choose_connections(max_connections, delivery=delivery),
        cost_limit=cost_limit,
        token_limit=token_limit,
        fail_on_error=fail_on_error,
        deadline=deadline,
    )
    rule = None if until is None else parse_rule(until)
    play = Play(rule=rule, delivery=delivery, detach=detach, wait=wait)
    shelf = shelf or Shelf()
    prepare_with = partial(
        prepare,
        experiment,
        data=choose_data(data, questions),
        limit=limit,
        seed=seed,
        settings=settings,
        seats=seats,
        shuffled=play.shuffled,
        shard=shard,
        shelf=shelf,
    )
    prepared = prepare_with()
    if delivery is not None:
        limited = cost_limit is not None or token_limit is not None
        prepared = delivery.prepare(prepared, limited=limited)
    if rule is not None:
        require_primary(prepared.plan)
    if not place.source:
        place = replace(place, out=_choose_folder(prepared))
    if prepared.shard is not None and prepared.whole is not None:
        division = divide(prepared.shard, prepared.whole, prepared.costs, bounds)
        bounds = division.bounds
        if division.sentence:
            _choose_note(observer)(division.sentence)
    written = await write_data(
        prepared.answers,
        prepared.plan.experiment,
        costs=prepared.costs,
        place=place,
        bounds=bounds,
        shelf=shelf,
        environ=environ,
        observer=observer,
    )
    if written is not None:
        pairs = written.list_pairs(None if play.shuffled else limit)
        prepared = prepare_with(dataset=pairs)
        play = replace(play, plays=written.writing.stopped is None)
    summary = await run_prepared(
        prepared,
        place=place,
        bounds=bounds,
        play=play,
        progress=progress,
        observer=observer,
        shelf=shelf,
        environ=environ,
    )
    return add_written(summary, written)


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """Which discussions of a run are played, in which order, and what the run waits for.

    `rule` ends the run. `delivery` carries its calls, and `detach` ends the run while they are at the
    provider. `wait` waits for people. `plays` is false to record the run and leave its discussions for later.
    """

    rule: StopRule | None = None
    delivery: Delivery | None = None
    detach: bool = False
    wait: bool = False
    plays: bool = True

    @property
    def shuffled(self) -> bool:
        """Whether questions are played in random order."""
        return self.rule is not None

    def choose(self, plan: Plan, store: Store) -> OrderOfPlay:
        """Return the order in which the comparisons of a plan are played."""
        if self.rule is not None:
            return UntilDecided(plan, store, self.rule)
        return PlainOrder(plan.comparisons)


async def run_prepared(
    prepared: Prepared,
    *,
    place: Place,
    bounds: Bounds,
    shelf: Shelf,
    play: Play = Play(),
    progress: bool | None = None,
    observer: Observer | None = None,
    environ: Mapping[str, str] | None = None,
) -> RunSummary:
    """Run an experiment that was resolved before on this shelf, or resume an earlier run of it."""
    plan, experiment = prepared.plan, prepared.plan.experiment
    cast = plan.cast
    if prepared.shard is not None:
        cast = divide_rates(cast, prepared.shard.together)
    _require_playable(prepared, place, bounds, play)
    async with (
        observe(observer, progress=progress) as watching,
        Store.open(place.source) as opened,
        opened.hold(prepared.run_id),
        open_awaited(plan.cast, place.source) as people,
        open_delivery(
            play.delivery, place.replies, detach=play.detach, say=_choose_note(watching)
        ) as delivery,
        open_reviewers(
            cast,
            seed=experiment.seed,
            prices=prepared.costs.prices,
            dataset=prepared.dataset,
            shelf=shelf,
            environ=os.environ if environ is None else environ,
            cache=place.replies,
            carrier=delivery.carrier,
            people=people,
        ) as reviewers,
    ):
        runs = {each.id: each.manifest for each in await opened.runs()}
        earlier = runs.get(prepared.run_id, {})
        manifest = _build_manifest(prepared, bounds)
        decision = _mark_decision(read_decision(earlier), goes_on=play.rule is None)
        await record_manifest(opened, place.folder, manifest, decision)
        ledger = await Ledger.open(opened, run=prepared.run_id, costs=prepared.costs)
        limits = Limits(cast=plan.cast, costs=prepared.costs, ledger=ledger, bounds=bounds)
        order = play.choose(plan, opened)
        player = Player(
            prepared,
            opened,
            reviewers,
            limits,
            order,
            observer=watching,
            max_connections=bounds.max_connections,
            bounds_calls=delivery.carrier is None,
            sets_aside=True,
            people=people if play.wait else None,
            say=_choose_note(watching),
        )
        if watching is not None:
            watching.planned(prepared, player.journal)
        with bound_contextvars(run=prepared.run_id[:8]), record_calls(plan.cast, ledger):
            try:
                if play.plays:
                    await player.run_all(stops=(delivery.detached,))
            finally:
                await delivery.close()
        decision = order.decision
        if decision is not None and decision.anytime.n:
            await record_manifest(opened, place.folder, manifest, decision)
    return player.journal.summarize(
        run=prepared.run_id,
        store=place.name,
        folder=place.folder and str(place.folder),
        limit=bounds.limit,
        stopped=limits.stopped
        or (decision and decision.stop_reason)
        or (DETACHED if delivery.detached.is_set() else None)
        or (WAITING if player.journal.discussions.waiting else None),
        decision=decision,
        enough=None if limits.budget is None else limits.budget.enough,
    )


def _require_playable(prepared: Prepared, place: Place, bounds: Bounds, play: Play) -> None:
    """Log what the user should know, and raise an error for a run that cannot be played here so."""
    for note in prepared.notes:
        _log.warning(note)
    for remark in prepared.remarks:
        _log.info(remark)
    bounds.require_prices(prepared.costs)
    if place.folder is not None:
        require_own(place.folder, prepared.plan.experiment, shard=str(prepared.shard or ""))
    check_awaited(prepared.plan, ends_early=play.rule is not None)


def _build_manifest(prepared: Prepared, bounds: Bounds) -> dict[str, object]:
    limited = {name: value for name, value in asdict(bounds.limit).items() if value is not None}
    limits = {LIMITS: limited} if limited else {}
    return {"run": prepared.run_id, **prepared.manifest, **limits}


def _choose_folder(prepared: Prepared) -> Path:
    """Return the folder of a run for which none is named; each shard has one of its own."""
    folder, shard = default_folder(prepared.plan.experiment), prepared.shard
    if shard is None:
        return folder
    return folder.with_name(f"{folder.name}-shard-{shard.number}-of-{shard.of}")


def _choose_note(observer: Observer | None) -> Callable[[str], None]:
    """Return what shows a sentence during the run."""
    return observer.note if isinstance(observer, Counting) else _log.info


def _mark_decision(decision: Decision | None, *, goes_on: bool) -> Decision | None:
    """Return what an earlier early stop of this run decided, marked if the run goes on after it."""
    if decision is None or not goes_on or decision.questions == decision.available:
        return decision
    return replace_noun(decision, continued=True)


run_sync = block(run)
"""`run`, which returns its summary; it also works where an event loop runs, as in a notebook.

    >>> summary = pj.run_sync("quickstart", limit=4)
    >>> pj.score(summary).df
"""
