"""Command `measure`."""

from __future__ import annotations

from peerjudge.cli.tables import Layout, print_result


def measure_command(
    name: str, source: str, /, *, layout: Layout = "text", json: bool = False
) -> int:
    """Measure what the file measures/NAME.py of this project says of every ballot, with intervals.

    Its function `measure` takes the frame of ballots and returns a frame with one row for each observation:
    value, question, and columns by which rows are grouped. `peerjudge report RUN --measure NAME` has it in
    the report. The file is executed.

    Parameters
    ----------
    name
        Name of the file; `peerjudge list measures` shows them.
    source
        Run, dataset NAME:PATH, or transcript file.
    json
        Print one JSON document.
    """
    from peerjudge.features.measures.measuring import measure

    print_result(measure(source, measure=name), json=json, layout=layout)
    return 0
