"""`optimize` without `await`, for scripts and notebooks."""

from __future__ import annotations

from peerjudge.optimization.optimizing import optimize
from peerjudge.runs.blocking import block

optimize_sync = block(optimize)
"""`optimize`, which returns its result; it also works where an event loop runs."""
