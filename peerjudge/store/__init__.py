"""SQL store of discussions: durable turns, resumed runs, and reading for analysis."""

from peerjudge.store.archive import Archive, RunRecord, Status
from peerjudge.store.columns import Columns
from peerjudge.store.store import Store

__all__ = ["Archive", "Columns", "RunRecord", "Status", "Store"]
