"""The findings of a run as terminal tables, as JSON, and as one self-contained HTML file."""

from peerjudge.report.document import findings_document
from peerjudge.report.html import write_report
from peerjudge.report.text import print_findings
from peerjudge.report.transcripts import TranscriptData

__all__ = ["TranscriptData", "findings_document", "print_findings", "write_report"]
