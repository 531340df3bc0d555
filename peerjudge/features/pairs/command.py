"""Command `pairs`."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING

from peerjudge.cli.commands import REPEATED, AsJson, Call, FunctionCommand
from peerjudge.cli.console import print_json, print_status, results
from peerjudge.cli.options import CallOptions, ProgressForm
from peerjudge.cli.playing import compute_by_steps
from peerjudge.cli.tables import say

if TYPE_CHECKING:
    from peerjudge.features.pairs.nouns import Paired

__all__ = ["PAIRS"]


async def _pairs(
    call: Call[Awaitable[Paired]],
    *,
    display: ProgressForm = "rich",
    json: AsJson = False,
) -> int:
    """Make pairs, and print how many of each recipe there are."""
    found = await compute_by_steps(call, display)
    _print_pairs(found, json=json)
    return 3 if found.stopped is not None else 0


def _print_pairs(paired: Paired, *, json: bool) -> None:
    from peerjudge.features.pairs.describing import build_document, build_parts, describe_files
    from peerjudge.reporting.layout import print_parts

    if json:
        print_json(build_document(paired))
    else:
        print_parts(build_parts(paired), results(), wrap=True)
        say(*describe_files(paired))
    if paired.stopped is not None:
        print_status(f"stopped at the {paired.stopped}: run the same command with a higher one")


PAIRS = FunctionCommand(
    function="features.pairs.making:pairs",
    run=_pairs,
    groups=(CallOptions,),
    names={"recipes": "--recipe"},
    options={"recipes": REPEATED, "verify": REPEATED},
)
