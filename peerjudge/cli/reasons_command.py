"""`peerjudge reasons`: what the reasons of verdicts mention, and the reasons on one comparison."""

from __future__ import annotations

from pathlib import Path

from peerjudge.cli.tables import Layout, print_result
from peerjudge.errors import DataError


def reasons_command(
    source: str,
    /,
    *,
    comparison: str | None = None,
    themes: Path | None = None,
    seed: int = 0,
    layout: Layout = "text",
    json: bool = False,
) -> int:
    """Print what the reasons of verdicts mention, by theme, or those on one comparison side by side.

    For each theme: the share of reasons that mention it, how much oftener such verdicts are right, and
    how much oftener a contradicted seat alters its opinion after hearing it. These are associations.

    Parameters
    ----------
    source
        A run folder, a store URL, a transcript file (.jsonl, .jsonl.gz), a bundle (.zip), or a dataset
        NAME:PATH or FILE.py:PATH with the texts of reviews.
    comparison
        Print the reasons on the comparison with this id instead, a column for each verdict.
    themes
        A TOML file with a table `[themes]`, words by theme, in place of the thirteen themes in English.
    seed
        Seed of the resampling behind the intervals.
    json
        Print the result as one JSON document.
    """
    from peerjudge.results.reasons import reasons

    if comparison is not None:
        if themes is not None:
            msg = "--themes and --comparison exclude each other; leave one out"
            raise DataError(msg)
        print_result(reasons(source, comparison=comparison), json=json, layout=layout)
        return 0
    print_result(reasons(source, themes=themes, seed=seed), json=json, layout=layout)
    return 0
