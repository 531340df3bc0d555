"""Where discussions outlive the process: an SQL store, and the only room that knows SQL."""

from peerjudge.store.archive import Archive, RunRecord, Status
from peerjudge.store.columns import Columns
from peerjudge.store.store import Store

__all__ = ["Archive", "Columns", "RunRecord", "Status", "Store"]
