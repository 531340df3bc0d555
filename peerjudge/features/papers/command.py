"""The command `reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from peerjudge.cli.analyses import RESAMPLING
from peerjudge.cli.commands import REPEATED, AsJson, Call, FunctionCommand, pairs_option
from peerjudge.cli.console import status
from peerjudge.cli.tables import Layout, print_result

if TYPE_CHECKING:
    from peerjudge.features.papers.reproductions import ReproduceResult

__all__ = ["REPRODUCE"]


def _reproduce(
    call: Call[ReproduceResult],
    *,
    figures: Path | None = None,
    force: bool = False,
    layout: Layout = "text",
    json: AsJson = False,
) -> int:
    """Print the values of a paper beside ours, and write their figures.

    Options:
        figures: A folder to write figures of the published values beside ours to, as .svg, .png and .pdf.
        force: Replace files that are not earlier figures.
    """
    with status().status(RESAMPLING):
        found = call.compute()
    if figures is not None:
        found.save_figures(figures, force=force)
    print_result(found, json=json, layout=layout)
    return 0


REPRODUCE = FunctionCommand(
    function="features.papers.reproductions:reproduce",
    run=_reproduce,
    names={"items": "--item"},
    options={
        "items": REPEATED,
        "stand_ins": pairs_option("--as", "REVIEWER=MODEL", "my_model=GPT-4"),
    },
)
