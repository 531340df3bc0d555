"""SQL store of discussions: durable turns, resumed runs, and reading for analysis."""

from peerjudge.store.archive import UNBILLED, UNCERTAIN, Archive, Status, UncertainCalls
from peerjudge.store.columns import Columns
from peerjudge.store.database import exists
from peerjudge.store.doctor import examine_store
from peerjudge.store.store import Store

__all__ = [
    "UNBILLED",
    "UNCERTAIN",
    "Archive",
    "Columns",
    "Status",
    "Store",
    "UncertainCalls",
    "examine_store",
    "exists",
]
