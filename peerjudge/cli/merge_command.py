"""`peerjudge merge`: several runs as one run folder."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from peerjudge.cli.console import print_json, print_status
from peerjudge.cli.tables import say

__all__ = ["merge_command"]


async def merge_command(*sources: str, out: Path, json: bool = False) -> int:
    """Write several runs as one run folder that every command reads.

    For runs of one experiment on different parts of the data, with other seeds, or with other
    reviewers. A discussion that several have is written once. Runs that contradict each other are
    refused: a condition, card or prompt pack of one name that differs, or a comparison with another
    content. The merged run cannot be resumed; resume its sources and merge again.

    Parameters
    ----------
    sources
        Run folders, store URLs (PLACE#RUN), transcript files or bundles; two or more.
    out
        The new run folder.
    json
        Print the result as one JSON document.
    """
    from peerjudge.runs.merging import merge_runs

    found = await merge_runs(sources, out=out)
    if json:
        document = asdict(found)
        print_json({**document, "folder": str(found.folder)})
        return 0
    say(
        f"{found.discussions:,} discussions of {found.comparisons:,} comparisons from "
        f"{len(found.sources)} runs"
    )
    for one in found.sources:
        book = f"{one.calls:,} calls" + (f", {one.repeated:,} booked before" * bool(one.repeated))
        say(
            f"{one.name}: {one.discussions:,} discussions, {one.new:,} new; "
            + (
                book
                if one.booked
                else "a file has no book of calls, so what they cost is not included"
            )
        )
    print_status(f"written to {found.folder}; next: peerjudge report {found.folder}")
    return 0
