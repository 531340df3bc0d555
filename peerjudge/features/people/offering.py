"""What people add to the core: their desk in a run, and their answers as an export."""

from __future__ import annotations

from peerjudge.cli.exports import RowExport
from peerjudge.features.people.exporting import check_people_export, read_people, write_people
from peerjudge.features.people.playing import check_people, open_people
from peerjudge.runs.awaited import Desk

ANSWERS = RowExport(check=check_people_export, read=read_people, write=write_people)
"""`export --people`."""

DESK = Desk(check=check_people, open=open_people)
"""The desk of cards of kind `human`."""
