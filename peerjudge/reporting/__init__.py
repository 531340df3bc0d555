"""Reports of runs and of recorded reviews: terminal tables, pages, figures and JSON."""

from peerjudge.reporting.drawing import Figure, save_figures
from peerjudge.reporting.page import (
    findings_document,
    recorded_figures,
    run_figures,
    write_recorded_report,
    write_report,
)
from peerjudge.reporting.published import Published, published
from peerjudge.reporting.run_page import print_findings
from peerjudge.reporting.transcripts import TranscriptData

__all__ = [
    "Figure",
    "Published",
    "TranscriptData",
    "findings_document",
    "print_findings",
    "published",
    "recorded_figures",
    "run_figures",
    "save_figures",
    "write_recorded_report",
    "write_report",
]
