"""The report of recorded reviews as one HTML file, beside what papers printed about them."""

from __future__ import annotations

from pathlib import Path

from peerjudge.analysis.recorded import RecordedFindings
from peerjudge.reporting.page import write_page
from peerjudge.reporting.published import Published
from peerjudge.reporting.recorded_views import contestants_of, recorded_figures_of
from peerjudge.reporting.sentences import recorded_sentences

__all__ = ["write_recorded_report"]


def write_recorded_report(found: RecordedFindings, printed: Published, *, path: Path) -> Path:
    """Write the report and return its path; the file appears whole or not at all.

    Args:
        found: what the reviews say.
        printed: what a paper printed about them.
        path: where to; folders in between are made.

    Raises:
        StoreError: the file cannot be written.
    """
    context = {
        "title": found.dataset,
        "found": found,
        "glance": recorded_sentences(found, printed),
        "printed": printed,
        "figures": recorded_figures_of(found, printed),
        "contestants": contestants_of(found),
        "rankings": (
            (
                "win_rate",
                "Win rates",
                3,
                {one.jury.name: one.win_rate for one in found.evaluators},
            ),
            ("elo", "Elo ratings", 0, {one.jury.name: one.elo for one in found.evaluators}),
        ),
        "printed_values": {"win_rate": printed.win_rate, "elo": printed.elo},
        "consistency": {row.reviewer: row for row in found.consistency},
    }
    return write_page("recorded.html.j2", context, path=path, scripts=("figures.js",))
