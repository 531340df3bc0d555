"""The findings as one JSON document."""

from __future__ import annotations

import json

from peerjudge.analysis.findings import Findings
from peerjudge.analysis.recorded import RecordedFindings
from peerjudge.data import to_json

__all__ = ["findings_document"]


def findings_document(findings: Findings | RecordedFindings) -> dict[str, object]:
    """`{"schema": "Findings/1", "data": {...}}` in plain values; what is not a number is `None`."""
    return json.loads(to_json(findings))
