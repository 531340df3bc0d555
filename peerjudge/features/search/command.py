"""Command `optimize`."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING

from peerjudge.cli.commands import AsJson, Call, FunctionCommand, Option
from peerjudge.cli.console import print_json, print_status, results
from peerjudge.cli.options import CallOptions, CastOptions, ProgressForm, split_names
from peerjudge.cli.playing import compute_by_steps
from peerjudge.cli.tables import say

if TYPE_CHECKING:
    from peerjudge.features.search.findings import Optimized

__all__ = ["OPTIMIZE"]


async def _optimize(
    call: Call[Awaitable[Optimized]],
    *,
    display: ProgressForm = "rich",
    json: AsJson = False,
) -> int:
    """Search for better prompts, and print the search."""
    found = await compute_by_steps(call, display)
    _print_search(found, json=json)
    if found.stopped is None:
        return 0
    return 3 if found.stopped.endswith("limit") else 1


def _print_search(search: Optimized, *, json: bool) -> None:
    from peerjudge.features.search.describing import build_estimate, build_parts, describe_result
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
        from peerjudge.results.summaries import name_limit

        option = "a higher limit"
        if search.enough is not None:
            option = f"{name_limit(search.stopped, search.enough, python=False)} or more"
        return (
            f"Stopped at the {search.stopped}, what selecting and testing may take set aside. Run the same "
            f"command with {option} to resume; --dry-run prints the most that a search takes."
        )
    why = f" ({search.failure})" if search.failure else ""
    return (
        f"Stopped: {search.stopped}{why}. Everything paid is kept; run the same command to resume."
    )


OPTIMIZE = FunctionCommand(
    function="features.search.optimizing:optimize",
    run=_optimize,
    groups=(CastOptions, CallOptions),
    names={"targets": "--target", "transfer_cards": "--transfer"},
    options={
        "transfer_cards": Option(type=str, words="Separated by commas.", convert=split_names),
    },
)
