"""Runs in shards: processes that play parts of a run, and their merge into one."""

from peerjudge.registry import Feature

__all__ = ["FEATURE"]

FEATURE = Feature(
    about="Play a run in several processes, a shard of its questions each, and merge them.",
    hooks={"option of run": {"shards": "command:SHARDS", "ray": "command:RAY"}},
)
