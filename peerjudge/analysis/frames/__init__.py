"""Runs as pandas frames: one row per discussion, turn, call, event, battle or weight."""

from peerjudge.analysis.frames.ballots import build_ballots_frame
from peerjudge.analysis.frames.ballots_reading import read_ballots_frame
from peerjudge.analysis.frames.build import (
    build_battles_frame,
    build_calls_frame,
    build_discussions_frame,
    build_events_frame,
    build_turns_frame,
    build_weights_frame,
)
from peerjudge.analysis.frames.columns import FRAMES, TurnColumns, TurnRow, drop_turns, list_turns
from peerjudge.analysis.frames.tables import import_pandas

__all__ = [
    "FRAMES",
    "TurnColumns",
    "TurnRow",
    "build_ballots_frame",
    "build_battles_frame",
    "build_calls_frame",
    "build_discussions_frame",
    "build_events_frame",
    "build_turns_frame",
    "build_weights_frame",
    "drop_turns",
    "import_pandas",
    "list_turns",
    "read_ballots_frame",
]
