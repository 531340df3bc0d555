"""`peerjudge merge`: several runs as one run folder."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import asdict
from typing import TYPE_CHECKING

from peerjudge.cli.commands import AsJson, Call, FunctionCommand
from peerjudge.cli.console import print_json, print_status
from peerjudge.cli.tables import say

if TYPE_CHECKING:
    from peerjudge.runs.merging import MergedRun


async def _merge(call: Call[Awaitable[MergedRun]], *, json: AsJson = False) -> int:
    """Merge runs, and print what each of them adds."""
    found = await call.compute()
    if json:
        document = asdict(found)
        print_json({**document, "folder": str(found.folder)})
        return 0
    say(
        f"{found.discussions:,} discussions of {found.comparisons:,} comparisons from "
        f"{len(found.sources)} runs"
    )
    for source in found.sources:
        book = f"{source.calls:,} calls" + (
            f", {source.repeated:,} booked before" * bool(source.repeated)
        )
        say(
            f"{source.name}: {source.discussions:,} discussions, {source.new:,} new; "
            + (
                book
                if source.booked
                else "a file has no book of calls, so what they cost is not included"
            )
        )
    print_status(f"written to {found.folder}; next: peerjudge report {found.folder}")
    return 0


COMMAND = FunctionCommand(function="runs.merging:merge_runs", run=_merge)
merge_command = COMMAND.build()
