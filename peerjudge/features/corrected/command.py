"""Command `corrected`."""

from __future__ import annotations

from peerjudge.cli.commands import FunctionCommand

__all__ = ["CORRECTED"]

CORRECTED = FunctionCommand(function="features.corrected.results:corrected")
