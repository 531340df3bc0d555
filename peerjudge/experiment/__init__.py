"""Declares, plans and plays experiments, and opens what has been played."""

from peerjudge.experiment.checking import Checked, check_shelves
from peerjudge.experiment.estimate import Estimate, PartEstimate, Step, estimate
from peerjudge.experiment.folder import default_folder, read_manifest
from peerjudge.experiment.plan import Part, Plan
from peerjudge.experiment.play import run
from peerjudge.experiment.playing import Observer
from peerjudge.experiment.prepare import Prepared, prepare
from peerjudge.experiment.settings import parse_settings
from peerjudge.experiment.source import OpenRun, is_run, load, open_run, read_source, shown
from peerjudge.experiment.summary import RunSummary, summary_document

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
