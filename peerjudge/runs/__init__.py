"""Runs of experiments: resolve, estimate, run, resume, and read."""

from peerjudge.runs.estimate import Costs, Estimate, Step, estimate_calls
from peerjudge.runs.manifest import default_folder, read_manifest
from peerjudge.runs.progress import Observer
from peerjudge.runs.reading import Source, read_ballots
from peerjudge.runs.resolve import Prepared, parse_seats, parse_settings, prepare
from peerjudge.runs.results import RunCounts, RunSummary, summary_document
from peerjudge.runs.runner import run, run_sync
from peerjudge.runs.schedule import Part, Plan
from peerjudge.runs.sources import (
    OpenRun,
    hide_password,
    is_run,
    load,
    load_sync,
    open_run,
)
from peerjudge.runs.texts import WritingEstimate, WritingResult, WritingTask, WrittenText
from peerjudge.runs.writing import estimate_writing, write_texts

__all__ = [
    "Costs",
    "Estimate",
    "Observer",
    "OpenRun",
    "Part",
    "Plan",
    "Prepared",
    "RunCounts",
    "RunSummary",
    "Source",
    "Step",
    "WritingEstimate",
    "WritingResult",
    "WritingTask",
    "WrittenText",
    "default_folder",
    "estimate_calls",
    "estimate_writing",
    "hide_password",
    "is_run",
    "load",
    "load_sync",
    "open_run",
    "parse_seats",
    "parse_settings",
    "prepare",
    "read_ballots",
    "read_manifest",
    "run",
    "run_sync",
    "summary_document",
    "write_texts",
]
