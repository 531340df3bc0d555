"""`peerjudge pairs`: pairs of a better and a worse answer, by rule or by a writer."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING

from peerjudge.cli.commands import REPEATED, AsJson, Call, FunctionCommand
from peerjudge.cli.console import configure_logging, print_json, print_status, results
from peerjudge.cli.interrupts import cancel_on_signal
from peerjudge.cli.options import CallOptions, ProgressForm
from peerjudge.cli.tables import say

if TYPE_CHECKING:
    from peerjudge.pairing import Paired


async def _pairs(
    call: Call[Awaitable[Paired]],
    *,
    display: ProgressForm = "rich",
    json: AsJson = False,
) -> int:
    """Make pairs, and print how many of each recipe there are."""
    configure_logging(level="error", form="text")
    async with cancel_on_signal():
        found = await call.compute({"on_step": None if display == "none" else print_status})
    _print(found, json=json)
    return 3 if found.stopped is not None else 0


def _print(paired: Paired, *, json: bool) -> None:
    from peerjudge.pairing.describing import build_document, build_parts, describe_files
    from peerjudge.reporting.layout import print_parts

    if json:
        print_json(build_document(paired))
    else:
        print_parts(build_parts(paired), results(), wrap=True)
        say(*describe_files(paired))
    if paired.stopped is not None:
        print_status(f"stopped at the {paired.stopped}: run the same command with a higher one")


COMMAND = FunctionCommand(
    function="pairing.making:pairs",
    run=_pairs,
    groups=(CallOptions,),
    names={"recipes": "--recipe"},
    options={"recipes": REPEATED, "verify": REPEATED},
)
pairs_command = COMMAND.build()
