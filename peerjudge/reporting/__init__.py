"""Reports of runs and of recorded reviews: terminal tables, pages, figures and JSON."""

from peerjudge.reporting.figures import Figure
from peerjudge.reporting.page import (
    build_findings_document,
    draw_run_figures,
    list_figures,
    write_recorded_report,
    write_report,
)
from peerjudge.reporting.run_page import list_findings
from peerjudge.reporting.transcripts import TranscriptData

__all__ = [
    "Figure",
    "TranscriptData",
    "build_findings_document",
    "draw_run_figures",
    "list_figures",
    "list_findings",
    "write_recorded_report",
    "write_report",
]
