"""`peerjudge report`: write the self-contained HTML report of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from peerjudge.cli.console import results

__all__ = ["report_command"]


async def report_command(
    run: str, /, *, output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None
) -> int:
    """Write the report of a run and print its path. The page needs no network.

    Parameters
    ----------
    run
        A run folder or a store URL.
    output
        The file to write; `report.html` in the run folder when left out.
    """
    from peerjudge.cli import reporting
    from peerjudge.experiment import open_run

    async with open_run(run) as opened:
        path = reporting.write(opened, await reporting.read(opened), output=output)
    results().print(str(path), soft_wrap=True)
    return 0
