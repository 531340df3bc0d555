"""SQL store of discussions: durable turns, resumed runs, and reading for analysis."""

from peerjudge.store.archive import Archive, Booked, RunRecord, Status
from peerjudge.store.columns import Columns
from peerjudge.store.database import exists
from peerjudge.store.doctor import Damage, Examination, examine_store
from peerjudge.store.store import Store

__all__ = [
    "Archive",
    "Booked",
    "Columns",
    "Damage",
    "Examination",
    "RunRecord",
    "Status",
    "Store",
    "examine_store",
    "exists",
]
