"""Runs as pandas frames: one row per discussion, turn, call, event, battle or weight."""

from peerjudge.analysis.frames.build import (
    battles_frame,
    calls_frame,
    discussions_frame,
    events_frame,
    turns_frame,
    weights_frame,
)
from peerjudge.analysis.frames.columns import (
    FRAMES,
    TurnColumns,
    TurnRow,
    head_of,
    turn_columns,
    without_texts,
)

__all__ = [
    "FRAMES",
    "TurnColumns",
    "TurnRow",
    "battles_frame",
    "calls_frame",
    "discussions_frame",
    "events_frame",
    "head_of",
    "turn_columns",
    "turns_frame",
    "weights_frame",
    "without_texts",
]
