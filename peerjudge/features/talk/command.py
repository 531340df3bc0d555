"""Command `talk`."""

from __future__ import annotations

from peerjudge.cli.commands import DISCUSSIONS, FunctionCommand

__all__ = ["TALK"]

TALK = FunctionCommand(function="features.talk.results:talk", options={"source": DISCUSSIONS})
