"""`peerjudge optimize`: search for better prompts, choose on unseen questions, test once."""

from __future__ import annotations

from collections.abc import Awaitable
from math import ceil
from typing import TYPE_CHECKING

from peerjudge.cli.commands import AsJson, Call, FunctionCommand, Option
from peerjudge.cli.console import configure_logging, print_json, print_status
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import CallOptions, CastOptions, ProgressForm
from peerjudge.cli.tables import say, split_names
from peerjudge.errors import ExperimentError

if TYPE_CHECKING:
    from peerjudge.optimization import Optimized


async def _optimize(
    call: Call[Awaitable[Optimized]],
    *,
    display: ProgressForm = "rich",
    json: AsJson = False,
) -> int:
    """Search for better prompts, and print the search."""
    configure_logging(level="error", form="text")
    async with cancel_on_signal():
        found = await call.compute({"on_step": None if display == "none" else print_status})
    _print(found, json=json)
    if found.stopped is None:
        return 0
    return 3 if found.stopped.endswith("limit") else 1


def _print(search: Optimized, *, json: bool) -> None:
    from peerjudge.cli.console import results
    from peerjudge.optimization.describing import build_estimate, build_parts, describe_result
    from peerjudge.reporting.layout import print_parts

    estimate = search.estimate
    if estimate is not None:
        if json:
            print_json(estimate.document())
        else:
            print_parts(build_estimate(search, estimate), results(), wrap=True)
        return
    if json:
        print_json(search.full_document())
    else:
        print_parts(build_parts(search), results(), wrap=True)
        say(*describe_result(search))
    if search.stopped is not None:
        print_status(_describe_stop(search))


def _describe_stop(search: Optimized) -> str:
    if search.stopped is not None and search.stopped.endswith("limit"):
        least = "" if search.enough is None else f", of at least {_round_up(search.enough)},"
        return (
            f"Stopped at the {search.stopped}, what selecting and testing may take set aside. Run the same "
            f"command with a higher limit{least} to resume; --dry-run prints the most that a search takes."
        )
    why = f" ({search.failure})" if search.failure else ""
    return (
        f"Stopped: {search.stopped}{why}. Everything paid is kept; run the same command to resume."
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


COMMAND = FunctionCommand(
    function="optimization.optimizing:optimize",
    run=_optimize,
    groups=(CastOptions, CallOptions),
    names={"targets": "--target", "factors": "--factor", "transfer_cards": "--transfer"},
    options={
        "factors": Option(
            type=tuple[str, ...],
            words="Written NAME=VALUE,VALUE; repeat for more.",
            convert=_parse_factors,
        ),
        "transfer_cards": Option(type=str, words="Separated by commas.", convert=split_names),
    },
)
optimize_command = COMMAND.build()
