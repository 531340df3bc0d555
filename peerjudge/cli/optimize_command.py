"""`peerjudge optimize`: search for better prompts, choose on unseen questions, test once."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from peerjudge.cli.console import Display, configure_logging, print_json, print_status
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import CallOptions, CastOptions
from peerjudge.cli.tables import say
from peerjudge.errors import ExperimentError

if TYPE_CHECKING:
    from peerjudge.optimization import Optimized

__all__ = ["optimize_command"]


async def optimize_command(
    experiment: str,
    /,
    *,
    method: str | None = None,
    target: tuple[str, ...] = (),
    proposer: str | None = None,
    objective: str | None = None,
    aspect: str | None = None,
    steps: int | None = None,
    candidates: int | None = None,
    factor: tuple[str, ...] = (),
    split: str | None = None,
    transfer: str = "",
    transfer_data: tuple[str, ...] = (),
    data: str | None = None,
    out: str | None = None,
    limit: int | None = None,
    seed: int | None = None,
    cast: CastOptions = CastOptions(),
    calls: CallOptions = CallOptions(),
    dry_run: bool = False,
    display: Display = "rich",
    json: bool = False,
) -> int:
    """Search for better prompts; run the same command again to resume it.

    Questions are split: candidates are searched on one part, the best are compared with the unchanged
    prompts on a second one, and an adopted one is tested once on the third. Candidates are in the
    folder as prompt packs or cards, the adopted one is best.toml. Within --cost-limit and --token-limit,
    what the test takes is set aside first.

    Parameters
    ----------
    experiment
        A name from `peerjudge list experiments`, or the path of a .py file.
    method
        grips (random edits of the best text), opro (texts by a proposer that sees earlier scores),
        factors (a grid of options and texts), or gepa (revisions by a proposer that sees what the
        reviewer did; needs the library gepa). By default that of SEARCH in the experiment, or grips.
    target
        Text that may change; repeat for more: role:CARD, pack:aspects, pack:tasks.NAME, pack:reply.NAME,
        pack:criteria. By default the first task that the experiment gives.
    proposer
        Card that writes texts; needed for opro and gepa, and for the paraphrases of grips.
    objective
        accuracy, consistent (right in both orders), margin (probability of gold, needs log-probabilities)
        or error (ratings).
    aspect
        Aspect of the gold ratings, for error.
    steps
        Greatest number of steps.
    candidates
        Candidates per step.
    factor
        NAME=VALUE,VALUE for factors; repeat for more: a protocol option.
    split
        Numbers of questions to search, select and test, such as 20,20,40; or `paper` for 10, 0 and 90 %
        and adoption by the search score alone, as the paper did.
    transfer
        CARD,CARD: further reviewers that judge with the old and the new texts.
    transfer_data
        Further dataset; repeat for more.
    data
        Dataset NAME, NAME:PATH or FILE.py:PATH that replaces the one in the experiment.
    out
        Folder of the search; by default one under runs/, the same for the same search.
    limit
        Number of comparisons of the data that are used.
    seed
        Seed of all random choices, also of the splits and the search.
    dry_run
        Print what the search would change, and the calls, tokens and cost that it takes at most.
    display
        Form of the progress on stderr.
    json
        Print the result as one JSON document.
    """
    from peerjudge.optimization import optimize
    from peerjudge.runs import parse_seats, parse_settings

    configure_logging(level="error", form="text")
    async with cancel_on_signal():
        found = await optimize(
            experiment,
            method=method,
            targets=target,
            objective=objective,
            aspect=aspect,
            proposer=proposer,
            steps=steps,
            candidates=candidates,
            factors=_parse_factors(factor),
            split=split,
            transfer_cards=[name for name in transfer.split(",") if name],
            transfer_data=transfer_data,
            data=data,
            out=out,
            limit=limit,
            seed=seed,
            settings=parse_settings(cast.setting),
            seats=parse_seats(cast.seat),
            max_connections=calls.connections,
            cost_limit=calls.cost_limit,
            token_limit=calls.token_limit,
            fail_on_error=calls.fail_on_error,
            deadline=calls.deadline,
            cache=calls.cache,
            dry_run=dry_run,
            on_step=None if display == "none" else print_status,
        )
    _print(found, json=json)
    if found.stopped is None:
        return 0
    return 3 if found.stopped.endswith("limit") else 1


def _print(found: Optimized, *, json: bool) -> None:
    from peerjudge.cli.console import results
    from peerjudge.optimization.describing import build_estimate, build_parts, describe_result
    from peerjudge.reporting.layout import print_parts

    estimate = found.estimate
    if estimate is not None:
        if json:
            print_json(estimate.document())
        else:
            print_parts(build_estimate(found, estimate), results(), wrap=True)
        return
    if json:
        print_json(found.full_document())
    else:
        print_parts(build_parts(found), results(), wrap=True)
        say(*describe_result(found))
    if found.stopped is not None:
        print_status(_describe_stop(found))


def _describe_stop(found: Optimized) -> str:
    if found.stopped is not None and found.stopped.endswith("limit"):
        least = "" if found.enough is None else f", of at least {_round_up(found.enough)},"
        return (
            f"Stopped at the {found.stopped}, what selecting and testing may take set aside. Run the same "
            f"command with a higher limit{least} to resume; --dry-run prints the most that a search takes."
        )
    why = f" ({found.failure})" if found.failure else ""
    return (
        f"Stopped: {found.stopped}{why}. Everything paid is kept; run the same command to resume."
    )


def _round_up(limit: float) -> str:
    """Return tokens as a whole number and USD in cents, never less than they are."""
    return f"{ceil(limit):,}" if limit >= 100 else f"{ceil(100 * limit) / 100:.2f}"


def _parse_factors(pairs: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    factors: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        name, equals, levels = pair.partition("=")
        values = tuple(level.strip() for level in levels.split(",") if level.strip())
        if not (name and equals and values):
            msg = f"--factor takes NAME=VALUE,VALUE, as in --factor turns=2,4, not {pair!r}"
            raise ExperimentError(msg)
        factors[name] = values
    return factors
