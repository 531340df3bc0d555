"""Figures of accuracies by name."""

from __future__ import annotations

from collections.abc import Mapping

from peerjudge.data import Measurement
from peerjudge.reporting.accuracy import SHARES
from peerjudge.reporting.figures import Figure, Row, Rows, build_mark
from peerjudge.reporting.formats import counted, percent


def draw_accuracies(measured: Mapping[str, Measurement]) -> dict[str, Figure]:
    """Return accuracies with their intervals as dots, by the name of the figure; empty without any."""
    rows = [
        Row(
            name=name,
            note=f"{percent(one)} %",
            count=counted(one.n, "verdict"),
            marks=[build_mark(one)],
        )
        for name, one in measured.items()
        if one.n
    ]
    if not rows:
        return {}
    figure = Figure(
        id="accuracy",
        description="Accuracy against gold, with intervals that have questions as the unit.",
        chart=Rows(rows=rows, across="verdicts that name the gold answer", limits=SHARES),
    )
    return {figure.id: figure}
