"""What a run or a dataset's reviews say: terminal tables, JSON, figures, and one HTML file."""

from peerjudge.report.document import findings_document
from peerjudge.report.drawing import Figure, save_figures
from peerjudge.report.html import write_report
from peerjudge.report.published import Published, published
from peerjudge.report.recorded import write_recorded_report
from peerjudge.report.recorded_views import recorded_figures_of
from peerjudge.report.text import print_findings
from peerjudge.report.transcripts import TranscriptData
from peerjudge.report.views import figures_of

__all__ = [
    "Figure",
    "Published",
    "TranscriptData",
    "figures_of",
    "findings_document",
    "print_findings",
    "published",
    "recorded_figures_of",
    "save_figures",
    "write_recorded_report",
    "write_report",
]
