"""What a run or a dataset's reviews say: terminal tables, JSON, figures, and one HTML file."""

from peerjudge.reporting.document import findings_document
from peerjudge.reporting.drawing import Figure, save_figures
from peerjudge.reporting.html import write_report
from peerjudge.reporting.published import Published, published
from peerjudge.reporting.recorded import write_recorded_report
from peerjudge.reporting.recorded_views import recorded_figures_of
from peerjudge.reporting.text import print_findings
from peerjudge.reporting.transcripts import TranscriptData
from peerjudge.reporting.views import figures_of

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
