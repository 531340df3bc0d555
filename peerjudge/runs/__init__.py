"""Declares, plans and plays experiments, and opens what has been played."""

from peerjudge.runs.checking import Checked, check_shelves
from peerjudge.runs.estimate import Estimate, PartEstimate, Step, estimate
from peerjudge.runs.folder import default_folder, read_manifest
from peerjudge.runs.plan import Part, Plan
from peerjudge.runs.play import run
from peerjudge.runs.playing import Observer
from peerjudge.runs.prepare import Prepared, prepare
from peerjudge.runs.settings import parse_settings
from peerjudge.runs.source import OpenRun, is_run, load, open_run, read_source, shown
from peerjudge.runs.summary import RunSummary, summary_document

__all__ = [
    "Checked",
    "Estimate",
    "Observer",
    "OpenRun",
    "Part",
    "PartEstimate",
    "Plan",
    "Prepared",
    "RunSummary",
    "Step",
    "check_shelves",
    "default_folder",
    "estimate",
    "is_run",
    "load",
    "open_run",
    "parse_settings",
    "prepare",
    "read_manifest",
    "read_source",
    "run",
    "shown",
    "summary_document",
]
