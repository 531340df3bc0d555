"""Runs of experiments: resolve, estimate, run, resume, and read."""

from peerjudge.runs.estimate import Costs, Estimate, estimate_calls
from peerjudge.runs.manifest import default_folder, read_manifest
from peerjudge.runs.progress import Observer
from peerjudge.runs.reading import read_ballots
from peerjudge.runs.resolve import Prepared, prepare
from peerjudge.runs.results import RunSummary, summary_document
from peerjudge.runs.runner import run, run_sync
from peerjudge.runs.schedule import Part, Plan
from peerjudge.runs.sources import OpenRun, hide_password, is_run, load, load_sync, open_run
from peerjudge.runs.texts import WritingEstimate, WritingResult

__all__ = [
    "Costs",
    "Estimate",
    "Observer",
    "OpenRun",
    "Part",
    "Plan",
    "Prepared",
    "RunSummary",
    "WritingEstimate",
    "WritingResult",
    "default_folder",
    "estimate_calls",
    "hide_password",
    "is_run",
    "load",
    "load_sync",
    "open_run",
    "prepare",
    "read_ballots",
    "read_manifest",
    "run",
    "run_sync",
    "summary_document",
]
