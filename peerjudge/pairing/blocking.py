"""`pairs` without `await`, for scripts and notebooks."""

from __future__ import annotations

from peerjudge.pairing.making import pairs
from peerjudge.runs.blocking import block

pairs_sync = block(pairs)
"""`pairs`, which returns its result; it also works where an event loop runs."""
