"""SQL store of discussions: durable turns, resumed runs, and reading for analysis."""

from peerjudge.store.archive import (
    UNBILLED,
    UNCERTAIN,
    Archive,
    Booked,
    RunRecord,
    Status,
    UncertainCalls,
)
from peerjudge.store.columns import Columns
from peerjudge.store.database import exists
from peerjudge.store.doctor import Damage, Examination, examine_store
from peerjudge.store.store import Store

__all__ = [
    "UNBILLED",
    "UNCERTAIN",
    "Archive",
    "Booked",
    "Columns",
    "Damage",
    "Examination",
    "RunRecord",
    "Status",
    "Store",
    "UncertainCalls",
    "examine_store",
    "exists",
]
