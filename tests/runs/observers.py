"""Observers of runs."""

from __future__ import annotations

import asyncio


class Quiet:
    """Observer that does nothing."""

    def planned(self, prepared, counts) -> None:
        """Do nothing."""

    def began(self, transcript) -> None:
        """Do nothing."""

    def ended(self, transcript) -> None:
        """Do nothing."""

    def skipped(self, count: int) -> None:
        """Do nothing."""


class Killer(Quiet):
    """Observer that cancels the run when a number of discussions have ended."""

    def __init__(self, after: int) -> None:
        self.left = after

    def planned(self, prepared, counts) -> None:
        """Note which task runs."""
        self.task = asyncio.current_task()

    def ended(self, transcript) -> None:
        """Cancel the run after the last discussion that may end."""
        self.left -= 1
        if self.left == 0:
            self.task.cancel()
