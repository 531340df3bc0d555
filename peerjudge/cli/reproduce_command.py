"""`peerjudge reproduce`: the tables and figures of a paper beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from peerjudge.cli.console import status
from peerjudge.cli.tables import Layout, print_result


def reproduce_command(
    paper: str,
    source: str,
    /,
    *,
    item: tuple[str, ...] = (),
    stand_ins: Annotated[tuple[str, ...], Parameter(name="--as")] = (),
    figures: Path | None = None,
    force: bool = False,
    seed: int = 0,
    layout: Layout = "text",
    json: bool = False,
) -> int:
    """Print the values of a paper beside ours, with 95 % intervals, table by table.

    A published value is inside if it lies in our interval, or equals ours at the printed rounding. What
    the source does not give is listed with the source that it needs.

    Parameters
    ----------
    paper
        A paper of `peerjudge list papers`.
    source
        A run folder, a store URL, a transcript file (.jsonl, .jsonl.gz), a bundle (.zip), or a dataset
        NAME:PATH or FILE.py:PATH with reviews.
    item
        Only this table, figure or section, such as "Table 3"; may be repeated.
    stand_ins
        REVIEWER=MODEL: a reviewer of the source stands for this model of the paper, where its own name
        does not say so. May be repeated.
    figures
        A folder to write figures of the published values beside ours to, as .svg, .png and .pdf.
    force
        Replace files that are not earlier figures.
    seed
        Seed of the resampling.
    json
        Print the result as one JSON document.
    """
    from peerjudge.results.reproductions import reproduce
    from peerjudge.runs.seating import parse_pairs

    named = parse_pairs(stand_ins, noun="reviewer", form="REVIEWER=MODEL, as in my_model=GPT-4")
    # Shown in a terminal only: resampling takes seconds.
    with status().status("Reading, and resampling questions"):
        found = reproduce(paper, source, items=list(item) or None, stand_ins=named, seed=seed)
    if figures is not None:
        found.save_figures(figures, force=force)
    print_result(found, json=json, layout=layout)
    return 0
