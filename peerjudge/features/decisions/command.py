"""Command `decide`."""

from __future__ import annotations

from peerjudge.cli.commands import DISCUSSIONS, FunctionCommand

__all__ = ["DECIDE"]

DECIDE = FunctionCommand(
    function="features.decisions.results:decide", options={"source": DISCUSSIONS}
)
