"""`peerjudge run`: play an experiment, or go on with one that was stopped."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from peerjudge.cli.console import (
    Display,
    LogForm,
    configure_logging,
    log_sentence,
    print_json,
    results,
    say_sentence,
)
from peerjudge.cli.dry_run import print_estimate
from peerjudge.cli.progress import showing
from peerjudge.cli.stopping import stoppable
from peerjudge.cli.tracing import tracing
from peerjudge.errors import PeerJudgeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from peerjudge.runs import RunSummary

__all__ = ["run_command"]

_CAUSES = 5
"""How many kinds of failures are told of."""
_MESSAGE = 300
"""How much of what a server said is told. [characters]"""


async def run_command(
    experiment: str,
    /,
    *,
    data: str | None = None,
    out: str | None = None,
    store: str | None = None,
    limit: int | None = None,
    seed: int | None = None,
    setting: Annotated[tuple[str, ...], Parameter(name=["--setting", "-S"], negative=())] = (),
    max_connections: int = 10,
    workers: int = 1,
    cost_limit: float | None = None,
    token_limit: int | None = None,
    fail_on_error: float | None = None,
    deadline: float | None = None,
    cache: str | None = None,
    dry_run: bool = False,
    display: Display = Display.RICH,
    log_level: str = "warning",
    log_format: LogForm = LogForm.TEXT,
    json: bool = False,
) -> int:
    """Play an experiment. The same command again goes on where it stopped.

    Nothing that is stored is asked for twice; a larger --limit extends a run; failed discussions
    are taken up at the turn that failed.

    Parameters
    ----------
    experiment
        A name that `peerjudge list experiments` shows, or the path of a .py file.
    data
        A dataset, NAME or NAME:PATH, instead of the one the experiment declares.
    out
        The run folder. By default one under runs/ that is the same for the same experiment.
    store
        A database URL (sqlite or postgresql) instead of a folder.
    limit
        Play only the first so many comparisons.
    seed
        The seed of every random choice, instead of the declared one.
    setting
        key=value, as often as needed: an option of the protocols (turns=6, stop=agreement), of all
        conditions (leader=both, orders=given, prompts=NAME), of the experiment (repetitions=3), or
        of the reviewers (temperature=0.7, latency=0.05).
    max_connections
        How many calls are under way at a time, at most. To each provider it begins with 16,
        grows while the provider answers, and is halved when it says that it is asked too much.
    workers
        How many processes speak to the models, for when one is busy with that alone; 1 is this one.
        What is played, stored, limited and paid is the same, however many there are.
    cost_limit
        Stop before more than so many USD are spent, by this and earlier runs into the same place.
        Prices are those of a published table, or your own in prices.toml: a table ["MODEL"] with
        input and output, in USD per million tokens. What open discussions need is set aside, so
        the run stops between discussions; where that is not enough, they are left to go on later.
        The same command with a higher limit goes on.
    token_limit
        The same for tokens, prompt and completion together, simulated ones included.
    fail_on_error
        Stop once 5 discussions, and this share (0 to 1) of those that ended, have failed.
    deadline
        Seconds that one discussion may take before it fails.
    cache
        The file or folder in which replies of models are kept, so that none is paid twice; several
        runs may share one. By default the run folder; with --store, the user's cache folder.
        `none` keeps nothing.
    dry_run
        Print how many calls and tokens it would take and what they would cost, and call nobody.
    display
        How progress is shown on stderr.
    log_level
        Which log events are shown on stderr.
    log_format
        Whether each is written as text, or as a JSON object with `event`, `level`, `timestamp`,
        `run`, `discussion` and `turn`.
    json
        Print the summary as one JSON document.
    """
    from peerjudge.runs import parse_settings, prepare, run

    _require_level(log_level)
    configure_logging(level=log_level, form=log_format)
    if log_level.lower() != "debug":
        _hush_retries()
    settings = parse_settings(setting)
    if dry_run:
        prepared = prepare(experiment, data=data, limit=limit, seed=seed, settings=settings)
        print_estimate(prepared, json=json)
        return 0
    say = log_sentence if log_format is LogForm.JSON else say_sentence
    async with stoppable():
        with tracing(), showing(display, logs=log_format) as observer:
            summary = await run(
                experiment,
                data=data,
                out=out,
                store=store,
                limit=limit,
                seed=seed,
                settings=settings,
                cache=cache,
                max_connections=max_connections,
                workers=workers,
                cost_limit=cost_limit,
                token_limit=token_limit,
                fail_on_error=fail_on_error,
                deadline=deadline,
                observer=observer,
            )
    await _print_outcome(summary, place=store, json=json, say=say)
    return _exit_code(summary)


def _enough(summary: RunSummary) -> str:
    """The limit with which the run goes on, rounded up."""
    enough = summary.enough or 0.0
    return (
        f"{ceil(enough * 100) / 100:.2f}" if summary.stopped == "cost limit" else str(ceil(enough))
    )


def _require_level(name: str) -> None:
    """Raise `PeerJudgeError` for a log level that there is not."""
    from logging import getLevelNamesMapping

    if name.upper() not in getLevelNamesMapping():
        msg = f"there is no log level {name!r}: debug, info, warning, error or critical"
        raise PeerJudgeError(msg)


def _hush_retries() -> None:
    """A call that is tried again is no news: a busy provider makes thousands of them."""
    from stamina.instrumentation import set_on_retry_hooks

    set_on_retry_hooks([])


def _exit_code(summary: RunSummary) -> int:
    if summary.stopped is not None and summary.stopped.endswith("limit"):
        return 3
    return 1 if summary.discussions.failed else 0


async def _print_outcome(
    summary: RunSummary, *, place: str | None, json: bool, say: Callable[[str], None]
) -> None:
    from peerjudge.cli import reporting
    from peerjudge.reporting import print_findings
    from peerjudge.runs import open_run, summary_document

    async with open_run(summary.folder or f"{place}#{summary.run}") as opened:
        reading = await reporting.read(opened)
        report = reporting.write(opened, reading) if summary.folder else None
    if json:
        print_json(summary_document(summary))
        _print_next(summary, say)
        return
    console = results()
    print_findings(reading.findings, console=console)
    counts = summary.discussions
    console.print(
        f"\n{counts.done} discussions played, {counts.skipped} found done, {counts.failed} failed"
    )
    console.print(_spending(summary))
    source = summary.folder or f"{summary.store}#{summary.run}"
    console.print(f"run     {source}", soft_wrap=True, markup=False)
    if report is not None:
        console.print(f"report  {report}", soft_wrap=True, markup=False)
    _print_next(summary, say)


def _spending(summary: RunSummary) -> str:
    calls = summary.calls
    if calls.simulated and not calls.paid + calls.cached:
        return f"{calls.simulated:,} simulated calls, {summary.tokens:,} tokens, nothing to pay"
    saved = f", {calls.cached:,} saved" if calls.cached else ""
    simulated = f", {calls.simulated:,} simulated" if calls.simulated else ""
    cost = "cost unknown" if summary.cost_usd is None else f"${summary.cost_usd:,.4f}"
    return f"{calls.paid:,} calls paid{saved}{simulated}, {summary.tokens:,} tokens, {cost}"


def _print_next(summary: RunSummary, say: Callable[[str], None]) -> None:
    """What to do where not everything has been played, and what failed of what."""
    failed = summary.discussions.failed
    for each in summary.failures[:_CAUSES]:
        said = "".join(char if char.isprintable() else " " for char in each.message[:_MESSAGE])
        say(f"{each.count:,} failed: {each.reviewer}, {each.kind}: {said}")
    if (others := failed - sum(each.count for each in summary.failures[:_CAUSES])) > 0:
        say(f"{others:,} failed of other causes: `--json` lists them all")
    stopped = summary.stopped
    if stopped == "too many failures":
        say(
            f"Stopped: {failed} discussions have failed, too many to go on. "
            "Mend the cause; then the same command goes on."
        )
    elif stopped is not None:
        say(
            f"Stopped at the {stopped}: the next discussion could have passed it. "
            f"What is stored stays: the same command with a higher --{stopped.replace(' ', '-')} "
            f"goes on, from {_enough(summary)}."
        )
    elif failed:
        say("Run the same command again to retry only those that failed.")
