"""Reports of runs and of recorded reviews: terminal tables, pages, figures and JSON."""

from peerjudge.reporting.figures import Figure
from peerjudge.reporting.page import (
    build_findings_document,
    draw_recorded_figures,
    draw_run_figures,
    write_recorded_report,
    write_report,
)
from peerjudge.reporting.published import Published, find_published
from peerjudge.reporting.run_page import list_findings
from peerjudge.reporting.transcripts import TranscriptData

__all__ = [
    "Figure",
    "Published",
    "TranscriptData",
    "build_findings_document",
    "draw_recorded_figures",
    "draw_run_figures",
    "find_published",
    "list_findings",
    "write_recorded_report",
    "write_report",
]
