"""`peerjudge fork`: play discussions of a run again from one turn on, with a change."""

from __future__ import annotations

from peerjudge.cli.console import (
    configure_logging,
    log_status,
    print_status,
)
from peerjudge.cli.dry_run import print_estimate
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import BudgetOptions, LogOptions
from peerjudge.cli.progress import show_progress
from peerjudge.cli.tables import print_result, say


async def fork_command(
    run: str,
    /,
    *,
    at: int,
    set: tuple[str, ...] = (),  # noqa: A002  name of the option
    where: str = "",
    draws: int = 2,
    name: str = "",
    budget: BudgetOptions = BudgetOptions(),
    seed: int = 0,
    dry_run: bool = False,
    logs: LogOptions = LogOptions(),
    json: bool = False,
) -> int:
    """Play discussions again from one turn on, under each change and without one.

    The turns before are kept and not paid again. The run stays as it is: forks are a run of their own
    in RUN/forks/NAME, which every command reads. Run the same command again to resume it. The table
    compares each change with redraws without one, in the same discussions.

    Parameters
    ----------
    run
        A run folder.
    at
        Number of turns to keep: the index of the first turn that is played, from 0, private reviews
        included.
    set
        KEY=VALUE; repeat for more, each played in forks of its own. `turn.2=I am certain. {text}` gives a
        kept turn other words ({text} stands for its own, @FILE reads them). `reviewer_2=CARD` seats
        another reviewer, `leader=other` lets the other seat lead, `order=other` reverses the shown
        answers, `prompts=NAME` takes another pack, `turns=6` sets an option of the protocol. A discussion
        whose protocol would then not give the kept turns again is refused, with the reason.
    where
        Discussions to fork, as in the address of a list of `peerjudge view`: 'gold=wrong&event=altered',
        'condition=NAME', 'q=WORDS', or 'id=...' for one. By default all complete ones.
    draws
        Number of times that each fork is played, with and without the change. 0 plays each once with the
        random draws of its parent: a look, without a comparison.
    name
        Name of the folder in RUN/forks; by default one that follows from --at, --set and --where.
    seed
        Seed of the tests.
    dry_run
        Print the estimated calls, tokens and cost, and call no model.
    json
        Print the table and the summary as one JSON document.
    """
    from peerjudge.results.forks import fork, plan_forks
    from peerjudge.results.summaries import describe_spending, list_next_steps

    configure_logging(level=logs.log_level, form=logs.log_format)
    if dry_run:
        prepared = await plan_forks(run, at=at, changes=set, where=where, draws=draws, name=name)
        for (change, reason), count in prepared.refused.items():
            print_status(f"note: {count} not forked under {change!r}: {reason}")
        print_estimate(prepared, None, json=json)
        return 0
    async with cancel_on_signal():
        with show_progress(logs.display, logs=logs.log_format) as observer:
            found = await fork(
                run,
                at=at,
                changes=set,
                where=where,
                draws=draws,
                name=name,
                max_connections=budget.connections,
                cost_limit=budget.cost_limit,
                token_limit=budget.token_limit,
                seed=seed,
                observer=observer,
            )
    print_result(found, json=json)
    summary = found.summary
    if not json:
        say("", describe_spending(summary), f"forks   {found.folder}")
    for sentence in list_next_steps(summary):
        (log_status if logs.log_format == "json" else print_status)(sentence)
    if summary.stopped is not None:
        return 3
    return 1 if summary.discussions.failed else 0
