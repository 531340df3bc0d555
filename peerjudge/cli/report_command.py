"""`peerjudge report`: write the self-contained HTML report of a run, or of recorded reviews."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from peerjudge.cli.console import status
from peerjudge.cli.tables import Contestants, parse_contestants, say


def report_command(
    source: str,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    figures: Path | None = None,
    contestants: Contestants = (),
    force: bool = False,
) -> int:
    """Write the report as one HTML file and print its path. The page needs no network.

    The same numbers stand beside it in a .json file.

    Parameters
    ----------
    source
        A run folder, a store URL, a transcript file (.jsonl, .jsonl.gz), a bundle (.zip), or a dataset
        NAME:PATH or FILE.py:PATH with reviews by models.
    output
        The file to write; when left out, `report.html` in the run folder, or for a dataset
        `NAME-report.html` here.
    figures
        A folder to write every figure to as well, as .svg, .png and .pdf.
    force
        Replace files that are not earlier reports or figures.
    """
    from peerjudge.results.reports import report

    # Shown in a terminal only: thousands of resamplings take seconds.
    with status().status("Reading, and resampling questions"):
        found = report(source, contestant_of=parse_contestants(contestants))
        if figures is not None:
            found.require_free_figures(figures, force=force)
        path = found.save(output, force=force)
    say(str(path))
    if figures is not None:
        say(*map(str, found.save_figures(figures, force=force)))
    return 0
