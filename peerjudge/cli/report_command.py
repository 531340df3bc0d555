"""`peerjudge report`: write the self-contained HTML report of a run, or of recorded reviews."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from peerjudge.cli.console import print_status, status
from peerjudge.cli.overwriting import require_free_figures
from peerjudge.cli.tables import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from peerjudge.reporting import Figure


async def report_command(
    source: str,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    figures: Path | None = None,
    force: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Write the report as one HTML file and print its path. The page needs no network.

    The same numbers stand beside it in a .json file.

    Parameters
    ----------
    source
        A run folder, a store URL, a transcript file (.jsonl or .jsonl.gz), or a dataset
        NAME:PATH or FILE.py:PATH with reviews by models.
    output
        The file to write; when left out, `report.html` in the run folder, or for a dataset
        `NAME-report.html` here.
    figures
        A folder to write every figure to as well, as .svg and, where resvg-py is installed, as .png.
    force
        Replace files that are not earlier reports or figures.
    """
    from peerjudge.runs import is_run

    # Shown in a terminal only: thousands of resamplings take seconds.
    with status().status("Reading, and resampling questions"):
        if is_run(source):
            path, drawn, simulated = await _of_run(source, output, figures, force=force)
        else:
            path, drawn, simulated = _of_dataset(source, output, figures, force=force)
    say(str(path))
    if figures is not None:
        _save(drawn, figures, simulated=simulated)
    return 0


Written = tuple[Path, "Mapping[str, Figure]", bool]
"""The path of the page, its figures, and true if the reviewers are simulated."""


async def _of_run(
    source: str, output: Path | None, figures: Path | None, *, force: bool
) -> Written:
    from peerjudge.cli import reporting
    from peerjudge.reporting import draw_run_figures
    from peerjudge.runs import open_run

    async with open_run(source) as opened:
        reading = await reporting.read(opened)
        found = reading.findings
        drawn = draw_run_figures(found)
        _require_free(drawn, figures, source=source, force=force)
        path = reporting.write(opened, reading, output=output, force=force)
    return path, drawn, found.simulated


def _of_dataset(source: str, output: Path | None, figures: Path | None, *, force: bool) -> Written:
    from peerjudge.analysis import collect_reviews
    from peerjudge.analysis.recorded import build_recorded_findings
    from peerjudge.cli import reporting
    from peerjudge.datasets import load
    from peerjudge.reporting import draw_recorded_figures, find_published, write_recorded_report

    dataset = load(source)
    printed = find_published(dataset.name)
    found = build_recorded_findings(
        collect_reviews(dataset), description=dataset.description, juries=printed.juries
    )
    drawn = draw_recorded_figures(found, printed)
    _require_free(drawn, figures, source=source, force=force)
    path = output or Path(f"{dataset.name}-report.html")
    reporting.require_free_page(path, source=source, force=force)
    write_recorded_report(found, printed, path=path)
    reporting.write_numbers(found, path)
    return path, drawn, False


def _require_free(
    drawn: Mapping[str, Figure], folder: Path | None, *, source: str, force: bool
) -> None:
    if folder is not None:
        names = [figure.id for figure in drawn.values()]
        require_free_figures(names, folder, source=source, force=force, option="--figures")


def _save(drawn: Mapping[str, Figure], folder: Path, *, simulated: bool) -> None:
    from peerjudge.reporting import save_figures

    files, missing = save_figures(drawn, folder, simulated=simulated)
    for file in files:
        say(str(file))
    if missing:
        print_status(missing)
